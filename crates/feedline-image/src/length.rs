//! Whether a file can hold as many pixels as its header says: asked before memory is taken for them.
//!
//! A header of thirty bytes can announce gigabytes. How many pixels a byte can stand for is known of most formats, so that a file that is far
//! too short is told from one that compresses well:
//!
//! | format | the most there is |
//! | --- | --- |
//! | JPEG | a block of 64 values of a channel in a bit: no code is shorter |
//! | PNG | 1032 bytes before compression in one: deflate's longest copies |
//! | GIF | 4096 pixels in 12 bits: the longest entry of its table |
//! | lossy `WebP` | 256 pixels in 3 bits: how they are predicted takes 3.4 at least, by the probabilities of the format |
//! | BMP | what is stored |
//! | lossless `WebP` | no end: one colour takes no bits at all |
//!
//! Where a file may lack pixels by the rules of its format (the rest of a sequential JPEG, what the frames of a GIF leave of its canvas), it is
//! refused only from [`SMALL_PIXELS`] on.

use crate::error::{ImageError, ImageErrorKind};
use crate::info::{ImageFormat, ImageInfo};
use crate::{gif, png, webp};

/// 2^22: as RGB 12 MiB, which any file may ask for.
pub(crate) const SMALL_PIXELS: u64 = 1 << 22;

/// Checks that a file that is no JPEG is long enough for the size its header announces. (A [`JpegDecoder`](crate::JpegDecoder) has its own
/// [check](crate::JpegDecoder::check_length), which knows the rows that are needed.) A file that passes may still be cut short.
///
/// `info` must be what [`probe`](crate::probe) said of the same bytes.
///
/// # Errors
/// If it is not.
pub fn check_length(bytes: &[u8], info: &ImageInfo) -> Result<(), ImageError> {
    let least_bytes = match info.format {
        ImageFormat::Png => png::least_bytes(bytes, info),
        ImageFormat::Gif if num_pixels(info) <= SMALL_PIXELS => 0,
        ImageFormat::Gif => gif::least_bytes(info),
        ImageFormat::WebP => webp::least_bytes(bytes, info),
        // What is decoded of a BMP is there; JPEGs are told above.
        ImageFormat::Bmp | ImageFormat::Jpeg => 0,
    };
    if least_bytes <= bytes.len() as u64 { Ok(()) } else { Err(too_short(bytes, info, least_bytes)) }
}

pub(crate) fn num_pixels(info: &ImageInfo) -> u64 {
    u64::from(info.width) * u64::from(info.height)
}

/// The error of a file that has fewer bytes than so many pixels take.
pub(crate) fn too_short(bytes: &[u8], info: &ImageInfo, least_bytes: u64) -> ImageError {
    let ImageInfo { format, width, height, .. } = *info;
    let message = format!(
        "the data ends before the last row of pixels: {width} x {height} take {least_bytes} bytes at least, found {}",
        bytes.len()
    );
    ImageError::new(ImageErrorKind::Truncated, Some(format), bytes.len(), message).with_hint(
        "the image was cut short, its header is damaged, or it is meant to exhaust the memory; fetch it again",
    )
}
