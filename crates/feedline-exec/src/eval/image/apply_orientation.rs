//! Pictures turned so.

use super::super::moves::View;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::Dims;
use super::decode::integers;
use super::views::{COLUMNS, ROWS, each_view, swapped, turned};

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
