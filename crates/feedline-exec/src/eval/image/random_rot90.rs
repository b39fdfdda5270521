//! Quarters of a turn that are drawn.

use super::super::{Arguments, Value};
use super::random;
use super::views::{each_drawn, turned_by};

pub(in super::super) fn random_rot90(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    each_drawn(arguments, |row, index, view| {
        turned_by(view, i64::from(random::words_of(call, ids.get(row), index, 0)[0] >> 30))
    })
}
