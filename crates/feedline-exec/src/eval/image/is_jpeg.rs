//! Whether bytes begin as a JPEG does.

use feedline_data::block::Column;

use super::super::elementwise::like;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

pub(in super::super) fn is_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let strings = source.column().strings().expect("the plan lets only strings come here");
        let is_jpeg = |index: usize| strings.get(index).starts_with(&[0xff, 0xd8, 0xff]).into();
        let answers: Vec<u8> = (0..strings.len()).map(is_jpeg).collect();
        vec![like(source.column(), Column::from_bools(vec![], answers.len(), answers))]
    })
}
