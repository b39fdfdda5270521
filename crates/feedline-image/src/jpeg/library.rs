//! The way through the library: for every JPEG that our own decoder does not take.
//!
//! `libjpeg-turbo-rs` gives what libjpeg-turbo gives, byte for byte, for all kinds of files. It decodes the whole
//! image: its region decode reads on to the end anyway, and is wrong for four components.

use super::decode::JpegChannels;
use super::markers::{FORMAT, Soundness};
use crate::error::{ImageError, ImageErrorKind};
use crate::info::ImageInfo;
use libjpeg_turbo_rs::{ColorSpace, Decoder, JpegError, PixelFormat, ScalingFactor};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Decodes the whole image into `out`, of exactly width × height × channels bytes; at a `ratio` of 2, 4 or 8 each side is that
/// part of the image's, rounded up.
///
/// Damage that it finds is an error: what it would make of it is not what libjpeg-turbo does.
pub(super) fn decode(
    bytes: &[u8],
    info: &ImageInfo,
    channels: JpegChannels,
    ratio: u32,
    out: &mut [u8],
) -> Result<(), ImageError> {
    // The library has no known way to reach freed or foreign memory, but two of 65,000 damaged files made it
    // panic. It is given nothing that outlives the call, except `out`, whose content is void after an error.
    let Soundness { has_all_scans, restarts, .. } = Soundness::of(bytes);
    restarts?;
    if !has_all_scans {
        return Err(ImageError::truncated(
            FORMAT,
            bytes.len(),
            "the image ends before the last of its scans",
        ));
    }
    let decoded = catch_unwind(AssertUnwindSafe(|| decode_with_library(bytes, info, channels, ratio, out)));
    match decoded {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(explain(&error, bytes)),
        Err(_) => Err(ImageError::corrupt(FORMAT, None, "the decoder gave up on its damage")),
    }
}

fn decode_with_library(
    bytes: &[u8],
    info: &ImageInfo,
    channels: JpegChannels,
    ratio: u32,
    out: &mut [u8],
) -> Result<(), JpegError> {
    let mut decoder = Decoder::new(bytes)?;
    let frame = decoder.header();
    if frame.precision != 8 || frame.is_lossless {
        return Err(JpegError::Unsupported("other than 8-bit lossy samples".to_owned()));
    }
    if frame.width() != info.width as usize || frame.height() != info.height as usize {
        return Err(JpegError::CorruptData("a second frame header of another size".to_owned()));
    }
    let num_components = frame.components.len();
    // These the library decodes to wrong pixels, or gives up on in a panic.
    let first = frame.components.first().map(|first| (first.horizontal_sampling, first.vertical_sampling));
    let differs = |other: &libjpeg_turbo_rs::ComponentInfo| {
        Some((other.horizontal_sampling, other.vertical_sampling)) != first
    };
    let is_finer = |other: &libjpeg_turbo_rs::ComponentInfo| {
        first.is_some_and(|(h, v)| other.horizontal_sampling > h || other.vertical_sampling > v)
    };
    if num_components == 4 && frame.components.iter().any(differs) {
        return Err(JpegError::Unsupported(
            "CMYK with components of different sizes that is damaged".to_owned(),
        ));
    }
    if frame.components.iter().any(is_finer) {
        return Err(JpegError::Unsupported("a component stored finer than the first".to_owned()));
    }
    if ratio > 1 {
        decoder.set_scale(ScalingFactor::try_new(1, ratio)?);
    }
    decoder.set_max_pixels(usize::MAX); // the header was already held against the caller's limit
    match decoder.jpeg_color_space() {
        ColorSpace::Cmyk | ColorSpace::Ycck => {
            if channels == JpegChannels::Gray {
                return Err(JpegError::Unsupported("gray from CMYK".to_owned()));
            }
            decoder.set_output_format(PixelFormat::Cmyk);
            let image = decoder.decode_image()?;
            if image.data.len() / 4 * 3 != out.len() {
                return Err(JpegError::CorruptData("fewer pixels than the header says".to_owned()));
            }
            cmyk_to_rgb(&image.data, adobe_transform(bytes).is_some(), out);
        }
        space => {
            let format = match (channels, space) {
                (JpegChannels::Gray, _) | (JpegChannels::AsStored, ColorSpace::Grayscale) => {
                    PixelFormat::Grayscale
                }
                _ => PixelFormat::Rgb,
            };
            if space == ColorSpace::Unknown {
                return Err(JpegError::Unsupported(format!("{num_components} components")));
            }
            decoder.set_output_format(format);
            let done = decoder.decode_image_into(out)?;
            if done.bytes_written != out.len() {
                return Err(JpegError::CorruptData("fewer pixels than the header says".to_owned()));
            }
        }
    }
    Ok(())
}

/// As TensorFlow converts: Adobe's writers store the complement, and their marker says that it was them.
pub(super) fn cmyk_to_rgb(cmyk: &[u8], is_complement: bool, rgb: &mut [u8]) {
    let complement = if is_complement { 0 } else { 255 };
    for (from, to) in cmyk.as_chunks::<4>().0.iter().zip(rgb.as_chunks_mut::<3>().0) {
        let [c, m, y, k] = from.map(|sample| u32::from(sample ^ complement));
        *to = [c, m, y].map(|ink| (ink * k / 255) as u8);
    }
}

/// What the marker of Adobe's writers says of the colours, if there is one.
pub(super) fn adobe_transform(bytes: &[u8]) -> Option<u8> {
    let mut markers = super::markers::Markers::new(bytes);
    while let Ok(marker) = markers.next("a scan") {
        match marker.code {
            0xee if marker.body.starts_with(b"Adobe") && marker.body.len() >= 12 => {
                return Some(marker.body[11]);
            }
            super::markers::SOS | super::markers::EOI => return None,
            _ => {}
        }
    }
    None
}

/// What the library says of `bytes`; it says where of none.
pub(super) fn explain(error: &JpegError, bytes: &[u8]) -> ImageError {
    match error {
        JpegError::Unsupported(what) => ImageError::new(
            ImageErrorKind::Unsupported,
            Some(FORMAT),
            None,
            format!("{what} cannot be decoded"),
        )
        .with_hint("convert the image to RGB or gray with 8 bits"),
        JpegError::UnexpectedEof => {
            ImageError::truncated(FORMAT, bytes.len(), "the data ends before the last row of pixels")
        }
        JpegError::AllocationFailed { .. } | JpegError::LimitExceeded { .. } => {
            ImageError::new(ImageErrorKind::TooManyPixels, Some(FORMAT), None, error.to_string())
        }
        other => ImageError::corrupt(FORMAT, None, other.to_string()),
    }
}
