//! The shape of a JPEG, by its header.

use feedline_image::JpegDecoder;

use super::super::{Arguments, Value};
use super::decode::each_shape;

pub(in super::super) fn extract_jpeg_shape(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let dtype = arguments.call.dtype("output_type");
    each_shape(arguments, dtype, |bytes| {
        // Any size: nothing is decoded, and a filter by it is how images that are too large are dropped.
        let info = JpegDecoder::new().with_max_pixels(u64::MAX).info(bytes)?;
        Ok([info.height as usize, info.width as usize, info.channels.unwrap_or(3).into()])
    })
}
