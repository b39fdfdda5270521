//! Strings cut into bytes.

use super::super::{Arguments, Value};
use super::cuts::cut_within;

pub(super) fn bytes_split(arguments: &mut Arguments<'_>) -> Vec<Value> {
    // A place for each byte, which is many times the bytes.
    let places = |string: &[u8]| string.len();
    cut_within(arguments, places, |string, parts| (0..string.len()).for_each(|at| parts.push(at, at + 1)))
}
