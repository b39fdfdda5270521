//! Sums and products of what comes first, and values scaled by all of their run.

use super::Summed;
use super::along::{along, by_run};
use crate::eval::arithmetic::Number;
use crate::eval::elementwise::dispatch;
use crate::eval::unary::Float;
use crate::eval::{Arguments, Value};

pub(super) fn cumsum(arguments: &mut Arguments<'_>) -> Vec<Value> {
    scan::<false>(arguments)
}

pub(super) fn cumprod(arguments: &mut Arguments<'_>) -> Vec<Value> {
    scan::<true>(arguments)
}

fn scan<const IS_PRODUCT: bool>(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let (is_exclusive, is_reversed) = (call.flag("exclusive"), call.flag("reverse"));
    along(arguments, Some(&[call.int("axis")]), Ok, |column, runs| {
        vec![dispatch!(numbers column.dtype(), T => by_run::<T, T>(column, runs, |values, results| {
            let start = results.len();
            results.extend_from_slice(values);
            let own = &mut results[start..];
            if is_reversed {
                own.reverse();
            }
            let mut total = if IS_PRODUCT { <T as Summed>::ONE } else { <T as Summed>::ZERO };
            for value in own.iter_mut() {
                let before = total;
                total = if IS_PRODUCT { total.times(value.to_sum()) } else { total.plus(value.to_sum()) };
                *value = T::of_sum(if is_exclusive { before } else { total });
            }
            if is_reversed {
                own.reverse();
            }
        }))]
    })
}

pub(super) fn softmax(arguments: &mut Arguments<'_>) -> Vec<Value> {
    scaled(arguments, |values| {
        let (most, sum) = powers(values);
        values.iter_mut().for_each(|value| *value = (*value - most).exp() / sum);
    })
}

pub(super) fn log_softmax(arguments: &mut Arguments<'_>) -> Vec<Value> {
    scaled(arguments, |values| {
        let (most, sum) = powers(values);
        values.iter_mut().for_each(|value| *value = *value - most - sum.ln());
    })
}

/// The largest value, and the sum of the powers of what each is away from it.
fn powers(values: &[f64]) -> (f64, f64) {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (most, values.iter().map(|value| (value - most).exp()).sum())
}

fn scaled(arguments: &mut Arguments<'_>, scale: fn(&mut [f64])) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    rescaled(arguments, Some(&[axis]), scale)
}

pub(super) fn l2_normalize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (axes, epsilon) = (arguments.call.ints("axis"), arguments.call.float("epsilon"));
    rescaled(arguments, axes.as_deref(), |values| {
        let sum: f64 = values.iter().map(|value| value * value).sum();
        let length = if sum < epsilon { epsilon } else { sum }.sqrt();
        values.iter_mut().for_each(|value| *value /= length);
    })
}

fn rescaled(arguments: &mut Arguments<'_>, axes: Option<&[i64]>, scale: impl Fn(&mut [f64])) -> Vec<Value> {
    along(arguments, axes, Ok, |column, runs| {
        vec![dispatch!(floats column.dtype(), T => by_run::<T, T>(column, runs, |values, results| {
            let mut wide: Vec<f64> = values.iter().map(|&value| value.widen()).collect();
            scale(&mut wide);
            results.extend(wide.into_iter().map(T::narrow));
        }))]
    })
}
