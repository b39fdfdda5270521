//! Kernels of numbers: what the catalogue's list of that name computes, and the bits of integers.

mod along;
mod bitwise;
mod bucketize;
mod cumulative;
mod einsum;
mod extremes;
mod floats;
mod l2_normalize;
mod matmul;
mod moments;
mod order;
mod rescaled;
mod searchsorted;
mod softmax;
mod sort;
mod top_k;

use half::{bf16, f16};

use super::Kernel;
use super::arithmetic::Number;

/// The kernel of each operation of numbers.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("sin", floats::sin),
    ("cos", floats::cos),
    ("tan", floats::tan),
    ("asin", floats::asin),
    ("acos", floats::acos),
    ("atan", floats::atan),
    ("atan2", floats::atan2),
    ("sinh", floats::sinh),
    ("cosh", floats::cosh),
    ("tanh", floats::tanh),
    ("asinh", floats::asinh),
    ("acosh", floats::acosh),
    ("atanh", floats::atanh),
    ("sigmoid", floats::sigmoid),
    ("softplus", floats::softplus),
    ("expm1", floats::expm1),
    ("reciprocal", floats::reciprocal),
    ("squared_difference", floats::squared_difference),
    ("divide_no_nan", floats::divide_no_nan),
    ("logical_xor", bitwise::logical_xor),
    ("reduce_variance", moments::variance),
    ("reduce_std", moments::deviation),
    ("reduce_logsumexp", moments::logsumexp),
    ("reduce_euclidean_norm", moments::euclidean_norm),
    ("argmax", extremes::argmax),
    ("argmin", extremes::argmin),
    ("softmax", softmax::softmax),
    ("log_softmax", softmax::log_softmax),
    ("l2_normalize", l2_normalize::l2_normalize),
    ("cumsum", cumulative::cumsum),
    ("cumprod", cumulative::cumprod),
    ("sort", sort::sort),
    ("argsort", sort::argsort),
    ("top_k", top_k::top_k),
    ("searchsorted", searchsorted::searchsorted),
    ("bucketize", bucketize::bucketize),
    ("matmul", matmul::matmul),
    ("einsum", einsum::einsum),
    ("bitwise.bitwise_and", bitwise::and),
    ("bitwise.bitwise_or", bitwise::or),
    ("bitwise.bitwise_xor", bitwise::xor),
    ("bitwise.invert", bitwise::invert),
    ("bitwise.left_shift", bitwise::left_shift),
    ("bitwise.right_shift", bitwise::right_shift),
];

/// Numbers that are added up, some of them in a wider type that is rounded once.
trait Summed: Number {
    /// The type of sums.
    type Sum: Number;
    fn to_sum(self) -> Self::Sum;
    fn of_sum(sum: Self::Sum) -> Self;
    const ZERO: Self::Sum;
    const ONE: Self::Sum;
}

macro_rules! summed {
    ($($rust:ty: $sum:ty, $zero:expr, $one:expr, $widen:expr, $narrow:expr);* $(;)?) => {$(
        impl Summed for $rust {
            type Sum = $sum;
            fn to_sum(self) -> $sum {
                $widen(self)
            }
            fn of_sum(sum: $sum) -> $rust {
                $narrow(sum)
            }
            const ZERO: $sum = $zero;
            const ONE: $sum = $one;
        }
    )*};
    (same $($rust:ty: $zero:expr, $one:expr);* $(;)?) => {
        summed! { $($rust: $rust, $zero, $one, std::convert::identity, std::convert::identity);* }
    };
}

summed! { same i8: 0, 1; i16: 0, 1; i32: 0, 1; i64: 0, 1; u8: 0, 1; u16: 0, 1; u32: 0, 1; u64: 0, 1; f32: 0.0, 1.0; f64: 0.0, 1.0 }
summed! {
    f16: f32, 0.0, 1.0, f16::to_f32, f16::from_f32;
    bf16: f32, 0.0, 1.0, bf16::to_f32, bf16::from_f32;
}
