//! Strings cut into several, which share their memory.

use feedline_data::DType;
use feedline_data::block::{Column, Parts};

use super::super::rows::{Asked, ask_rows, bytes_of, once_for_constants};
use super::super::{Arguments, Value};
use super::each::strings_of;
use super::ragged::lists;

/// The parts of one string.
pub(super) struct Cuts<'a, 'b> {
    pub(super) parts: &'a mut Parts<'b>,
    pub(super) index: usize,
}

impl Cuts<'_, '_> {
    #[inline]
    pub(super) fn push(&mut self, start: usize, end: usize) {
        self.parts.push(self.index, start..end);
    }
}

/// Cuts each string into parts, of which there are no more than `count` says; they are asked for.
pub(super) fn cut_within(
    arguments: &mut Arguments<'_>,
    count: impl Fn(&[u8]) -> usize,
    parts_of: impl Fn(&[u8], &mut Cuts<'_, '_>),
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (column, strings) = strings_of(arguments);
        let asked = if arguments.asked_from_bytes() == usize::MAX {
            Asked::Open
        } else {
            ask_rows(arguments, |row| {
                let strings = column.value_range(row..row + 1).map(|index| strings.get(index));
                bytes_of(DType::String, strings.map(&count).sum())
            })
        };
        if asked == Asked::Stopped {
            return Vec::new();
        }
        let mut parts = strings.parts(strings.len());
        let mut counts = Vec::with_capacity(strings.len());
        for (index, string) in strings.iter().enumerate() {
            let before = parts.len();
            if asked == Asked::Open {
                parts_of(string, &mut Cuts { parts: &mut parts, index });
            }
            counts.push(parts.len() - before);
        }
        let values = Column::from_strings(vec![], parts.len(), parts.finish());
        lists(arguments, column, &counts, values)
    })
}
