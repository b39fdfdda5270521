//! A state taken through the entries of a dimension.

use super::held;
use super::repeated::fold;
use crate::eval::{Arguments, Value};

pub(super) fn foldl(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let folded = fold(arguments, false).expect("nothing is asked for before the end");
    held(arguments, folded.last)
}
