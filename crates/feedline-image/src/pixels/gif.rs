//! The frames of a GIF as they are shown.

use std::io::Cursor;
use std::num::NonZeroU64;

use gif::{ColorOutput, DecodeOptions, DecodingError, MemoryLimit};

use super::{DecodedImage, Samples};
use crate::error::{ImageError, ImageErrorKind};
use crate::info::{DEFAULT_MAX_PIXELS, ImageFormat};
use crate::length::check_length;
use crate::probe_with_limit;

const FORMAT: ImageFormat = ImageFormat::Gif;

/// Decodes at most `max_frames` frames of a GIF into RGB. A frame that covers a part of the picture, or is transparent in parts, shows
/// the frame before it there, the first one black.
pub fn decode_gif(bytes: &[u8], max_frames: usize) -> Result<DecodedImage, ImageError> {
    let info = probe_with_limit(bytes, DEFAULT_MAX_PIXELS)?;
    check_length(bytes, &info)?;
    let (height, width) = (info.height as usize, info.width as usize);
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let limit = NonZeroU64::new((height * width * 4) as u64 + (1 << 20)).expect("above 0");
    options.set_memory_limit(MemoryLimit::Bytes(limit));
    let mut decoder = options.read_info(Cursor::new(bytes)).map_err(|error| explain(&error, bytes))?;
    let frame_len = height * width * 3;
    let mut data: Vec<u8> = Vec::new();
    let mut frames = 0;
    while frames < max_frames {
        let Some(frame) = decoder.read_next_frame().map_err(|error| explain(&error, bytes))? else { break };
        if (data.len() + frame_len) as u64 > DEFAULT_MAX_PIXELS * 3 {
            let message =
                format!("{frames} frames of {width} x {height} are more pixels than {DEFAULT_MAX_PIXELS}");
            return Err(ImageError::new(ImageErrorKind::TooManyPixels, Some(FORMAT), None, message));
        }
        let before = data.len();
        if frames == 0 {
            data.resize(frame_len, 0);
        } else {
            data.extend_from_within(before - frame_len..);
        }
        let canvas = &mut data[before..];
        let (left, top) = (usize::from(frame.left), usize::from(frame.top));
        let part_width = usize::from(frame.width);
        let rows = frame.buffer.chunks_exact(part_width.max(1) * 4).take(height.saturating_sub(top));
        for (row, pixels) in rows.enumerate() {
            let line = &mut canvas[(top + row) * width * 3..][..width * 3];
            let places = line.chunks_exact_mut(3).skip(left);
            for (place, pixel) in places.zip(pixels.chunks_exact(4)) {
                if pixel[3] != 0 {
                    place.copy_from_slice(&pixel[..3]);
                }
            }
        }
        frames += 1;
    }
    if frames == 0 {
        return Err(ImageError::corrupt(FORMAT, bytes.len(), "it ends without a frame"));
    }
    Ok(DecodedImage { frames, height, width, channels: 3, samples: Samples::Bytes(data) })
}

/// What the library says of `bytes`; it says where of none.
fn explain(error: &DecodingError, bytes: &[u8]) -> ImageError {
    match error {
        DecodingError::Io(_) => {
            ImageError::truncated(FORMAT, bytes.len(), "the data ends before the last frame does")
        }
        other => ImageError::corrupt(FORMAT, None, other.to_string()),
    }
}
