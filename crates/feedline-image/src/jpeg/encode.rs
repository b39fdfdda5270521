//! JPEGs of pixels, as libjpeg-turbo writes them.

use super::markers::FORMAT;
use crate::error::{ImageError, ImageErrorKind};
use libjpeg_turbo_rs::{Encoder, PixelFormat, Subsampling};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// No side of a JPEG is longer.
const MAX_SIDE: usize = 65_500;

/// How a JPEG is written.
#[derive(Clone, Copy, Debug)]
pub struct JpegOptions<'a> {
    /// From 0 to 100.
    pub quality: u8,
    /// Whether colours are stored at half the width and height.
    pub chroma_at_half_size: bool,
    /// Whether it is written from coarse to fine.
    pub is_progressive: bool,
    /// Whether Huffman tables are made for the image: smaller, and more work.
    pub optimizes_size: bool,
    /// Dots an inch, or a centimetre, across and down.
    pub density: JpegDensity,
    /// XMP metadata; none where it is empty.
    pub xmp: &'a [u8],
}

/// How large the image is meant to be.
#[derive(Clone, Copy, Debug)]
pub struct JpegDensity {
    /// Whether dots are counted by the centimetre, not by the inch.
    pub is_metric: bool,
    /// Dots across.
    pub x: u16,
    /// Dots down.
    pub y: u16,
}

impl JpegOptions<'_> {
    /// As TensorFlow writes one by default: 4:2:0, in one scan with the usual tables, 300 dots an inch.
    pub fn of_quality(quality: u8) -> JpegOptions<'static> {
        JpegOptions {
            quality,
            chroma_at_half_size: true,
            is_progressive: false,
            optimizes_size: false,
            density: JpegDensity { is_metric: false, x: 300, y: 300 },
            xmp: b"",
        }
    }
}

/// A JPEG of gray (1 channel) or RGB (3) pixels.
pub fn encode_jpeg(
    data: &[u8],
    height: usize,
    width: usize,
    channels: usize,
    options: &JpegOptions<'_>,
) -> Result<Vec<u8>, ImageError> {
    let refused = |message: String| ImageError::new(ImageErrorKind::Argument, Some(FORMAT), None, message);
    if height == 0 || width == 0 || height > MAX_SIDE || width > MAX_SIDE || !matches!(channels, 1 | 3) {
        return Err(refused(format!(
            "an image of {height} x {width} x {channels} cannot be written: sides are from 1 to {MAX_SIDE}, channels 1 or 3"
        )));
    }
    let format = if channels == 1 { PixelFormat::Grayscale } else { PixelFormat::Rgb };
    let sampling =
        if options.chroma_at_half_size && channels == 3 { Subsampling::S420 } else { Subsampling::S444 };
    let JpegDensity { is_metric, x, y } = options.density;
    let mut encoder = Encoder::new(data, width, height, format)
        .quality(options.quality.max(1))
        .force_baseline(true)
        .subsampling(sampling)
        .progressive(options.is_progressive)
        .optimize_huffman(options.optimizes_size)
        .density(if is_metric { 2 } else { 1 }, x, y);
    if !options.xmp.is_empty() {
        encoder = encoder.xmp_data(options.xmp);
    }
    match catch_unwind(AssertUnwindSafe(|| encoder.encode())) {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(refused(format!("it cannot be written: {error}"))),
        Err(_) => Err(refused("the encoder gave up on it".to_owned())),
    }
}
