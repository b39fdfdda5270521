//! One more dimension, of size 1.

use feedline_plan::expr::axis_index;

use super::moves::View;
use super::view::views;
use super::{Arguments, Value};

pub(super) fn expand_dims(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    views(arguments, |shape| {
        let mut expanded = shape.to_vec();
        expanded.insert(axis_index(axis, shape.len() + 1)?, 1);
        Ok(View::whole(&expanded))
    })
}
