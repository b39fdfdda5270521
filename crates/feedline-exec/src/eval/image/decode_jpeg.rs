//! Pictures of JPEG, and of what else `decode_jpeg` takes.

use feedline_data::DType;
use feedline_image::{ImageFormat, Region, probe};

use super::super::{Arguments, Value};
use super::decode::{Begun, JpegPart, Whole, decode, jpeg_channels};

pub(in super::super) fn decode_jpeg(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let channels = arguments.call.int("channels");
    let ratio = arguments.call.int("ratio") as u32;
    let limit_bytes = arguments.allowance.limit_bytes();
    decode(arguments, |decoder, _, bytes| {
        let info = probe(bytes)?;
        if info.format != ImageFormat::Jpeg {
            return Ok(Begun::Other(Whole::begin(bytes, info, channels, DType::UInt8, 2, limit_bytes)?));
        }
        let (width, height) = (info.width.div_ceil(ratio), info.height.div_ceil(ratio));
        let region = Region { x: 0, y: 0, width, height };
        let part = JpegPart { bytes, info, ratio, region, channels: jpeg_channels(channels), limit_bytes };
        part.check(decoder)?;
        Ok(Begun::Jpeg(part))
    })
}
