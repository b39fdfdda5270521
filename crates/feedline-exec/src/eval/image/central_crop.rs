//! The middle of images.

use feedline_plan::expr::image::{central_fraction, central_part};

use super::super::moves::View;
use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::Dims;
use super::crop::part;
use super::given::GivenFloat;
use super::views::each_view;

pub(in super::super) fn central_crop(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let fractions = GivenFloat::of(arguments, "central_fraction");
        vec![each_view(arguments, |row, shape| {
            let fraction = central_fraction(fractions.one(row)?)?;
            if fraction >= 1.0 {
                return Ok(vec![View::whole(shape)]);
            }
            let image = Dims::of(shape)?;
            let ((y, height), (x, width)) =
                (central_part(image.height, fraction), central_part(image.width, fraction));
            Ok(vec![part(shape, y, x, height, width)?])
        })]
    })
}
