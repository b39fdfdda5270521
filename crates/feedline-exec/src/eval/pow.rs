//! Powers.

use feedline_data::{DType, Native};

use super::elementwise::{Aligned, binary, dispatch};
use super::unary::Float;
use super::{Arguments, Value};

pub(super) fn pow(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![match arguments.inputs[0].dtype() {
        DType::Int8 => integers::<i8>(arguments, |value| value as i8),
        DType::Int16 => integers::<i16>(arguments, |value| value as i16),
        DType::Int32 => integers::<i32>(arguments, |value| value as i32),
        DType::Int64 => integers::<i64>(arguments, |value| value),
        float => dispatch!(floats float, T =>
            binary::<T, T>(arguments, |base, power| T::narrow(base.widen().powf(power.widen())))),
    }]
}

/// Powers of integers: 64 bits that wrap around, cut to the type's. Rows with a negative power fail.
fn integers<T: Native + Into<i64>>(arguments: &mut Arguments<'_>, narrow: fn(i64) -> T) -> Value {
    let aligned = Aligned::new(arguments);
    let powers = aligned.columns().1.as_slice::<T>();
    let negative: Vec<usize> = (0..powers.len()).filter(|&place| powers[place].into() < 0).collect();
    for row in aligned.rows_of(arguments, &negative) {
        arguments.fail(row, "integers have no negative powers");
    }
    aligned.apply(|base: T, power: T| narrow(wrapping_power(base.into(), power.into().max(0) as u64)))
}

fn wrapping_power(mut base: i64, mut power: u64) -> i64 {
    let mut product = 1_i64;
    while power > 0 {
        if power & 1 == 1 {
            product = product.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        power >>= 1;
    }
    product
}
