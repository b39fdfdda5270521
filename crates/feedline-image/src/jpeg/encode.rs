//! JPEGs of pixels, as libjpeg-turbo writes them.

use super::markers::FORMAT;
use crate::error::{ImageError, ImageErrorKind};
use libjpeg_turbo_rs::{Encoder, PixelFormat, Subsampling};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// No side of a JPEG is longer.
const MAX_SIDE: usize = 65_500;

/// A JPEG of gray (1 channel) or RGB (3) pixels. `quality` is from 0 to 100.
pub fn encode_jpeg(
    data: &[u8],
    height: usize,
    width: usize,
    channels: usize,
    quality: u8,
    chroma_at_half_size: bool,
) -> Result<Vec<u8>, ImageError> {
    let refused = |message: String| ImageError::new(ImageErrorKind::Argument, Some(FORMAT), 0, message);
    if height == 0 || width == 0 || height > MAX_SIDE || width > MAX_SIDE || !matches!(channels, 1 | 3) {
        return Err(refused(format!(
            "an image of {height} x {width} x {channels} cannot be written: sides are from 1 to {MAX_SIDE}, channels 1 or 3"
        )));
    }
    let format = if channels == 1 { PixelFormat::Grayscale } else { PixelFormat::Rgb };
    let sampling = if chroma_at_half_size && channels == 3 { Subsampling::S420 } else { Subsampling::S444 };
    // 300 dots an inch, which is what TensorFlow writes.
    let encoder = Encoder::new(data, width, height, format)
        .quality(quality.max(1))
        .force_baseline(true)
        .subsampling(sampling)
        .density(1, 300, 300);
    match catch_unwind(AssertUnwindSafe(|| encoder.encode())) {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(refused(format!("it cannot be written: {error}"))),
        Err(_) => Err(refused("the encoder gave up on it".to_owned())),
    }
}
