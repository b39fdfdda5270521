//! How a picture is to be turned, by its header.

use feedline_data::block::Column;
use feedline_image::exif_orientation as orientation_of;

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::bytes_of;

pub(in super::super) fn exif_orientation(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        // A row that failed before has no bytes, and no use for an answer.
        let orientation = |row: usize| bytes_of(&source, row).map_or(1, |bytes| orientation_of(bytes).into());
        let values: Vec<i32> = (0..arguments.rows).map(orientation).collect();
        vec![Column::from_vec(vec![], arguments.rows, values)]
    })
}
