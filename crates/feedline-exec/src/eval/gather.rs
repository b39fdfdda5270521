//! Entries picked by computed indices.

use super::gathered::gathered;
use super::{Arguments, Value};

pub(super) fn gather(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    gathered(arguments, Some(axis), 0)
}
