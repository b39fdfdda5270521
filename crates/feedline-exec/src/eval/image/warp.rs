//! Images turned, sheared, moved and scaled, as given or as drawn.

use feedline_data::Native;
use feedline_data::block::Ids;
use feedline_image::Raster;
use feedline_image::augment::{Affine, Interpolation, Level, Warped};
use feedline_plan::expr::Call;
use feedline_plan::expr::image::Interpolation as Named;

use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::Failure;
use super::each::{EachImage, each_image, levels_of};
use super::random::words_of;

/// The argument `interpolation` of a call.
pub(super) fn interpolation_of(call: &Call) -> Interpolation {
    match Named::of_call(call).expect("the plan checked the interpolation") {
        Named::Nearest => Interpolation::Nearest,
        Named::Bilinear => Interpolation::Bilinear,
    }
}

/// The point of a call that stays where it is.
pub(super) fn centre_of(call: &Call, height: usize, width: usize) -> [f64; 2] {
    match *call.floats("center") {
        [x, y] => [x, y],
        _ => [width as f64 * 0.5, height as f64 * 0.5],
    }
}

/// What a call makes of an image, by what is drawn for it where it draws.
struct Warp<'a, F> {
    call: &'a Call,
    ids: &'a Ids,
    /// Where pixels come from, for an image of this height and width; four words at a time are drawn with the last argument.
    from: F,
    expands: bool,
}

impl<F> EachImage for Warp<'_, F>
where
    F: Fn(&Call, usize, usize, &dyn Fn(u32) -> [u32; 4]) -> Affine,
{
    fn run<S: Level + Native>(
        &self,
        row: usize,
        index: usize,
        image: &Raster<'_, S>,
        out: &mut Vec<S>,
    ) -> Result<(usize, usize), Failure> {
        let draw = |number: u32| words_of(self.call, self.ids.get(row), index, number);
        let from = (self.from)(self.call, image.height, image.width, &draw);
        let (from, height, width) = if self.expands {
            from.expanded(image.height, image.width, self.call.floats("center").is_empty())
        } else {
            (from, image.height, image.width)
        };
        let fill = levels_of::<S>(self.call, "fill", image.channels)?;
        let interpolation = interpolation_of(self.call);
        Warped { from, height, width, interpolation, fill: &fill }.run(image, out);
        Ok((height, width))
    }
}

pub(super) type From = fn(&Call, usize, usize, &dyn Fn(u32) -> [u32; 4]) -> Affine;

pub(super) fn given(arguments: &mut Arguments<'_>, expands: bool, from: From) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    once_for_constants(arguments, |arguments| vec![each_image(arguments, &Warp { call, ids, from, expands })])
}

pub(super) fn drawn(arguments: &mut Arguments<'_>, expands: bool, from: From) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    vec![Value::Rows(each_image(arguments, &Warp { call, ids, from, expands }))]
}
