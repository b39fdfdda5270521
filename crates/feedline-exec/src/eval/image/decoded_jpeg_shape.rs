//! The shape of what `decode_jpeg` would give.

use feedline_data::DType;
use feedline_image::{ImageFormat, probe};

use super::super::{Arguments, Value};
use super::decode::{Whole, each_shape, jpeg_channels, still};

/// The shape of what `decode_jpeg` would give.
pub(in super::super) fn decoded_jpeg_shape(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (channels, ratio) = (arguments.call.int("channels"), arguments.call.int("ratio") as u32);
    let (dtype, limit_bytes) = (arguments.call.dtype("out_type"), arguments.allowance.limit_bytes());
    each_shape(arguments, dtype, |bytes| {
        let info = probe(bytes)?;
        if info.format == ImageFormat::Jpeg {
            let side = |side: u32| side.div_ceil(ratio) as usize;
            return Ok([side(info.height), side(info.width), jpeg_channels(channels).count(&info)]);
        }
        let whole = Whole::begin(bytes, info, channels, DType::UInt8, 2, limit_bytes)?;
        let image = whole.decode(|whole| still(whole, false))?;
        Ok([image.height, image.width, image.channels])
    })
}
