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
use super::random::{uniform, words_of};

/// The argument `interpolation` of a call.
pub(super) fn interpolation_of(call: &Call) -> Interpolation {
    match Named::of_call(call).expect("the plan checked the interpolation") {
        Named::Nearest => Interpolation::Nearest,
        Named::Bilinear => Interpolation::Bilinear,
    }
}

/// The point of a call that stays where it is.
fn centre_of(call: &Call, height: usize, width: usize) -> [f64; 2] {
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

type From = fn(&Call, usize, usize, &dyn Fn(u32) -> [u32; 4]) -> Affine;

fn given(arguments: &mut Arguments<'_>, expands: bool, from: From) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    once_for_constants(arguments, |arguments| vec![each_image(arguments, &Warp { call, ids, from, expands })])
}

fn drawn(arguments: &mut Arguments<'_>, expands: bool, from: From) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    vec![Value::Rows(each_image(arguments, &Warp { call, ids, from, expands }))]
}

pub(in super::super) fn affine(arguments: &mut Arguments<'_>) -> Vec<Value> {
    given(arguments, false, |call, height, width, _| {
        let (translate, shear) = (call.floats("translate"), call.floats("shear"));
        Affine::new(
            centre_of(call, height, width),
            call.float("angle"),
            [translate[0], translate[1]],
            call.float("scale"),
            [shear[0], shear.get(1).copied().unwrap_or(0.0)],
        )
    })
}

pub(in super::super) fn rotate(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let expands = arguments.call.flag("expand");
    given(arguments, expands, |call, height, width, _| {
        Affine::rotation(centre_of(call, height, width), call.float("angle"))
    })
}

pub(in super::super) fn random_rotation(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let expands = arguments.call.flag("expand");
    drawn(arguments, expands, |call, height, width, draw| {
        let degrees = call.floats("degrees");
        Affine::rotation(centre_of(call, height, width), uniform(draw(0)[0], degrees[0], degrees[1]))
    })
}

pub(in super::super) fn random_affine(arguments: &mut Arguments<'_>) -> Vec<Value> {
    drawn(arguments, false, |call, height, width, draw| {
        let ([turn, right, down, size], [along_x, along_y, ..]) = (draw(0), draw(1));
        let within = |word: u32, name: &str, first: usize, otherwise: f64| match call
            .floats(name)
            .get(first..first + 2)
        {
            Some(limits) => uniform(word, limits[0], limits[1]),
            None => otherwise,
        };
        // Whole pixels, as torchvision moves.
        let moved = |word: u32, axis: usize, size: usize| {
            let most = call.floats("translate").get(axis).map_or(0.0, |part| part * size as f64);
            uniform(word, -most, most).round_ties_even()
        };
        Affine::new(
            centre_of(call, height, width),
            within(turn, "degrees", 0, 0.0),
            [moved(right, 0, width), moved(down, 1, height)],
            within(size, "scale", 0, 1.0),
            [within(along_x, "shear", 0, 0.0), within(along_y, "shear", 2, 0.0)],
        )
    })
}
