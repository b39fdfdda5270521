//! Functions of floats, computed in double precision and rounded once.

use crate::eval::arithmetic::Number;
use crate::eval::elementwise::{binary, dispatch};
use crate::eval::unary::{Float, floats};
use crate::eval::{Arguments, Value};

macro_rules! functions {
    ($($name:ident: $function:expr),* $(,)?) => {$(
        pub(super) fn $name(arguments: &mut Arguments<'_>) -> Vec<Value> {
            floats(arguments, $function)
        }
    )*};
}

functions! {
    sin: f64::sin,
    cos: f64::cos,
    tan: f64::tan,
    asin: f64::asin,
    acos: f64::acos,
    atan: f64::atan,
    sinh: f64::sinh,
    cosh: f64::cosh,
    tanh: f64::tanh,
    asinh: f64::asinh,
    acosh: f64::acosh,
    atanh: f64::atanh,
    sigmoid: |value| 1.0 / (1.0 + (-value).exp()),
    // Nothing is larger than the float it began with, where exp is.
    softplus: |value| value.max(0.0) + (-value.abs()).exp().ln_1p() + if value.is_nan() { value } else { 0.0 },
    expm1: f64::exp_m1,
    reciprocal: |value| 1.0 / value,
}

pub(super) fn atan2(arguments: &mut Arguments<'_>) -> Vec<Value> {
    pairs(arguments, f64::atan2)
}

pub(super) fn divide_no_nan(arguments: &mut Arguments<'_>) -> Vec<Value> {
    pairs(arguments, |x, y| if y == 0.0 { 0.0 } else { x / y })
}

fn pairs(arguments: &mut Arguments<'_>, function: fn(f64, f64) -> f64) -> Vec<Value> {
    vec![dispatch!(floats arguments.inputs[0].dtype(), T =>
        binary::<T, T>(arguments, |x, y| T::narrow(function(x.widen(), y.widen()))))]
}

pub(super) fn squared_difference(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => binary::<T, T>(arguments, |x, y| {
        let difference = x.minus(y);
        difference.times(difference)
    }))]
}
