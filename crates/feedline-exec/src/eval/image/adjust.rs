//! Brightness, contrast, saturation, hue, gamma: given, or drawn for each element.

use feedline_image::{JpegChannels, JpegDecoder, JpegOptions, encode_jpeg};

use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::colours::{to_hsv, to_rgb};
use super::convert::{converted, from_unit, to_unit};
use super::given::{GivenFloat, GivenInts};
use super::{Dims, Failure, random};
use feedline_data::DType;
use feedline_data::block::Column;
use feedline_plan::expr::image::{gamma, hue_delta, jpeg_quality};

/// What `change` makes of the values of row `row`, floats from 0 to 1, back in the image's type.
fn each_adjusted(
    arguments: &mut Arguments<'_>,
    saturate: bool,
    change: impl Fn(usize, Dims, &mut [f32]) -> Result<(), Failure>,
) -> Vec<Value> {
    // A random change of a constant is another one for each row.
    let rows = arguments.inputs[0].to_rows(arguments.rows);
    let mut values = to_unit(&rows);
    for row in 0..arguments.rows {
        let range = rows.value_range(row..row + 1);
        let changed = Dims::of(rows.shape(row)).and_then(|image| change(row, image, &mut values[range]));
        if let Err(failure) = changed {
            failure.tell(arguments, row);
        }
    }
    vec![Value::Rows(from_unit(values, &rows, saturate))]
}

pub(in super::super) fn adjust_brightness(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let deltas = GivenFloat::of(arguments, "delta");
    each_adjusted(arguments, true, |row, _, values| {
        add(values, deltas.one(row)? as f32);
        Ok(())
    })
}

pub(in super::super) fn random_brightness(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let max = call.float("max_delta");
    each_adjusted(arguments, true, |row, _, values| {
        add(values, random::uniform(random::words(call, ids.get(row), 0)[0], -max, max) as f32);
        Ok(())
    })
}

fn add(values: &mut [f32], delta: f32) {
    values.iter_mut().for_each(|value| *value += delta);
}

pub(in super::super) fn adjust_contrast(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let factors = GivenFloat::of(arguments, "contrast_factor");
    each_adjusted(arguments, true, |row, image, values| {
        stretch(image, values, factors.one(row)? as f32);
        Ok(())
    })
}

pub(in super::super) fn random_contrast(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    each_adjusted(arguments, true, |row, image, values| {
        let word = random::words(call, ids.get(row), 0)[0];
        stretch(image, values, random::uniform(word, call.float("lower"), call.float("upper")) as f32);
        Ok(())
    })
}

/// The distance of each value from the mean of its channel in its image, times a factor.
fn stretch(image: Dims, values: &mut [f32], factor: f32) {
    let channels = image.channels.max(1);
    for one in values.chunks_exact_mut(image.len().max(1)) {
        for channel in 0..channels {
            let places = || one.iter().skip(channel).step_by(channels);
            let mean = (places().map(|&value| f64::from(value)).sum::<f64>() / places().len() as f64) as f32;
            one.iter_mut()
                .skip(channel)
                .step_by(channels)
                .for_each(|value| *value = (*value - mean) * factor + mean);
        }
    }
}

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

/// What `change` makes of every pixel.
fn each_colour(
    image: Dims,
    values: &mut [f32],
    change: impl Fn([f32; 3]) -> [f32; 3],
) -> Result<(), Failure> {
    if image.channels != 3 {
        return Err(format!("takes 3 channels, not {}", image.channels).into());
    }
    values.as_chunks_mut::<3>().0.iter_mut().for_each(|pixel| *pixel = change(*pixel));
    Ok(())
}

pub(in super::super) fn adjust_gamma(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let [gammas, gains] = ["gamma", "gain"].map(|name| GivenFloat::of(arguments, name));
    each_adjusted(arguments, true, |row, _, values| {
        bend(values, gamma(gammas.one(row)?)? as f32, gains.one(row)? as f32);
        Ok(())
    })
}

pub(in super::super) fn random_gamma(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let gain = call.float("gain") as f32;
    each_adjusted(arguments, true, |row, _, values| {
        let word = random::words(call, ids.get(row), 0)[0];
        bend(values, random::uniform(word, call.float("lower"), call.float("upper")) as f32, gain);
        Ok(())
    })
}

fn bend(values: &mut [f32], gamma: f32, gain: f32) {
    values.iter_mut().for_each(|value| *value = gain * value.powf(gamma));
}

pub(in super::super) fn adjust_jpeg_quality(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let qualities = GivenInts::of(arguments, "jpeg_quality");
    encoded_again(arguments, |row| qualities.checked(row, jpeg_quality))
}

pub(in super::super) fn random_jpeg_quality(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let (least, most) = (call.int("min_jpeg_quality"), call.int("max_jpeg_quality"));
    encoded_again(arguments, |row| {
        let word = random::words(call, ids.get(row), 0)[0];
        Ok((least as usize + random::below(word, (most - least).max(1) as usize)) as u8)
    })
}

/// The images of each row encoded as JPEG, at the quality `quality` says, and decoded again.
fn encoded_again(
    arguments: &mut Arguments<'_>,
    quality: impl Fn(usize) -> Result<u8, Failure>,
) -> Vec<Value> {
    let mut decoder = arguments.scratch.take(JpegDecoder::new);
    let rows = arguments.inputs[0].to_rows(arguments.rows);
    let source = converted(&rows, DType::UInt8, true);
    let pixels = RowsOf::of_column(&source);
    let mut again = |row: usize, bytes: &mut Vec<u8>| {
        let image = Dims::of(pixels.shape(row))?;
        for one in source.as_slice::<u8>()[pixels.range(row)].chunks_exact(image.len().max(1)) {
            let encoded = encode_jpeg(
                one,
                image.height,
                image.width,
                image.channels,
                &JpegOptions::of_quality(quality(row)?),
            )?;
            let wanted = JpegChannels::from_number(image.channels as u64).unwrap_or(JpegChannels::AsStored);
            bytes.extend(decoder.decode(&encoded, wanted)?.data);
        }
        Ok(pixels.shape(row).to_vec())
    };
    let column: Column = super::each_row(arguments, &mut again);
    arguments.scratch.put(decoder);
    vec![Value::Rows(converted(&column, rows.dtype(), true))]
}
