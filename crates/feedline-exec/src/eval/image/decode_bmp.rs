//! Pictures of BMP.

use feedline_data::DType;
use feedline_image::{ImageFormat, decode_bmp as bmp};

use super::super::{Arguments, Value};
use super::decode::{decode_whole, expect};

pub(in super::super) fn decode_bmp(arguments: &mut Arguments<'_>) -> Vec<Value> {
    decode_whole(arguments, DType::UInt8, 1, |whole| {
        expect(&whole.info, ImageFormat::Bmp)?;
        Ok((bmp(whole.bytes, whole.channels)?, false))
    })
}
