//! Whole numbers between two.

use feedline_data::DType;
use feedline_data::block::Column;

use super::draws::{Draws, shape_of};
use crate::eval::rows::{RowsOf, as_ints};
use crate::eval::{Arguments, Value};

pub(super) fn random_integers(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (draws, shape) = (Draws::of(arguments), shape_of(arguments));
    let count: usize = shape.iter().product();
    let bounds = [0, 1].map(|index| RowsOf::new(arguments.inputs[index]));
    let is_wide = arguments.inputs[0].dtype() == DType::Int64;
    let ints = bounds.map(|of| as_ints(of.column()));
    let mut values = Vec::with_capacity(arguments.rows * count);
    for (row, id) in arguments.ids.iter().enumerate() {
        let of_row = |index: usize| match &ints[index][bounds[index].range(row)] {
            [value] => Some(*value),
            _ => None,
        };
        let range = of_row(0).zip(of_row(1)).filter(|(low, high)| low < high);
        let Some((low, high)) = range else {
            let reason = match of_row(0).zip(of_row(1)) {
                Some((low, high)) => format!("there is no number from minval {low} to before maxval {high}"),
                None => "minval and maxval are scalars".to_owned(),
            };
            arguments.fail(row, &reason);
            values.resize(values.len() + count, 0);
            continue;
        };
        let size = high.wrapping_sub(low) as u64;
        values.extend((0..count).map(|index| low.wrapping_add(draws.below(id, index, size) as i64)));
    }
    let rows = arguments.rows;
    let column = if is_wide {
        Column::from_vec(shape, rows, values)
    } else {
        Column::from_vec(shape, rows, values.into_iter().map(|value| value as i32).collect())
    };
    vec![Value::Rows(column)]
}
