//! Values scaled by all of their run.

use super::along::{along, by_run};
use crate::eval::elementwise::dispatch;
use crate::eval::unary::Float;
use crate::eval::{Arguments, Value};

pub(super) fn rescaled(
    arguments: &mut Arguments<'_>,
    axes: Option<&[i64]>,
    scale: impl Fn(&mut [f64]),
) -> Vec<Value> {
    along(arguments, axes, Ok, |column, runs| {
        vec![dispatch!(floats column.dtype(), T => by_run::<T, T>(column, runs, |values, results| {
            let mut wide: Vec<f64> = values.iter().map(|&value| value.widen()).collect();
            scale(&mut wide);
            results.extend(wide.into_iter().map(T::narrow));
        }))]
    })
}
