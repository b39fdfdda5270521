//! Bytes replaced by others: inverted, solarized, posterized, equalized, stretched, sharpened.

use feedline_image::augment::{self, sharpen};

use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::Dims;
use super::each::each_of_bytes;

/// What `change` makes of every image.
fn changed(arguments: &mut Arguments<'_>, mut change: impl FnMut(&Dims, &mut [u8])) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        vec![each_of_bytes(arguments, |_, _, image, pixels| {
            if image.len() > 0 {
                change(image, pixels);
            }
            Ok(())
        })]
    })
}

pub(in super::super) fn invert(arguments: &mut Arguments<'_>) -> Vec<Value> {
    changed(arguments, |_, pixels| augment::invert(pixels))
}

pub(in super::super) fn solarize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let threshold = arguments.call.float("threshold");
    changed(arguments, |_, pixels| augment::solarize(pixels, threshold))
}

pub(in super::super) fn posterize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let bits = arguments.call.int("bits") as u32;
    changed(arguments, |_, pixels| augment::posterize(pixels, bits))
}

pub(in super::super) fn equalize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    changed(arguments, |image, pixels| augment::equalize(pixels, image.channels))
}

pub(in super::super) fn autocontrast(arguments: &mut Arguments<'_>) -> Vec<Value> {
    changed(arguments, |image, pixels| augment::autocontrast(pixels, image.channels))
}

pub(in super::super) fn adjust_sharpness(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let factor = arguments.call.float("sharpness_factor");
    let mut before = Vec::new();
    changed(arguments, |image, pixels| sharpen(pixels, image.width, image.channels, factor, &mut before))
}
