//! Pixels of a PNG, and a PNG of pixels.

use std::io::Cursor;

use png::{BitDepth, ColorType, DecodingError, DeflateCompression, Encoder, Filter, Limits, Transformations};

use super::png_gamma::{Chunks, GrayOfBytes, GrayOfWords};
use super::{DecodedImage, Samples, with_channels};
use crate::error::{ImageError, ImageErrorKind};
use crate::info::{DEFAULT_MAX_PIXELS, ImageFormat};
use crate::length::check_length;
use crate::probe_with_limit;

const FORMAT: ImageFormat = ImageFormat::Png;

/// Decodes a PNG into `channels` channels, 0 for as many as it has, of 8 bits or, if `is_wide`, 16.
pub fn decode_png(bytes: &[u8], channels: usize, is_wide: bool) -> Result<DecodedImage, ImageError> {
    let info = probe_with_limit(bytes, DEFAULT_MAX_PIXELS)?;
    check_length(bytes, &info)?;
    let (height, width) = (info.height as usize, info.width as usize);
    // 8 bytes a pixel are the most there are; text and profiles are not kept.
    let limits = Limits { bytes: height * width * 8 + (64 << 20) };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(|error| explain(&error, bytes))?;
    let stored = reader.info().color_type;
    if stored == ColorType::Indexed {
        check_palette(reader.info().palette.as_deref().unwrap_or_default())?;
    }
    let (color, depth) = reader.output_color_type();
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| ImageError::corrupt(FORMAT, None, "more bytes than memory"))?;
    let mut data = vec![0; size];
    reader.next_frame(&mut data).map_err(|error| explain(&error, bytes))?;
    let from = color.samples();
    let to = match (channels, stored) {
        // A palette has the channels of its colours; an alpha that others have by a single transparent colour is not counted.
        (0, ColorType::Indexed) => from,
        (0, stored) => stored.samples(),
        (channels, _) => channels,
    };
    // Colours become gray by what the file says of them; others do not ask.
    let chunks = if from >= 3 && to < 3 { Chunks::read(bytes) } else { Chunks::default() };
    let samples = if depth == BitDepth::Sixteen {
        let words: Vec<u16> = data.as_chunks::<2>().0.iter().map(|&pair| u16::from_be_bytes(pair)).collect();
        let gray = GrayOfWords::new(chunks, is_wide);
        let words = with_channels(words, from, to, |colour| gray.of(colour));
        if is_wide {
            Samples::Words(words)
        } else {
            // The low bits are cut off after colours became gray, as libpng does it.
            Samples::Bytes(words.iter().map(|word| (word >> 8) as u8).collect())
        }
    } else {
        let gray = GrayOfBytes::new(chunks);
        Samples::Bytes(with_channels(data, from, to, |colour| gray.of(colour)))
    };
    let image = DecodedImage { frames: 1, height, width, channels: to, samples };
    Ok(if is_wide { image.into_words() } else { image })
}

/// Refuses what is no palette, as libpng does; the library panics at it.
fn check_palette(palette: &[u8]) -> Result<(), ImageError> {
    if palette.len().is_multiple_of(3) && palette.len() <= 256 * 3 {
        return Ok(());
    }
    let message = format!("a palette of {} bytes, expected 3 for each of at most 256 colours", palette.len());
    Err(ImageError::corrupt(FORMAT, None, message))
}

/// What the library says of `bytes`; it says where of none.
fn explain(error: &DecodingError, bytes: &[u8]) -> ImageError {
    match error {
        DecodingError::IoError(_) => {
            ImageError::truncated(FORMAT, bytes.len(), "the data ends before the last row of pixels")
        }
        DecodingError::LimitsExceeded => ImageError::new(
            ImageErrorKind::TooManyPixels,
            Some(FORMAT),
            None,
            "more memory than its size explains",
        ),
        other => ImageError::corrupt(FORMAT, None, other.to_string()),
    }
}

/// A PNG of pixels of 1 to 4 channels; words are given as bytes, the high one first. `level` is from 0 to 9, none for the usual.
pub fn encode_png(
    data: &[u8],
    is_wide: bool,
    height: usize,
    width: usize,
    channels: usize,
    level: Option<u8>,
) -> Result<Vec<u8>, ImageError> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, width as u32, height as u32);
    encoder.set_color(match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    });
    encoder.set_depth(if is_wide { BitDepth::Sixteen } else { BitDepth::Eight });
    if let Some(level) = level {
        encoder.set_deflate_compression(DeflateCompression::Level(level));
        encoder.set_filter(Filter::Adaptive);
    }
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(data)?;
        writer.finish()
    });
    let failed = |error: png::EncodingError| {
        ImageError::new(
            ImageErrorKind::Argument,
            Some(FORMAT),
            None,
            format!("it cannot be written: {error}"),
        )
    };
    written.map(|()| out).map_err(failed)
}
