//! What a header says of an image.

use crate::error::{ImageError, ImageErrorKind};
use std::fmt;

/// 2^28 pixels, 16384 × 16384: four times the largest camera sensor, and 768 MiB as RGB.
pub const DEFAULT_MAX_PIXELS: u64 = 1 << 28;

/// An image file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageFormat {
    /// JPEG, baseline or progressive.
    Jpeg,
    /// PNG.
    Png,
    /// GIF, one frame or many.
    Gif,
    /// Windows or OS/2 bitmap.
    Bmp,
    /// `WebP`, lossy, lossless or animated.
    WebP,
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::Gif => "GIF",
            Self::Bmp => "BMP",
            Self::WebP => "WebP",
        })
    }
}

/// What an image's header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageInfo {
    /// The format, by the bytes.
    pub format: ImageFormat,
    /// Pixels per row; at least 1.
    pub width: u32,
    /// Rows; at least 1.
    pub height: u32,
    /// Samples per pixel as stored. `None` where the header does not say: pixels that are indexes into a
    /// palette (GIF, some PNG and BMP) have as many as the palette's colours.
    pub channels: Option<u8>,
}

/// A header before its numbers are judged.
pub(crate) struct Header {
    pub(crate) format: ImageFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) channels: Option<u8>,
    /// Where the width and height are, for the error.
    pub(crate) size_offset: usize,
}

impl Header {
    pub(crate) fn check(self, max_pixels: u64) -> Result<ImageInfo, ImageError> {
        let Self { format, width, height, channels, size_offset } = self;
        let num_pixels = u64::from(width) * u64::from(height);
        let error = |kind, message| ImageError::new(kind, Some(format), size_offset, message);
        if num_pixels == 0 {
            let message = format!("the size is {width} x {height}, expected at least 1 x 1");
            let error = error(ImageErrorKind::ZeroDimension, message);
            return Err(match format {
                // The JPEG standard lets the height come after the first scan; no camera does, no decoder reads it.
                ImageFormat::Jpeg if height == 0 && width > 0 => error.with_hint(
                    "the height may follow in a DNL marker, which is not supported; encode it again",
                ),
                _ => error,
            });
        }
        if num_pixels > max_pixels {
            let message =
                format!("the size is {width} x {height}, {num_pixels} pixels, expected at most {max_pixels}");
            return Err(error(ImageErrorKind::TooManyPixels, message)
                .with_hint("the header is damaged, or the image is meant to exhaust the memory; replace it, or scale it down"));
        }
        Ok(ImageInfo { format, width, height, channels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(width: u32, height: u32) -> Header {
        Header { format: ImageFormat::Jpeg, width, height, channels: Some(3), size_offset: 5 }
    }

    #[test]
    fn sizes_are_judged() {
        assert_eq!(header(3, 4).check(12).unwrap().width, 3);
        let cases = [
            (
                0,
                4,
                12,
                ImageErrorKind::ZeroDimension,
                "JPEG, byte 5: the size is 0 x 4, expected at least 1 x 1",
            ),
            (4, 0, 12, ImageErrorKind::ZeroDimension, "DNL marker"),
            (3, 4, 11, ImageErrorKind::TooManyPixels, "3 x 4, 12 pixels, expected at most 11\nhint: "),
            (
                u32::MAX,
                u32::MAX,
                DEFAULT_MAX_PIXELS,
                ImageErrorKind::TooManyPixels,
                "18446744065119617025 pixels",
            ),
        ];
        for (width, height, limit, kind, text) in cases {
            let error = header(width, height).check(limit).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
