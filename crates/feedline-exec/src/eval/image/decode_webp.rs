//! Frames of WebP.

use feedline_data::DType;
use feedline_image::{ImageFormat, decode_webp as webp};

use super::super::{Arguments, Value};
use super::decode::{decode_whole, expect};

pub(in super::super) fn decode_webp(arguments: &mut Arguments<'_>) -> Vec<Value> {
    decode_whole(arguments, DType::UInt8, usize::MAX, |whole| {
        expect(&whole.info, ImageFormat::WebP)?;
        Ok((webp(whole.bytes, whole.channels, usize::MAX)?, true))
    })
}
