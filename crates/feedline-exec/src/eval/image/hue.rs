//! `adjust_hue`, and `random_hue`.

use feedline_plan::expr::image::hue_delta;

use super::super::{Arguments, Value};
use super::adjust::{each_adjusted, each_colour};
use super::given::GivenFloat;
use super::{Dims, Failure, random};

pub(in super::super) fn adjust_hue(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let deltas = GivenFloat::of(arguments, "delta");
    each_adjusted(arguments, false, |row, image, values| {
        turn(image, values, hue_delta(deltas.one(row)?)? as f32)
    })
}

pub(in super::super) fn random_hue(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let max = call.float("max_delta");
    each_adjusted(arguments, false, |row, image, values| {
        turn(image, values, random::uniform(random::words(call, ids.get(row), 0)[0], -max, max) as f32)
    })
}

fn turn(image: Dims, values: &mut [f32], delta: f32) -> Result<(), Failure> {
    each_colour(image, values, |pixel| turned(pixel, delta))
}

/// A colour with its hue turned, by the steps of TensorFlow's kernel. The largest and the smallest channel stay what they are, whatever
/// their sign: HSV, which has a saturation of 0 where the largest is not above 0, would lose the colours of normalized images.
fn turned([red, green, blue]: [f32; 3], delta: f32) -> [f32; 3] {
    let (least, middle, most, sixth): (f32, f32, f32, u8) = match (red < green, blue) {
        (true, blue) if blue < red => (blue, red, green, 1),
        (true, blue) if blue > green => (red, green, blue, 3),
        (true, blue) => (red, blue, green, 2),
        (false, blue) if blue < green => (blue, green, red, 0),
        (false, blue) if blue > red => (green, red, blue, 4),
        (false, blue) => (green, blue, red, 5),
    };
    let range = most - least;
    let mut hue = 0.0; // in sixths of the way around
    if range > 0.0 {
        let part = (middle - least) / range;
        hue = f32::from(sixth) + if sixth.is_multiple_of(2) { part } else { 1.0 - part };
    }
    hue += delta * 6.0;
    while hue < 0.0 {
        hue += 6.0;
    }
    while hue >= 6.0 {
        hue -= 6.0;
    }
    let sixth = hue as u8;
    let part = hue - f32::from(sixth);
    let part = if sixth.is_multiple_of(2) { part } else { 1.0 - part };
    let middle = least + part * range;
    match sixth {
        0 => [most, middle, least],
        1 => [middle, most, least],
        2 => [least, most, middle],
        3 => [least, middle, most],
        4 => [middle, least, most],
        _ => [most, least, middle],
    }
}
