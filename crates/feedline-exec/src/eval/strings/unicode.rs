//! Characters of UTF-8, in and out of strings.

use feedline_data::DType;
use feedline_data::block::{Column, Strings, StringsBuilder};
use feedline_plan::expr::Call;

use super::super::rows::{Asked, RowsOf, ask_rows, bytes_of, once_for_constants};
use super::super::{Arguments, Value};
use super::each::{each_string, row_of, strings_of};
use super::ragged::lists;

/// What is done about what is no character.
#[derive(Clone, Copy)]
enum Errors {
    Replace(char),
    Ignore,
    Strict,
}

fn replacement(call: &Call) -> char {
    let code = u32::try_from(call.int("replacement_char")).ok();
    code.and_then(char::from_u32).expect("the plan checked that it is a character")
}

impl Errors {
    fn of(call: &Call) -> Errors {
        match call.text("errors") {
            "ignore" => Errors::Ignore,
            "strict" => Errors::Strict,
            _ => Errors::Replace(replacement(call)),
        }
    }

    /// What stands for something that is no character.
    fn stand_in(self, what: &str) -> Result<Option<char>, String> {
        match self {
            Errors::Replace(character) => Ok(Some(character)),
            Errors::Ignore => Ok(None),
            Errors::Strict => Err(format!("{what} is no character of UTF-8")),
        }
    }
}

/// How strings are read.
#[derive(Clone, Copy)]
struct Reading {
    errors: Errors,
    /// What stands for characters below 32, if they are to be replaced.
    controls: Option<Errors>,
}

impl Reading {
    /// Calls `each` with every character.
    fn read(self, string: &[u8], mut each: impl FnMut(char)) -> Result<(), String> {
        for chunk in string.utf8_chunks() {
            for character in chunk.valid().chars() {
                match self.controls.filter(|_| u32::from(character) < 32) {
                    None => each(character),
                    Some(errors) => errors.stand_in("a control character")?.into_iter().for_each(&mut each),
                }
            }
            if !chunk.invalid().is_empty() {
                let what = format!("'{}'", chunk.invalid().escape_ascii());
                self.errors.stand_in(&what)?.into_iter().for_each(&mut each);
            }
        }
        Ok(())
    }
}

/// Asks for a character of `bytes` for each byte of the strings: there is memory for so many while they are read.
fn ask_characters(arguments: &mut Arguments<'_>, column: &Column, strings: &Strings, bytes: usize) -> Asked {
    if arguments.asked_from_bytes() == usize::MAX {
        return Asked::Open;
    }
    ask_rows(arguments, |row| {
        let lengths = column.value_range(row..row + 1).map(|index| strings.get(index).len());
        lengths.sum::<usize>().saturating_mul(bytes)
    })
}

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

pub(super) fn transcode(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let errors = Errors::of(arguments.call);
    let replaces_controls = arguments.call.flag("replace_control_characters");
    let reading = Reading { errors, controls: replaces_controls.then_some(errors) };
    each_string(arguments, |string, bytes| {
        reading.read(string, |character| {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        })
    })
}

pub(super) fn encode(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let errors = Errors::of(arguments.call);
    once_for_constants(arguments, |arguments| {
        let column = RowsOf::new(arguments.inputs[0]).column();
        let codes = column.as_slice::<i32>();
        let mut strings = StringsBuilder::with_capacity(column.rows(), codes.len());
        let mut shapes = Vec::with_capacity(column.rows());
        for row in 0..column.rows() {
            let Some((&width, outer)) = column.shape(row).split_last() else {
                arguments.fail(row, "takes lists of characters, not one number");
                shapes.push(vec![0]);
                continue;
            };
            let codes = &codes[column.value_range(row..row + 1)];
            for place in 0..outer.iter().product() {
                let written = strings.push_with(|bytes| {
                    codes[place * width..(place + 1) * width].iter().try_for_each(|&code| {
                        let character = u32::try_from(code).ok().and_then(char::from_u32);
                        let character = match character {
                            Some(character) => Some(character),
                            None => errors.stand_in(&format!("the number {code}"))?,
                        };
                        if let Some(character) = character {
                            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                        }
                        Ok::<(), String>(())
                    })
                });
                if let Err(reason) = written {
                    arguments.fail(row, &reason);
                }
            }
            shapes.push(outer.to_vec());
        }
        vec![Column::from_strings(vec![], strings.len(), strings.finish()).with_shapes(shapes)]
    })
}
