//! The same values in another shape.

use feedline_data::block::{Column, Tensor};
use feedline_plan::expr::Attribute;

use super::{Arguments, Value};

pub(super) fn reshape(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let Attribute::Shape(wanted) = call.attribute("shape") else { unreachable!("checked to be a shape") };
    let dims = wanted.dims().expect("the plan checked that the rank is known");
    let reshaped = match arguments.inputs[0] {
        Value::Constant(tensor) => {
            let shape = fill(dims, tensor.num_values()).expect("the plan checked the shapes of constants");
            Value::Constant(Tensor::of_row(&tensor.as_column().clone().with_rows_of(1, shape), 0))
        }
        Value::Rows(column) => Value::Rows(reshape_rows(&column.clone(), dims, arguments)),
    };
    vec![reshaped]
}

fn reshape_rows(column: &Column, dims: &[Option<usize>], arguments: &mut Arguments<'_>) -> Column {
    if let Some(shape) = column.common_shape() {
        if let Some(new_shape) = fill(dims, shape.iter().product()) {
            return column.clone().with_rows_of(column.rows(), new_shape);
        }
        (0..column.rows()).for_each(|row| misfit(arguments, row, shape));
        return column.clone();
    }
    let mut shapes = Vec::with_capacity(column.rows());
    for row in 0..column.rows() {
        let shape = column.shape(row);
        shapes.push(fill(dims, shape.iter().product()).unwrap_or_else(|| {
            misfit(arguments, row, shape);
            shape.to_vec()
        }));
    }
    column.clone().flat().with_shapes(shapes)
}

fn misfit(arguments: &mut Arguments<'_>, row: usize, shape: &[usize]) {
    let count: usize = shape.iter().product();
    let wanted = arguments.call.attribute("shape").to_string();
    arguments.fail(row, &format!("{count} values of shape {shape:?} cannot have shape {wanted}"));
}

/// The shape with its open dimension filled so that it has `count` values; `None` if that is impossible.
fn fill(dims: &[Option<usize>], count: usize) -> Option<Vec<usize>> {
    let known: usize = dims.iter().flatten().product();
    let open = dims.contains(&None);
    let fits = if open { known > 0 && count.is_multiple_of(known) } else { known == count };
    fits.then(|| dims.iter().map(|dim| dim.unwrap_or_else(|| count / known)).collect())
}
