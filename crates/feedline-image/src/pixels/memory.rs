//! What decoding takes in memory: known from the header, and how many frames there are.

use crate::info::{ImageFormat, ImageInfo};
use crate::length::num_pixels;
use crate::{gif, png, webp};

/// How many pictures a file holds, up to where its structure is broken; 1 of what does not move. Steps through it, and decodes nothing.
pub fn num_frames(bytes: &[u8], info: &ImageInfo) -> usize {
    match info.format {
        ImageFormat::Gif => gif::num_frames(bytes).max(1),
        ImageFormat::WebP => webp::num_frames(bytes),
        ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::Bmp => 1,
    }
}

/// Bytes that [`decode_png`](super::decode_png) and the like hold at most, with the image they give: of `frames` frames, in `channels`
/// channels (0: as many as it has), of 16 bits if `is_wide`. Of a JPEG [its decoder](crate::JpegDecoder::bytes_to_decode) says it.
///
/// `info` must be what [`probe`](crate::probe) said of the same bytes.
pub fn bytes_to_decode(bytes: &[u8], info: &ImageInfo, channels: usize, is_wide: bool, frames: usize) -> u64 {
    let (pixels, frames) = (num_pixels(info), frames as u64);
    let stored = u64::from(info.channels.unwrap_or(4));
    let wanted = if channels == 0 { stored } else { channels as u64 };
    let all = pixels.saturating_mul(frames);
    // Other channels are another copy.
    let converted = if wanted == stored && info.channels.is_some() { 0 } else { wanted };
    match info.format {
        ImageFormat::Png => {
            let (bits, _) = png::stored_pixel(bytes, info);
            let width = u64::from(bits.div_ceil(8));
            // Of 16 bits: the bytes of the file, and the numbers they are.
            let words = if width == 2 { 2 * stored } else { 0 };
            let made_wide = if is_wide && width == 1 { 2 * wanted } else { 0 };
            pixels.saturating_mul(width * (stored + converted) + words + made_wide)
        }
        // The frame as RGBA and as indexes beside all that came before it.
        ImageFormat::Gif => all.saturating_mul(3).saturating_add(pixels.saturating_mul(5)),
        // The planes of a lossy frame, the frame, and the canvas it is laid on.
        ImageFormat::WebP => all.saturating_mul(stored + converted).saturating_add(pixels.saturating_mul(10)),
        ImageFormat::Bmp => pixels.saturating_mul(stored + converted),
        ImageFormat::Jpeg => 0,
    }
}
