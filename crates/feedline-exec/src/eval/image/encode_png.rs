//! Pixels as PNG.

use feedline_data::DType;
use feedline_image::encode_png as png;

use super::super::{Arguments, Value};
use super::encode::encode;

pub(in super::super) fn encode_png(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let level = u8::try_from(arguments.call.int("compression")).ok();
    let is_wide = arguments.inputs[0].dtype() == DType::UInt16;
    encode(arguments, |image, bytes| {
        if image.len() == 0 || image.channels > 4 {
            return Err(format!(
                "an image of {} x {} x {} cannot be written",
                image.height, image.width, image.channels
            )
            .into());
        }
        let mut swapped = Vec::new();
        if is_wide && cfg!(target_endian = "little") {
            swapped.extend(bytes.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]));
        }
        let bytes = if swapped.is_empty() { bytes } else { &swapped };
        Ok(png(bytes, is_wide, image.height, image.width, image.channels, level)?)
    })
}
