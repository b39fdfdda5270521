//! Spread, length, and the logarithm of sums of powers: each in double precision, rounded once.

use crate::eval::arithmetic::Number;
use crate::eval::elementwise::dispatch;
use crate::eval::reduce::{by_group, reduce};
use crate::eval::unary::Float;
use crate::eval::{Arguments, Value};

macro_rules! reductions {
    ($($name:ident: $function:expr),* $(,)?) => {$(
        pub(super) fn $name(arguments: &mut Arguments<'_>) -> Vec<Value> {
            reduced(arguments, $function)
        }
    )*};
}

reductions! {
    variance: mean_square,
    deviation: |values| mean_square(values).sqrt(),
    logsumexp: log_of_powers,
    float_norm: |values| values.iter().map(|value| value * value).sum::<f64>().sqrt(),
}

#[allow(clippy::cast_lossless, reason = "one line for all types of integers, of which two have no other way")]
pub(super) fn euclidean_norm(arguments: &mut Arguments<'_>) -> Vec<Value> {
    if arguments.inputs[0].dtype().is_float() {
        return float_norm(arguments);
    }
    reduce(arguments, |column, groups| {
        // As TensorFlow's, squares and their sum wrap around; what is no square of a number is 0.
        dispatch!(integers column.dtype(), T => by_group::<T, T>(column, groups, |values| {
            let sum = values.iter().fold(T::default(), |sum, &value| sum.plus(value.times(value)));
            (sum as f64).sqrt() as T
        }))
    })
}

fn reduced(arguments: &mut Arguments<'_>, function: fn(&[f64]) -> f64) -> Vec<Value> {
    reduce(arguments, |column, groups| {
        dispatch!(floats column.dtype(), T => by_group::<T, T>(column, groups, |values| {
            let wide: Vec<f64> = values.iter().map(|&value| value.widen()).collect();
            T::narrow(function(&wide))
        }))
    })
}

/// The mean of the squared distances from the mean.
fn mean_square(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count
}

fn log_of_powers(values: &[f64]) -> f64 {
    // Powers of what is left of the largest are 1 at most.
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let most = if most.is_finite() { most } else { 0.0 };
    values.iter().map(|value| (value - most).exp()).sum::<f64>().ln() + most
}
