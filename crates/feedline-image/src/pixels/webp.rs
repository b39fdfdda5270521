//! Pixels of a `WebP`.

use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use super::{DecodedImage, Samples, with_channels};
use crate::error::{ImageError, ImageErrorKind};
use crate::info::{DEFAULT_MAX_PIXELS, ImageFormat};
use crate::probe_with_limit;

const FORMAT: ImageFormat = ImageFormat::WebP;

/// Decodes a `WebP`, of an animated one the first frame, into 3 or 4 channels, 0 for as many as it has.
pub fn decode_webp(bytes: &[u8], channels: usize) -> Result<DecodedImage, ImageError> {
    let info = probe_with_limit(bytes, DEFAULT_MAX_PIXELS)?;
    let (height, width) = (info.height as usize, info.width as usize);
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|error| explain(&error))?;
    if decoder.dimensions() != (info.width, info.height) {
        return Err(ImageError::corrupt(FORMAT, 0, "the pixels have another size than the header says"));
    }
    decoder.set_memory_limit(height * width * 8 + (64 << 20));
    let from = if decoder.has_alpha() { 4 } else { 3 };
    let mut data = vec![0; height * width * from];
    decoder.read_image(&mut data).map_err(|error| explain(&error))?;
    let to = if channels == 0 { from } else { channels };
    let data = with_channels(data, from, to, |[_, green, _]| green);
    Ok(DecodedImage { frames: 1, height, width, channels: to, samples: Samples::Bytes(data) })
}

fn explain(error: &DecodingError) -> ImageError {
    match error {
        DecodingError::IoError(_) => {
            ImageError::truncated(FORMAT, 0, "the data ends before the last row of pixels")
        }
        DecodingError::MemoryLimitExceeded | DecodingError::ImageTooLarge => {
            ImageError::new(ImageErrorKind::TooManyPixels, Some(FORMAT), 0, error.to_string())
        }
        other => ImageError::corrupt(FORMAT, 0, other.to_string()),
    }
}
