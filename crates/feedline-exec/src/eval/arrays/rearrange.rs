//! Entries of each dimension in another order, more often, or fewer.

use super::take::{Taken, take};
use crate::eval::rows::{admits_planned, bytes_of, once_for_constants, plan_rows, plan_rows_by};
use crate::eval::{Arguments, Value};

pub(super) fn parts(
    arguments: &mut Arguments<'_>,
    num_parts: usize,
    part: impl Fn(usize, &[usize]) -> Result<Taken, String>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        (0..num_parts)
            .map(|index| {
                let plans = plan_rows(arguments, |shapes| part(index, shapes[0]));
                take(arguments, &plans, None)
            })
            .collect()
    })
}

/// What `plan` says is taken of each row, by the integers of the inputs `read`.
pub(super) fn by_ints(
    arguments: &mut Arguments<'_>,
    read: &[usize],
    fill: Option<usize>,
    plan: impl Fn(&[&[usize]], &[&[i64]]) -> Result<Taken, String>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let mut plans = plan_rows_by(arguments, read, plan);
        let dtype = arguments.inputs[0].dtype();
        if !admits_planned(arguments, &mut plans, |taken| bytes_of(dtype, taken.shape.iter().product())) {
            return Vec::new();
        }
        vec![take(arguments, &plans, fill)]
    })
}
