//! `adjust_saturation`, and `random_saturation`.

use super::super::{Arguments, Value};
use super::adjust::{each_adjusted, each_colour};
use super::given::GivenFloat;
use super::hsv::{to_hsv, to_rgb};
use super::{Dims, Failure, random};

pub(in super::super) fn adjust_saturation(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let factors = GivenFloat::of(arguments, "saturation_factor");
    each_adjusted(arguments, false, |row, image, values| saturate(image, values, factors.one(row)? as f32))
}

pub(in super::super) fn random_saturation(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    each_adjusted(arguments, false, |row, image, values| {
        let word = random::words(call, ids.get(row), 0)[0];
        saturate(image, values, random::uniform(word, call.float("lower"), call.float("upper")) as f32)
    })
}

fn saturate(image: Dims, values: &mut [f32], factor: f32) -> Result<(), Failure> {
    each_colour(image, values, |pixel| {
        let [hue, saturation, value] = to_hsv(pixel);
        to_rgb([hue, (saturation * factor).clamp(0.0, 1.0), value])
    })
}
