//! Powers as shares of their sum: `softmax` and `log_softmax`.

use super::rescaled::rescaled;
use crate::eval::{Arguments, Value};

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
pub(super) fn powers(values: &[f64]) -> (f64, f64) {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (most, values.iter().map(|value| (value - most).exp()).sum())
}

pub(super) fn scaled(arguments: &mut Arguments<'_>, scale: fn(&mut [f64])) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    rescaled(arguments, Some(&[axis]), scale)
}
