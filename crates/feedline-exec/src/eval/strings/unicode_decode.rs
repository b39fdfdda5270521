//! Characters of strings, as numbers.

use feedline_data::block::Column;

use super::super::rows::{Asked, once_for_constants};
use super::super::{Arguments, Value};
use super::each::{row_of, strings_of};
use super::ragged::lists;
use super::unicode::{Errors, Reading, ask_characters, replacement};

pub(super) fn decode(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let errors = Errors::of(call);
    // Where bytes are strictly checked, control characters are replaced all the same: TensorFlow's rule, for numbers alone.
    let controls = match errors {
        Errors::Strict => Errors::Replace(replacement(call)),
        other => other,
    };
    let reading = Reading { errors, controls: call.flag("replace_control_characters").then_some(controls) };
    once_for_constants(arguments, |arguments| {
        let (column, strings) = strings_of(arguments);
        let asked = ask_characters(arguments, column, strings, size_of::<i32>());
        if asked == Asked::Stopped {
            return Vec::new();
        }
        let (mut characters, mut counts) =
            (Vec::with_capacity(strings.num_bytes()), Vec::with_capacity(strings.len()));
        for (index, string) in strings.iter().enumerate() {
            let first = characters.len();
            if asked == Asked::Open
                && let Err(reason) = reading.read(string, |character| characters.push(character as i32))
            {
                arguments.fail(row_of(column, index), &reason);
            }
            counts.push(characters.len() - first);
        }
        let values = Column::from_vec(vec![], characters.len(), characters);
        lists(arguments, column, &counts, values)
    })
}
