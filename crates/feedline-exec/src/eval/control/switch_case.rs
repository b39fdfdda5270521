//! One of several functions, by a number.

use super::choice::choose;
use crate::eval::{Arguments, Value};

pub(super) fn switch_case(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let last = arguments.bodies.len() - 1;
    choose(arguments, |index| usize::try_from(index).map_or(last, |index| index.min(last)))
}
