//! The same for images that are drawn: `random_flip_left_right` and `random_flip_up_down`.

use super::super::{Arguments, Value};
use super::random;
use super::views::{COLUMNS, ROWS, each_drawn, turned};

pub(in super::super) fn random_flip_left_right(arguments: &mut Arguments<'_>) -> Vec<Value> {
    random_flip(arguments, COLUMNS)
}

pub(in super::super) fn random_flip_up_down(arguments: &mut Arguments<'_>) -> Vec<Value> {
    random_flip(arguments, ROWS)
}

/// Each image of each row, or turned around.
pub(super) fn random_flip(arguments: &mut Arguments<'_>, axis: usize) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    each_drawn(arguments, |row, index, view| {
        if random::is_flipped(call, ids.get(row), index) { turned(view, axis) } else { view }
    })
}
