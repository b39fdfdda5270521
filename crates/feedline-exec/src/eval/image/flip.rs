//! Columns or rows the other way round: `flip_left_right` and `flip_up_down`.

use super::super::moves::View;
use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::Dims;
use super::views::{COLUMNS, ROWS, each_view, turned};

pub(in super::super) fn flip_left_right(arguments: &mut Arguments<'_>) -> Vec<Value> {
    flip(arguments, COLUMNS)
}

pub(in super::super) fn flip_up_down(arguments: &mut Arguments<'_>) -> Vec<Value> {
    flip(arguments, ROWS)
}

pub(super) fn flip(arguments: &mut Arguments<'_>, axis: usize) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        vec![each_view(arguments, |_, shape| {
            Dims::of(shape)?;
            Ok(vec![turned(View::whole(shape), axis)])
        })]
    })
}
