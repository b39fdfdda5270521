//! Photos turned upright: the camera's orientation, read and applied.

use feedline_data::block::Column;
use feedline_image::exif_orientation as orientation_of;

use super::super::moves::View;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::decode::integers;
use super::views::{COLUMNS, ROWS, each_view, swapped, turned};
use super::{Dims, bytes_of};

pub(in super::super) fn exif_orientation(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        // A row that failed before has no bytes, and no use for an answer.
        let orientation = |row: usize| bytes_of(&source, row).map_or(1, |bytes| orientation_of(bytes).into());
        let values: Vec<i32> = (0..arguments.rows).map(orientation).collect();
        vec![Column::from_vec(vec![], arguments.rows, values)]
    })
}

pub(in super::super) fn apply_orientation(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let orientations = RowsOf::new(arguments.inputs[1]);
        vec![each_view(arguments, |row, shape| {
            Dims::of(shape)?;
            let view = View::whole(shape);
            let orientation = integers(&orientations, row).first().copied().unwrap_or(0);
            // What Exif calls them: the sides of the picture that the first row and the first column are.
            Ok(vec![match orientation {
                1 => view,
                2 => turned(view, COLUMNS),
                3 => turned(turned(view, ROWS), COLUMNS),
                4 => turned(view, ROWS),
                5 => swapped(view),
                6 => turned(swapped(view), COLUMNS),
                7 => turned(turned(swapped(view), ROWS), COLUMNS),
                8 => turned(swapped(view), ROWS),
                other => return Err(format!("the orientation is {other}, expected 1 to 8").into()),
            }])
        })]
    })
}
