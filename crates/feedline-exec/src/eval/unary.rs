//! Functions of one number.

use feedline_data::Native;
use half::{bf16, f16};

use super::arithmetic::Number;
use super::elementwise::{as_bools, dispatch, unary};
use super::{Arguments, Value};

/// Numbers that can be negative.
trait Signed: Native {
    fn negated(self) -> Self;
    fn magnitude(self) -> Self;
    fn direction(self) -> Self;
}

macro_rules! integers {
    ($($rust:ty),*) => {$(
        impl Signed for $rust {
            fn negated(self) -> $rust {
                self.wrapping_neg()
            }
            fn magnitude(self) -> $rust {
                self.wrapping_abs()
            }
            fn direction(self) -> $rust {
                self.signum()
            }
        }
    )*};
}

integers!(i8, i16, i32, i64);

/// Floats, by way of double precision, which holds all of them. What is computed there and rounded once is as exact as the
/// type can be, and the same on every machine whose double precision is.
pub(super) trait Float: Native {
    fn widen(self) -> f64;
    fn narrow(value: f64) -> Self;
}

macro_rules! floats {
    ($($rust:ty: $zero:expr, $widen:expr, $narrow:expr);* $(;)?) => {$(
        impl Signed for $rust {
            fn negated(self) -> $rust {
                -self
            }
            fn magnitude(self) -> $rust {
                <$rust>::from_bits(self.to_bits() & (<$rust>::to_bits(-$zero) - 1))
            }
            // Both zeros give the positive one, as TensorFlow's do.
            fn direction(self) -> $rust {
                if self.is_nan() { self } else if self == $zero { $zero } else { self.signum() }
            }
        }

        impl Float for $rust {
            fn widen(self) -> f64 {
                $widen(self)
            }
            fn narrow(value: f64) -> $rust {
                $narrow(value)
            }
        }
    )*};
}

floats! {
    f16: f16::ZERO, f16::to_f64, f16::from_f64;
    bf16: bf16::ZERO, bf16::to_f64, bf16::from_f64;
    f32: 0.0_f32, f64::from, |value| value as f32;
    f64: 0.0_f64, std::convert::identity, std::convert::identity;
}

pub(super) fn negative(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(signed arguments.inputs[0].dtype(), T => unary(arguments, <T as Signed>::negated))]
}

pub(super) fn abs(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(signed arguments.inputs[0].dtype(), T => unary(arguments, <T as Signed>::magnitude))]
}

pub(super) fn sign(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(signed arguments.inputs[0].dtype(), T => unary(arguments, <T as Signed>::direction))]
}

pub(super) fn square(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![
        dispatch!(numbers arguments.inputs[0].dtype(), T => unary::<T, T>(arguments, |value| value.times(value))),
    ]
}

pub(super) fn round(arguments: &mut Arguments<'_>) -> Vec<Value> {
    if arguments.inputs[0].dtype().is_integer() {
        return vec![arguments.inputs[0].clone()];
    }
    floats(arguments, f64::round_ties_even)
}

/// The functions of floats, each a function of double precision.
macro_rules! functions {
    ($($name:ident: $function:expr),* $(,)?) => {$(
        pub(super) fn $name(arguments: &mut Arguments<'_>) -> Vec<Value> {
            floats(arguments, $function)
        }
    )*};
}

functions! {
    sqrt: f64::sqrt,
    rsqrt: |value| 1.0 / value.sqrt(),
    exp: f64::exp,
    log: f64::ln,
    log1p: f64::ln_1p,
    floor: f64::floor,
    ceil: f64::ceil,
}

/// A function by pointer: a call for each value, but four loops in all instead of four for each function.
pub(super) fn floats(arguments: &mut Arguments<'_>, function: fn(f64) -> f64) -> Vec<Value> {
    vec![dispatch!(floats arguments.inputs[0].dtype(), T =>
        unary::<T, T>(arguments, |value| T::narrow(function(value.widen()))))]
}

pub(super) fn is_nan(arguments: &mut Arguments<'_>) -> Vec<Value> {
    checks(arguments, f64::is_nan)
}

pub(super) fn is_finite(arguments: &mut Arguments<'_>) -> Vec<Value> {
    checks(arguments, f64::is_finite)
}

pub(super) fn is_inf(arguments: &mut Arguments<'_>) -> Vec<Value> {
    checks(arguments, f64::is_infinite)
}

fn checks(arguments: &mut Arguments<'_>, check: fn(f64) -> bool) -> Vec<Value> {
    vec![as_bools(dispatch!(floats arguments.inputs[0].dtype(), T =>
        unary::<T, u8>(arguments, |value| u8::from(check(value.widen())))))]
}
