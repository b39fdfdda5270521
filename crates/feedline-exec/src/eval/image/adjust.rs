//! Brightness, contrast, saturation, hue, gamma: given, or drawn for each element.

use feedline_image::{JpegChannels, JpegDecoder, JpegOptions, encode_jpeg};

use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::colours::{to_hsv, to_rgb};
use super::convert::{converted, from_unit, to_unit};
use super::{Dims, Failure, random};
use feedline_data::DType;
use feedline_data::block::Column;

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
    let delta = arguments.call.float("delta") as f32;
    each_adjusted(arguments, true, |_, _, values| {
        add(values, delta);
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
    let factor = arguments.call.float("contrast_factor") as f32;
    each_adjusted(arguments, true, |_, image, values| {
        stretch(image, values, factor);
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
    let factor = arguments.call.float("saturation_factor") as f32;
    each_adjusted(arguments, false, |_, image, values| saturate(image, values, factor))
}

pub(in super::super) fn random_saturation(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    each_adjusted(arguments, false, |row, image, values| {
        let word = random::words(call, ids.get(row), 0)[0];
        saturate(image, values, random::uniform(word, call.float("lower"), call.float("upper")) as f32)
    })
}

fn saturate(image: Dims, values: &mut [f32], factor: f32) -> Result<(), Failure> {
    each_hsv(image, values, |[hue, saturation, value]| [hue, (saturation * factor).clamp(0.0, 1.0), value])
}

pub(in super::super) fn adjust_hue(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let delta = arguments.call.float("delta") as f32;
    each_adjusted(arguments, false, |_, image, values| turn(image, values, delta))
}

pub(in super::super) fn random_hue(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let max = call.float("max_delta");
    each_adjusted(arguments, false, |row, image, values| {
        turn(image, values, random::uniform(random::words(call, ids.get(row), 0)[0], -max, max) as f32)
    })
}

fn turn(image: Dims, values: &mut [f32], delta: f32) -> Result<(), Failure> {
    each_hsv(image, values, |[hue, saturation, value]| [(hue + delta).rem_euclid(1.0), saturation, value])
}

fn each_hsv(image: Dims, values: &mut [f32], change: impl Fn([f32; 3]) -> [f32; 3]) -> Result<(), Failure> {
    if image.channels != 3 {
        return Err(format!("takes 3 channels, not {}", image.channels).into());
    }
    values.as_chunks_mut::<3>().0.iter_mut().for_each(|pixel| *pixel = to_rgb(change(to_hsv(*pixel))));
    Ok(())
}

pub(in super::super) fn adjust_gamma(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (gamma, gain) = (arguments.call.float("gamma") as f32, arguments.call.float("gain") as f32);
    each_adjusted(arguments, true, |_, _, values| {
        bend(values, gamma, gain);
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
    let quality = arguments.call.int("jpeg_quality") as u8;
    encoded_again(arguments, |_| quality)
}

pub(in super::super) fn random_jpeg_quality(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let (least, most) = (call.int("min_jpeg_quality"), call.int("max_jpeg_quality"));
    encoded_again(arguments, |row| {
        let word = random::words(call, ids.get(row), 0)[0];
        (least as usize + random::below(word, (most - least).max(1) as usize)) as u8
    })
}

/// The images of each row encoded as JPEG, at the quality `quality` says, and decoded again.
fn encoded_again(arguments: &mut Arguments<'_>, quality: impl Fn(usize) -> u8) -> Vec<Value> {
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
                &JpegOptions::of_quality(quality(row)),
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
