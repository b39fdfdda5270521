//! Pixels of a `WebP`.

use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use super::{DecodedImage, Samples, with_channels};
use crate::error::{ImageError, ImageErrorKind};
use crate::info::{DEFAULT_MAX_PIXELS, ImageFormat};
use crate::length::check_length;
use crate::probe_with_limit;

const FORMAT: ImageFormat = ImageFormat::WebP;

/// Decodes at most `max_frames` frames of a `WebP` into 3 or 4 channels, 0 for as many as it has. One that does not move has one.
pub fn decode_webp(bytes: &[u8], channels: usize, max_frames: usize) -> Result<DecodedImage, ImageError> {
    let info = probe_with_limit(bytes, DEFAULT_MAX_PIXELS)?;
    check_length(bytes, &info)?;
    let (height, width) = (info.height as usize, info.width as usize);
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|error| explain(&error, bytes))?;
    if decoder.dimensions() != (info.width, info.height) {
        return Err(ImageError::corrupt(FORMAT, None, "the pixels have another size than the header says"));
    }
    decoder.set_memory_limit(height * width * 8 + (64 << 20));
    let from = if decoder.has_alpha() { 4 } else { 3 };
    let frame_len = height * width * from;
    let frames = if decoder.is_animated() { max_frames.min(decoder.num_frames() as usize) } else { 1 };
    if (frames as u64).saturating_mul((height * width) as u64) > DEFAULT_MAX_PIXELS {
        let message =
            format!("{frames} frames of {width} x {height} are more pixels than {DEFAULT_MAX_PIXELS}");
        return Err(ImageError::new(ImageErrorKind::TooManyPixels, Some(FORMAT), None, message));
    }
    let mut data = vec![0; frames * frame_len];
    if decoder.is_animated() {
        for frame in data.chunks_exact_mut(frame_len) {
            decoder.read_frame(frame).map_err(|error| explain(&error, bytes))?;
        }
    } else {
        decoder.read_image(&mut data).map_err(|error| explain(&error, bytes))?;
    }
    let to = if channels == 0 { from } else { channels };
    let data = with_channels(data, from, to, |[_, green, _]| green);
    Ok(DecodedImage { frames, height, width, channels: to, samples: Samples::Bytes(data) })
}

/// What the library says of `bytes`; it says where of none.
fn explain(error: &DecodingError, bytes: &[u8]) -> ImageError {
    match error {
        DecodingError::IoError(_) => {
            ImageError::truncated(FORMAT, bytes.len(), "the data ends before the last row of pixels")
        }
        DecodingError::MemoryLimitExceeded | DecodingError::ImageTooLarge => {
            ImageError::new(ImageErrorKind::TooManyPixels, Some(FORMAT), None, error.to_string())
        }
        other => ImageError::corrupt(FORMAT, None, other.to_string()),
    }
}
