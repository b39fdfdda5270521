//! Spread, length, and the logarithm of sums of powers: each in double precision, rounded once.

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
    euclidean_norm: |values| values.iter().map(|value| value * value).sum::<f64>().sqrt(),
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
