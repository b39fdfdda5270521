//! Where the largest and the smallest value is: `argmax` and `argmin`.

use feedline_data::DType;

use super::order::compared;
use crate::eval::elementwise::dispatch;
use crate::eval::reduce::{by_group, reduce_over};
use crate::eval::rows::places_column;
use crate::eval::{Arguments, Value};

pub(super) fn argmax(arguments: &mut Arguments<'_>) -> Vec<Value> {
    extreme(arguments, true)
}

pub(super) fn argmin(arguments: &mut Arguments<'_>) -> Vec<Value> {
    extreme(arguments, false)
}

pub(super) fn extreme(arguments: &mut Arguments<'_>, is_largest: bool) -> Vec<Value> {
    let (axis, dtype) = (arguments.call.int("axis"), arguments.call.dtype("output_type"));
    fail_empty(arguments, axis);
    reduce_over(arguments, Some(&[axis]), false, |column, groups| {
        // False is before true, as 0 is before 1, which is how they lie in memory.
        let bools = (column.dtype() == DType::Bool).then(|| column.clone().with_dtype(DType::UInt8));
        let column = bools.as_ref().unwrap_or(column);
        let places = dispatch!(numbers column.dtype(), T => by_group::<T, i64>(column, groups, |values: &[T]| {
            let places = 0..values.len();
            let first = |one: &usize, two: &usize| {
                compared(values[*one], values[*two], is_largest).then(one.cmp(two))
            };
            places.min_by(first).unwrap_or(0) as i64
        }));
        if dtype == DType::Int64 {
            return places;
        }
        places_column(dtype, places.as_slice::<i64>().iter().map(|&place| place as usize).collect())
    })
}

/// Where there is nothing to choose from, there is no place.
pub(super) fn fail_empty(arguments: &mut Arguments<'_>, axis: i64) {
    let of = crate::eval::rows::RowsOf::new(arguments.inputs[0]);
    for row in 0..arguments.rows {
        let shape = of.shape(row);
        if feedline_plan::expr::axis_index(axis, shape.len()).is_ok_and(|axis| shape[axis] == 0) {
            arguments.fail(row, &format!("dimension {axis} of shape {shape:?} has no values"));
        }
    }
}
