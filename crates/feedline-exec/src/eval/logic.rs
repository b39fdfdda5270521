//! And, or, not.

use super::elementwise::{as_bools, binary, unary};
use super::{Arguments, Value};

pub(super) fn and(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![as_bools(binary::<u8, u8>(arguments, |a, b| a & b))]
}

pub(super) fn or(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![as_bools(binary::<u8, u8>(arguments, |a, b| a | b))]
}

pub(super) fn not(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![as_bools(unary::<u8, u8>(arguments, |a| a ^ 1))]
}
