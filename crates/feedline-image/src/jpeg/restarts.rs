//! JPEGs whose rows can be jumped to.
//!
//! A decoder reads the entropy-coded bits of a JPEG from the first on: where a row begins is known when the one before it ends. With a restart
//! marker in front of every row of MCUs it is known at once, and a crop costs what it shows instead of all that is above it.

use super::decode::{JpegChannels, JpegDecoder};
use super::library::explain;
use super::markers::FORMAT;
use super::scans::in_one_scan;
use crate::error::{ImageError, ImageErrorKind};
use libjpeg_turbo_rs::{MarkerCopyMode, TransformOptions, transform_jpeg_with_options};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The same image with a restart marker in front of every row of MCUs but the first, and Huffman tables made for it. Nothing is lost:
/// coefficients and all other markers are those of `bytes`, and any decoder gives the same pixels of both, which is checked
/// here with ours. A progressive image becomes a sequential one.
///
/// # Errors
/// If `bytes` are no JPEG that can be decoded and written again: arithmetic coding, other than 8 bits, damage.
pub fn with_restarts(bytes: &[u8]) -> Result<Vec<u8>, ImageError> {
    let mut decoder = JpegDecoder::new();
    decoder.info(bytes)?;
    let joined = in_one_scan(bytes);
    let bytes = joined.as_deref().unwrap_or(bytes);
    let pixels = decoder.decode(bytes, JpegChannels::AsStored)?;
    let options = TransformOptions {
        optimize: true,
        restart_interval: 1,
        restart_in_rows: true,
        copy_markers: MarkerCopyMode::All,
        ..TransformOptions::default()
    };
    // As in decoding: what the library does not expect it may panic at, and it is given nothing that outlives the call.
    let written = catch_unwind(AssertUnwindSafe(|| transform_jpeg_with_options(bytes, &options)))
        .map_err(|_| refused("the encoder gave up on it"))?
        .map_err(|error| explain(&error, bytes))?;
    if decoder.decode(&written, JpegChannels::AsStored).ok().as_ref() != Some(&pixels) {
        return Err(refused("with restarts its pixels would be others, as those of a damaged image may be"));
    }
    Ok(written)
}

fn refused(message: &str) -> ImageError {
    ImageError::new(ImageErrorKind::Corrupt, Some(FORMAT), None, message.to_owned())
}
