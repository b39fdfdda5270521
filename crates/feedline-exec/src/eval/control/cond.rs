//! One of two functions, by a bool.

use super::choice::choose;
use crate::eval::{Arguments, Value};

pub(super) fn cond(arguments: &mut Arguments<'_>) -> Vec<Value> {
    choose(arguments, |holds| usize::from(holds == 0))
}
