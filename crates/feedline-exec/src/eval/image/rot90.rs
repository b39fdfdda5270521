//! Quarters of a turn.

use super::super::moves::View;
use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::Dims;
use super::given::GivenInts;
use super::views::{each_view, turned_by};

pub(in super::super) fn rot90(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let quarters = GivenInts::of(arguments, "k");
        vec![each_view(arguments, |row, shape| {
            Dims::of(shape)?;
            Ok(vec![turned_by(View::whole(shape), quarters.one(row)?.rem_euclid(4))])
        })]
    })
}
