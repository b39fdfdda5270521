//! Letters as other letters.

use feedline_data::block::Column;

use super::super::elementwise::like;
use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::each::{each_string, strings_of};

pub(super) fn lower(arguments: &mut Arguments<'_>) -> Vec<Value> {
    change(arguments, <[u8]>::make_ascii_lowercase, str::to_lowercase)
}

pub(super) fn upper(arguments: &mut Arguments<'_>) -> Vec<Value> {
    change(arguments, <[u8]>::make_ascii_uppercase, str::to_uppercase)
}

fn change(arguments: &mut Arguments<'_>, ascii: fn(&mut [u8]), unicode: fn(&str) -> String) -> Vec<Value> {
    let is_utf8 = arguments.call.text("encoding") == "utf-8";
    if !is_utf8 || strings_of(arguments).1.iter().all(<[u8]>::is_ascii) {
        return once_for_constants(arguments, |arguments| {
            let (column, strings) = strings_of(arguments);
            vec![like(column, Column::from_strings(vec![], strings.len(), strings.with_bytes_changed(ascii)))]
        });
    }
    each_string(arguments, |string, bytes| {
        bytes.extend_from_slice(unicode(&String::from_utf8_lossy(string)).as_bytes());
        Ok(())
    })
}
