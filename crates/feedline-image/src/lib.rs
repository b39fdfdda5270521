//! Images: what an image is, whether all of it is there, and its pixels.
//!
//! Bytes in, facts and pixels out: no files, no threads. Headers take no allocation outside of errors:
//!
//! * [`probe`] reads the header and gives an [`ImageInfo`]: format, width, height, channels. It goes by the
//!   bytes; names lie more often than one would think.
//! * [`check_complete`] walks the structure to its end and finds images that were cut short or damaged on their
//!   way, at a small part of the cost of decoding.
//! * An [`ImageError`] says what was found, at which byte, and what was expected. For bytes that are no image it
//!   says what they look like: a web page in place of a download is the usual case.
//!
//! * A [`JpegDecoder`] gives the pixels of a JPEG, or of a part of it at a part of the cost; [`decode_png`] and the like those of the other
//!   formats.
//! * A [`Resampler`] makes an image of another size, mirrored and normalized on the way.
//! * [`augment`] has what training does to images besides: turns, colours, blur, and the recipes that choose among these.
//!
//! JPEG, PNG, GIF, BMP and `WebP` are known; JPEG and PNG are written too.
//!
//! ```
//! use feedline_image::{ImageErrorKind, ImageFormat, check_complete, probe};
//!
//! // A BMP of 2 × 1 pixels: 14 bytes of file header, 40 of image header, one row of 8 bytes.
//! let mut bytes = b"BM".to_vec();
//! for number in [62_u32, 0, 54, 40, 2, 1, 0x0018_0001, 0, 8, 0, 0, 0, 0, 0, 0] {
//!     bytes.extend(number.to_le_bytes());
//! }
//!
//! let info = probe(&bytes)?;
//! assert_eq!((info.format, info.width, info.height, info.channels), (ImageFormat::Bmp, 2, 1, Some(3)));
//! check_complete(&bytes, &info)?;
//!
//! let error = check_complete(&bytes[..60], &info).unwrap_err();
//! assert_eq!(error.kind(), ImageErrorKind::Truncated);
//!
//! let error = probe(b"<!DOCTYPE html><title>404</title>").unwrap_err();
//! assert!(error.to_string().contains("a web page"));
//! # Ok::<(), feedline_image::ImageError>(())
//! ```

pub mod augment;
mod bmp;
mod error;
mod gif;
mod info;
mod jpeg;
mod length;
mod pixels;
mod png;
mod reader;
mod resample;
mod sniff;
mod webp;

pub use error::{ImageError, ImageErrorKind};
pub use info::{DEFAULT_MAX_PIXELS, ImageFormat, ImageInfo};
#[cfg(feature = "stages")]
pub use jpeg::{DecodeStage, StagedDecoder};
pub use jpeg::{
    JpegChannels, JpegDecoder, JpegDensity, JpegOptions, Pixels, Region, encode_jpeg, exif_orientation,
    is_crop_ready, with_exif_orientation, with_restarts,
};
pub use length::check_length;
pub use pixels::{
    DecodedImage, Samples, bytes_to_decode, decode_bmp, decode_gif, decode_png, decode_webp, encode_png,
    num_frames,
};
pub use resample::{Filter, Finish, Raster, Resampler, Sample, Target};

/// Reads the header of an image.
///
/// Needs only the beginning of the bytes: for a JPEG all up to the frame header, which metadata may put some
/// 100 KB away, for the others 33 bytes. Images of more than [`DEFAULT_MAX_PIXELS`] are refused, see
/// [`probe_with_limit`].
pub fn probe(bytes: &[u8]) -> Result<ImageInfo, ImageError> {
    probe_with_limit(bytes, DEFAULT_MAX_PIXELS)
}

/// As [`probe`], with another limit on width × height.
///
/// The limit stands between a header of 30 bytes and the memory a decoder would take on its word.
pub fn probe_with_limit(bytes: &[u8], max_pixels: u64) -> Result<ImageInfo, ImageError> {
    let header = match sniff::sniff(bytes)? {
        ImageFormat::Jpeg => jpeg::header(bytes),
        ImageFormat::Png => png::header(bytes),
        ImageFormat::Gif => gif::header(bytes),
        ImageFormat::Bmp => bmp::header(bytes),
        ImageFormat::WebP => webp::header(bytes),
    }?;
    header.check(max_pixels)
}

/// Checks that an image is all there, from its header to its end mark.
///
/// | format | what is checked |
/// | --- | --- |
/// | JPEG | the markers, through every scan to the end-of-image marker |
/// | PNG | every chunk with its checksum, through to the end chunk |
/// | GIF | every block, through to the trailer |
/// | BMP | the declared file size and, if not compressed, the size of the pixels |
/// | `WebP` | the declared size and every chunk within it |
///
/// Bytes after the end are allowed: cameras append previews. What passes can still hold damaged pixels, except
/// in a PNG. Cost: a JPEG is searched at memory speed for its markers, a PNG checksummed, the others only
/// stepped through.
///
/// `info` must be what [`probe`] said of the same bytes; another format's gives an error about its structure.
pub fn check_complete(bytes: &[u8], info: &ImageInfo) -> Result<(), ImageError> {
    match info.format {
        ImageFormat::Jpeg => jpeg::check_complete(bytes),
        ImageFormat::Png => png::check_complete(bytes),
        ImageFormat::Gif => gif::check_complete(bytes),
        ImageFormat::Bmp => bmp::check_complete(bytes),
        ImageFormat::WebP => webp::check_complete(bytes),
    }
}
