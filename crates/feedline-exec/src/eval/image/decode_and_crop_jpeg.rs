//! Parts of pictures of JPEG.

use feedline_image::Region;

use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::Failure;
use super::decode::{Begun, JpegPart, decode, integers, jpeg_channels};

pub(in super::super) fn decode_and_crop_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = jpeg_channels(arguments.call.int("channels"));
    let ratio = arguments.call.int("ratio") as u32;
    let limit_bytes = arguments.allowance.limit_bytes();
    let windows = RowsOf::new(arguments.inputs[1]);
    decode(arguments, |decoder, row, bytes| {
        let window = integers(&windows, row);
        let [y, x, height, width] = window[..] else {
            return Err(format!("crop_window has {} numbers, expected 4", window.len()).into());
        };
        let number = |value: i64| {
            u32::try_from(value).map_err(|_| {
                Failure::from(format!("crop_window is {window:?}, which is no part of an image"))
            })
        };
        let region = Region { x: number(x)?, y: number(y)?, width: number(width)?, height: number(height)? };
        let info = decoder.info(bytes)?;
        let part = JpegPart { bytes, info, ratio, region, channels, limit_bytes };
        part.check(decoder)?;
        Ok(Begun::Jpeg(part))
    })
}
