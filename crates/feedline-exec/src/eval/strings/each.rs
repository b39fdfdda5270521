//! One value for each string.

use feedline_data::Native;
use feedline_data::block::{Column, Strings, StringsBuilder};

use super::super::elementwise::like;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

/// The first input, and its strings.
pub(super) fn strings_of<'a>(arguments: &Arguments<'a>) -> (&'a Column, &'a Strings) {
    let column = RowsOf::new(arguments.inputs[0]).column();
    (column, column.strings().expect("the plan lets only strings come here"))
}

/// A string for each of the first input: what `write` adds to the bytes it gets. Where it fails, so does the row.
pub(in crate::eval) fn each_string(
    arguments: &mut Arguments<'_>,
    write: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), String>,
) -> Vec<Value> {
    each_string_in(arguments, Strings::num_bytes, write)
}

/// As [`each_string`], with room for as many bytes as `room` says: for operations whose results are longer than what they are of.
pub(in crate::eval) fn each_string_in(
    arguments: &mut Arguments<'_>,
    room: impl Fn(&Strings) -> usize,
    mut write: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), String>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (column, strings) = strings_of(arguments);
        let mut results = StringsBuilder::with_capacity(strings.len(), room(strings));
        let (mut num_bytes, asked_from) = (0, arguments.asked_from_bytes());
        for (index, string) in strings.iter().enumerate() {
            let written = results.push_with(|bytes| {
                let start = bytes.len();
                let written = write(string, bytes);
                num_bytes += bytes.len() - start;
                written
            });
            if let Err(reason) = written {
                arguments.fail(row_of(column, index), &reason);
            }
            if num_bytes > asked_from && !arguments.admits(row_of(column, index), num_bytes) {
                return Vec::new();
            }
        }
        vec![like(column, Column::from_strings(vec![], strings.len(), results.finish()))]
    })
}

/// A number for each string of the first input; 0 where `number` fails, and so does the row.
pub(in crate::eval) fn each_number<T: Native + Default>(
    arguments: &mut Arguments<'_>,
    mut number: impl FnMut(&[u8]) -> Result<T, String>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (column, strings) = strings_of(arguments);
        let mut values = Vec::with_capacity(strings.len());
        for (index, string) in strings.iter().enumerate() {
            values.push(number(string).unwrap_or_else(|reason| {
                arguments.fail(row_of(column, index), &reason);
                T::default()
            }));
        }
        vec![like(column, Column::from_vec(vec![], values.len(), values))]
    })
}

/// The row that value number `index` of a column belongs to.
pub(super) fn row_of(column: &Column, index: usize) -> usize {
    if let Some(shape) = column.common_shape() {
        return index / shape.iter().product::<usize>().max(1);
    }
    let (mut low, mut high) = (0, column.rows());
    while low + 1 < high {
        let middle = low.midpoint(high);
        if column.value_range(0..middle).end <= index { low = middle } else { high = middle }
    }
    low
}

/// A string as errors show it: its first bytes.
pub(in crate::eval) fn shown(string: &[u8]) -> String {
    const MAX_BYTES: usize = 40;
    let more = if string.len() > MAX_BYTES { "…" } else { "" };
    format!("'{}{more}'", string[..string.len().min(MAX_BYTES)].escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_rows() {
        let same = Column::from_vec(vec![2], 3, vec![0_i32; 6]);
        assert_eq!((0..6).map(|index| row_of(&same, index)).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2]);
        let each = Column::from_vec(vec![], 5, vec![0_i32; 5]).with_shapes(vec![
            vec![0],
            vec![2],
            vec![0],
            vec![1, 1],
            vec![2],
        ]);
        assert_eq!((0..5).map(|index| row_of(&each, index)).collect::<Vec<_>>(), [1, 1, 3, 4, 4]);
    }
}
