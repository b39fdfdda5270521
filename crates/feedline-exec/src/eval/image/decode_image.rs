//! Pictures of any format.

use feedline_data::DType;
use feedline_image::{ImageFormat, decode_bmp as bmp, decode_gif as gif, decode_webp as webp};

use super::super::{Arguments, Value};
use super::decode::{Whole, decode_whole, still, unable};

pub(in super::super) fn decode_image(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let dtype = arguments.call.dtype("dtype");
    let expands = arguments.call.flag("expand_animations");
    let is_wide = dtype != DType::UInt8;
    let max_frames = if expands { usize::MAX } else { 1 };
    decode_whole(arguments, dtype, max_frames, |whole| {
        let Whole { bytes, info, channels, .. } = whole;
        Ok(match info.format {
            ImageFormat::Bmp => (bmp(bytes, *channels)?, false),
            ImageFormat::WebP if *channels == 1 => return Err(unable(1, info)),
            ImageFormat::WebP => (webp(bytes, *channels, max_frames)?, expands),
            ImageFormat::Gif if matches!(channels, 0 | 3) => (gif(bytes, max_frames)?, expands),
            _ => (still(whole, is_wide)?, false),
        })
    })
}
