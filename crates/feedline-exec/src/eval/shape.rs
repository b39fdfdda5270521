//! What shape a tensor has.

use feedline_data::DType;
use feedline_data::block::{Column, Tensor};
use feedline_plan::expr::Attribute;

use super::rows::RowsOf;
use super::{Arguments, Value};

pub(super) fn shape(arguments: &mut Arguments<'_>) -> Vec<Value> {
    sizes(arguments, |shape| (vec![shape.len()], shape.to_vec()))
}

pub(super) fn size(arguments: &mut Arguments<'_>) -> Vec<Value> {
    sizes(arguments, |shape| (vec![], vec![shape.iter().product()]))
}

pub(super) fn rank(arguments: &mut Arguments<'_>) -> Vec<Value> {
    sizes(arguments, |shape| (vec![], vec![shape.len()]))
}

/// A tensor of counts that follows from the shape: its shape and values.
fn sizes(arguments: &mut Arguments<'_>, count: impl Fn(&[usize]) -> (Vec<usize>, Vec<usize>)) -> Vec<Value> {
    // Only the rank has no choice of type.
    let has_type = arguments.call.operation.attributes().any(|argument| argument.name == "out_type");
    let is_long = has_type && *arguments.call.attribute("out_type") == Attribute::DType(DType::Int64);
    let of = RowsOf::new(arguments.inputs[0]);
    let column = |counts: Vec<usize>| {
        if is_long {
            Column::from_vec(vec![], counts.len(), counts.iter().map(|&count| count as i64).collect())
        } else {
            Column::from_vec(vec![], counts.len(), counts.iter().map(|&count| count as i32).collect())
        }
    };
    if let Some(common) = of.column().common_shape() {
        let (shape, counts) = count(common);
        return vec![Value::Constant(Tensor::of_row(&column(counts).with_rows_of(1, shape), 0))];
    }
    let (shapes, counts): (Vec<_>, Vec<_>) = (0..arguments.rows).map(|row| count(of.shape(row))).unzip();
    vec![Value::Rows(column(counts.concat()).with_shapes(shapes))]
}
