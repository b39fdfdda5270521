//! Strings as UTF-8, with something in the place of what is no character.

use super::super::{Arguments, Value};
use super::each::each_string;
use super::unicode::{Errors, Reading};

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
