//! Values divided by the length of their run.

use super::rescaled::rescaled;
use crate::eval::{Arguments, Value};

pub(super) fn l2_normalize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (axes, epsilon) = (arguments.call.ints("axis"), arguments.call.float("epsilon"));
    rescaled(arguments, axes.as_deref(), |values| {
        let sum: f64 = values.iter().map(|value| value * value).sum();
        let length = if sum < epsilon { epsilon } else { sum }.sqrt();
        values.iter_mut().for_each(|value| *value /= length);
    })
}
