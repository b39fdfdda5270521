//! Characters of strings, each a string.

use feedline_data::DType;
use feedline_data::block::{Column, StringsBuilder};

use super::super::rows::{Asked, bytes_of, once_for_constants};
use super::super::{Arguments, Value};
use super::each::{row_of, strings_of};
use super::ragged::lists;
use super::unicode::{Errors, Reading, ask_characters};

pub(super) fn split(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let reading = Reading { errors: Errors::of(arguments.call), controls: None };
    once_for_constants(arguments, |arguments| {
        let (column, strings) = strings_of(arguments);
        let asked = ask_characters(arguments, column, strings, bytes_of(DType::String, 1));
        if asked == Asked::Stopped {
            return Vec::new();
        }
        let mut characters = StringsBuilder::with_capacity(strings.num_bytes(), strings.num_bytes());
        let mut counts = Vec::with_capacity(strings.len());
        for (index, string) in strings.iter().enumerate() {
            let first = characters.len();
            let each = |character: char| characters.push(character.encode_utf8(&mut [0; 4]).as_bytes());
            if asked == Asked::Open
                && let Err(reason) = reading.read(string, each)
            {
                arguments.fail(row_of(column, index), &reason);
            }
            counts.push(characters.len() - first);
        }
        let values = Column::from_strings(vec![], characters.len(), characters.finish());
        lists(arguments, column, &counts, values)
    })
}
