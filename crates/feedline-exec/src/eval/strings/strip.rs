//! Strings without white space at their ends, in the memory they share.

use feedline_data::block::Column;

use super::super::elementwise::like;
use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::each::strings_of;
use super::spaces::stripped;

pub(super) fn strip(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (column, strings) = strings_of(arguments);
        let mut parts = strings.parts(strings.len());
        strings.iter().enumerate().for_each(|(index, string)| parts.push(index, stripped(string)));
        vec![like(column, Column::from_strings(vec![], strings.len(), parts.finish()))]
    })
}
