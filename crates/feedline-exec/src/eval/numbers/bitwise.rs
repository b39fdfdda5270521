//! The bits of integers.

use feedline_data::{DType, Native};

use crate::eval::elementwise::{Aligned, as_bools, binary, dispatch, unary};
use crate::eval::{Arguments, Value};

/// Integers that can be moved bit by bit.
trait Bits: Native {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn inverted(self) -> Self;
    fn moved_up(self, places: Self) -> Self;
    fn moved_down(self, places: Self) -> Self;
}

macro_rules! bits {
    ($($rust:ty),*) => {$(
        impl Bits for $rust {
            fn and(self, other: $rust) -> $rust {
                self & other
            }
            fn or(self, other: $rust) -> $rust {
                self | other
            }
            fn xor(self, other: $rust) -> $rust {
                self ^ other
            }
            fn inverted(self) -> $rust {
                !self
            }
            // As TensorFlow's kernels limit it.
            fn moved_up(self, places: $rust) -> $rust {
                self << places.clamp(0, <$rust>::BITS as $rust - 1)
            }
            fn moved_down(self, places: $rust) -> $rust {
                self >> places.clamp(0, <$rust>::BITS as $rust - 1)
            }
        }
    )*};
}

bits!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! pairs {
    ($($name:ident: $function:ident),* $(,)?) => {$(
        pub(super) fn $name(arguments: &mut Arguments<'_>) -> Vec<Value> {
            vec![dispatch!(integers arguments.inputs[0].dtype(), T => binary::<T, T>(arguments, <T as Bits>::$function))]
        }
    )*};
}

pairs! { and: and, or: or, xor: xor, left_shift: moved_up, right_shift: moved_down }

pub(super) fn invert(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![
        dispatch!(integers arguments.inputs[0].dtype(), T => unary::<T, T>(arguments, <T as Bits>::inverted)),
    ]
}

pub(super) fn logical_xor(arguments: &mut Arguments<'_>) -> Vec<Value> {
    debug_assert_eq!(arguments.inputs[0].dtype(), DType::Bool, "the plan checked it");
    vec![as_bools(Aligned::new(arguments).apply(|x: u8, y: u8| x ^ y))]
}
