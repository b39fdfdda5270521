//! Entries taken by their places in several dimensions.

use super::entries::Entries;
use super::places::entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn gather_nd(arguments: &mut Arguments<'_>) -> Vec<Value> {
    by_ints(arguments, &[1], None, |shapes, ints| {
        let entries = entries(shapes[0], shapes[1], ints[0])?;
        let count = shapes[0][..shapes[1].last().copied().unwrap_or(0)].iter().product();
        Ok(Taken {
            shape: entries.shape,
            dims: vec![count, entries.size],
            entries: vec![Entries::List(entries.numbers), Entries::Range(0..entries.size)],
        })
    })
}
