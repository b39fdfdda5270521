//! Bytes replaced by others: inverted, solarized, posterized, equalized, stretched, sharpened; of every image, or of those drawn.

use feedline_image::augment::{self, sharpen};
use feedline_plan::expr::Call;

use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::Dims;
use super::each::each_of_bytes;
use super::random::{unit, words_of};

/// What becomes of the pixels of an image by the arguments of a call; the memory is for its own use, and kept.
type Change = fn(&Call, &Dims, &mut [u8], &mut Vec<u8>);

/// What `change` makes of every image.
fn changed(arguments: &mut Arguments<'_>, change: Change) -> Vec<Value> {
    let call = arguments.call;
    let mut memory = Vec::new();
    once_for_constants(arguments, |arguments| {
        vec![each_of_bytes(arguments, |_, _, image, pixels| {
            if image.len() > 0 {
                change(call, image, pixels, &mut memory);
            }
            Ok(())
        })]
    })
}

/// What `change` makes of images, each with the probability `p`; the others as they are.
fn changed_if_drawn(arguments: &mut Arguments<'_>, change: Change) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let mut memory = Vec::new();
    let column = each_of_bytes(arguments, |row, index, image, pixels| {
        let is_drawn = unit(words_of(call, ids.get(row), index, 0)[0]) < call.float("p");
        if is_drawn && image.len() > 0 {
            change(call, image, pixels, &mut memory);
        }
        Ok(())
    });
    vec![Value::Rows(column)]
}

macro_rules! changes {
    ($($always:ident, $if_drawn:ident: $change:expr;)*) => {$(
        pub(in super::super) fn $always(arguments: &mut Arguments<'_>) -> Vec<Value> {
            changed(arguments, $change)
        }

        pub(in super::super) fn $if_drawn(arguments: &mut Arguments<'_>) -> Vec<Value> {
            changed_if_drawn(arguments, $change)
        }
    )*};
}

changes! {
    invert, random_invert: |_, _, pixels, _| augment::invert(pixels);
    solarize, random_solarize: |call, _, pixels, _| augment::solarize(pixels, call.float("threshold"));
    posterize, random_posterize: |call, _, pixels, _| augment::posterize(pixels, call.int("bits") as u32);
    equalize, random_equalize: |_, image, pixels, _| augment::equalize(pixels, image.channels);
    autocontrast, random_autocontrast: |_, image, pixels, _| augment::autocontrast(pixels, image.channels);
    adjust_sharpness, random_adjust_sharpness: |call, image, pixels, memory| {
        sharpen(pixels, image.width, image.channels, call.float("sharpness_factor"), memory);
    };
}
