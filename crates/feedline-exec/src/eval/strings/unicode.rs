//! How characters of UTF-8 are read, and what is done about what is none.

use feedline_data::block::{Column, Strings};
use feedline_plan::expr::Call;

use super::super::Arguments;
use super::super::rows::{Asked, ask_rows};

/// What is done about what is no character.
#[derive(Clone, Copy)]
pub(super) enum Errors {
    Replace(char),
    Ignore,
    Strict,
}

pub(super) fn replacement(call: &Call) -> char {
    let code = u32::try_from(call.int("replacement_char")).ok();
    code.and_then(char::from_u32).expect("the plan checked that it is a character")
}

impl Errors {
    pub(super) fn of(call: &Call) -> Errors {
        match call.text("errors") {
            "ignore" => Errors::Ignore,
            "strict" => Errors::Strict,
            _ => Errors::Replace(replacement(call)),
        }
    }

    /// What stands for something that is no character.
    pub(super) fn stand_in(self, what: &str) -> Result<Option<char>, String> {
        match self {
            Errors::Replace(character) => Ok(Some(character)),
            Errors::Ignore => Ok(None),
            Errors::Strict => Err(format!("{what} is no character of UTF-8")),
        }
    }
}

/// How strings are read.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) errors: Errors,
    /// What stands for characters below 32, if they are to be replaced.
    pub(super) controls: Option<Errors>,
}

impl Reading {
    /// Calls `each` with every character.
    pub(super) fn read(self, string: &[u8], mut each: impl FnMut(char)) -> Result<(), String> {
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
pub(super) fn ask_characters(
    arguments: &mut Arguments<'_>,
    column: &Column,
    strings: &Strings,
    bytes: usize,
) -> Asked {
    if arguments.asked_from_bytes() == usize::MAX {
        return Asked::Open;
    }
    ask_rows(arguments, |row| {
        let lengths = column.value_range(row..row + 1).map(|index| strings.get(index).len());
        lengths.sum::<usize>().saturating_mul(bytes)
    })
}
