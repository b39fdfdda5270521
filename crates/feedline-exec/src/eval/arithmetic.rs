//! Sums, differences, products, quotients, and the smaller and larger of two.

use half::{bf16, f16};

use super::elementwise::{Aligned, binary, dispatch};
use super::{Arguments, Value};

/// What numbers of every type can do, each by TensorFlow's rule for its type.
pub(super) trait Number: feedline_data::Native {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// An integer divided by zero is 0 here; [`divide`] fails its row.
    fn floor_div(self, other: Self) -> Self;
    fn floor_mod(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
    fn larger(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($rust:ty: $signed:literal),*) => {$(
        impl Number for $rust {
            fn plus(self, other: $rust) -> $rust {
                self.wrapping_add(other)
            }
            fn minus(self, other: $rust) -> $rust {
                self.wrapping_sub(other)
            }
            fn times(self, other: $rust) -> $rust {
                self.wrapping_mul(other)
            }
            fn floor_div(self, other: $rust) -> $rust {
                let quotient = if other == 0 { return 0 } else { self.wrapping_div(other) };
                // Rust cuts towards zero; below zero with a remainder the floor is one less.
                let is_cut_up = $signed && self.wrapping_rem(other) != 0 && (self ^ other) >> (<$rust>::BITS - 1) != 0;
                if is_cut_up { quotient.wrapping_sub(1) } else { quotient }
            }
            fn floor_mod(self, other: $rust) -> $rust {
                let rest = if other == 0 { return 0 } else { self.wrapping_rem(other) };
                let is_wrong_sign = $signed && rest != 0 && (rest ^ other) >> (<$rust>::BITS - 1) != 0;
                if is_wrong_sign { rest.wrapping_add(other) } else { rest }
            }
            fn smaller(self, other: $rust) -> $rust {
                self.min(other)
            }
            fn larger(self, other: $rust) -> $rust {
                self.max(other)
            }
        }
    )*};
}

integers!(i8: true, i16: true, i32: true, i64: true, u8: false, u16: false, u32: false, u64: false);

macro_rules! floats {
    ($($rust:ty: $widen:expr, $narrow:expr);* $(;)?) => {$(
        impl Number for $rust {
            fn plus(self, other: $rust) -> $rust {
                self + other
            }
            fn minus(self, other: $rust) -> $rust {
                self - other
            }
            fn times(self, other: $rust) -> $rust {
                self * other
            }
            fn floor_div(self, other: $rust) -> $rust {
                $narrow(($widen(self) / $widen(other)).floor())
            }
            fn floor_mod(self, other: $rust) -> $rust {
                let (dividend, divisor) = ($widen(self), $widen(other));
                let rest = dividend % divisor;
                $narrow(if rest != 0.0 && (rest < 0.0) != (divisor < 0.0) { rest + divisor } else { rest })
            }
            // Not a number on either side gives not a number, as in TensorFlow.
            fn smaller(self, other: $rust) -> $rust {
                if self < other || self.is_nan() { self } else { other }
            }
            fn larger(self, other: $rust) -> $rust {
                if self > other || self.is_nan() { self } else { other }
            }
        }
    )*};
}

floats! {
    f16: f16::to_f32, f16::from_f32;
    bf16: bf16::to_f32, bf16::from_f32;
    f32: std::convert::identity::<f32>, std::convert::identity::<f32>;
    f64: std::convert::identity::<f64>, std::convert::identity::<f64>;
}

pub(super) fn add(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => binary::<T, T>(arguments, T::plus))]
}

pub(super) fn subtract(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => binary::<T, T>(arguments, T::minus))]
}

pub(super) fn multiply(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => binary::<T, T>(arguments, T::times))]
}

pub(super) fn minimum(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => binary::<T, T>(arguments, T::smaller))]
}

pub(super) fn maximum(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => binary::<T, T>(arguments, T::larger))]
}

pub(super) fn truediv(arguments: &mut Arguments<'_>) -> Vec<Value> {
    use feedline_data::DType;
    vec![match arguments.inputs[0].dtype() {
        DType::Int8 => binary::<i8, f32>(arguments, |a, b| f32::from(a) / f32::from(b)),
        DType::Int16 => binary::<i16, f32>(arguments, |a, b| f32::from(a) / f32::from(b)),
        DType::UInt8 => binary::<u8, f32>(arguments, |a, b| f32::from(a) / f32::from(b)),
        DType::UInt16 => binary::<u16, f32>(arguments, |a, b| f32::from(a) / f32::from(b)),
        DType::Int32 => binary::<i32, f64>(arguments, |a, b| f64::from(a) / f64::from(b)),
        DType::UInt32 => binary::<u32, f64>(arguments, |a, b| f64::from(a) / f64::from(b)),
        DType::Int64 => binary::<i64, f64>(arguments, |a, b| a as f64 / b as f64),
        DType::UInt64 => binary::<u64, f64>(arguments, |a, b| a as f64 / b as f64),
        float => dispatch!(floats float, T => binary::<T, T>(arguments, |a, b| a / b)),
    }]
}

pub(super) fn floordiv(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let aligned = divide(arguments);
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => aligned.apply(T::floor_div))]
}

pub(super) fn floormod(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let aligned = divide(arguments);
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => aligned.apply(T::floor_mod))]
}

/// The two sides of a division: rows in which an integer is divided by zero fail.
fn divide(arguments: &mut Arguments<'_>) -> Aligned {
    let aligned = Aligned::new(arguments);
    let divisor = aligned.columns().1;
    if divisor.dtype().is_integer() {
        let zeros = dispatch!(widths divisor.dtype(), Word => {
            let values = divisor.buffer().expect("numbers lie in a buffer").as_slice::<Word>();
            (0..values.len()).filter(|&place| values[place] == 0).collect::<Vec<usize>>()
        });
        for row in aligned.rows_of(arguments, &zeros) {
            arguments.fail(row, "division by zero");
        }
    }
    aligned
}
