//! The frames of GIF.

use feedline_data::DType;
use feedline_image::{ImageFormat, decode_gif as gif, decode_webp as webp};

use super::super::{Arguments, Value};
use super::decode::{decode_whole, still};

pub(in super::super) fn decode_gif(arguments: &mut Arguments<'_>) -> Vec<Value> {
    decode_whole(arguments, DType::UInt8, usize::MAX, |whole| {
        let image = match whole.info.format {
            ImageFormat::Gif => gif(whole.bytes, usize::MAX)?,
            ImageFormat::WebP => webp(whole.bytes, 3, usize::MAX)?,
            _ => still(whole, false)?,
        };
        Ok((image, true))
    })
}
