//! Pixels of a BMP that is not compressed.

use super::{DecodedImage, Samples, with_channels};
use crate::error::{ImageError, ImageErrorKind};
use crate::info::{DEFAULT_MAX_PIXELS, ImageFormat};
use crate::probe_with_limit;

const FORMAT: ImageFormat = ImageFormat::Bmp;

const FILE_HEADER_BYTES: usize = 14;

/// Decodes a BMP of 8 (gray), 24 or 32 bits a pixel into `channels` channels, 0 for as many as it has. Colours do not become gray here, as
/// they do not in TensorFlow; of a palette the numbers are what comes, as there.
pub fn decode_bmp(bytes: &[u8], channels: usize) -> Result<DecodedImage, ImageError> {
    let info = probe_with_limit(bytes, DEFAULT_MAX_PIXELS)?;
    let (height, width) = (info.height as usize, info.width as usize);
    let unsupported = |offset: usize, message: String| {
        ImageError::new(ImageErrorKind::Unsupported, Some(FORMAT), offset, message)
            .with_hint("save it as an uncompressed BMP of 24 bits, or as a PNG")
    };
    let number = |at: usize| {
        bytes.get(at..at + 4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
    };
    let short = || ImageError::truncated(FORMAT, bytes.len(), "the header is cut short");
    let (start, header_len) = (number(10).ok_or_else(short)? as usize, number(14).ok_or_else(short)?);
    if header_len < 40 {
        return Err(unsupported(14, "a header of OS/2".to_owned()));
    }
    let is_upside_down = number(22).ok_or_else(short)?.cast_signed() > 0;
    let bits = number(28).ok_or_else(short)? & 0xffff;
    let compression = number(30).ok_or_else(short)?;
    let stored = match bits {
        8 | 24 | 32 if compression == 0 || (compression == 3 && bits == 32) => bits as usize / 8,
        _ => return Err(unsupported(28, format!("{bits} bits a pixel, compression {compression}"))),
    };
    let palette = bytes.get(FILE_HEADER_BYTES + header_len as usize..start).unwrap_or_default();
    if channels == 1 && stored == 1 && !is_gray_ramp(palette) {
        // As an error it is TensorFlow's, which has no gray of any BMP.
        let message = "its pixels are numbers of colours in a palette, and no gray".to_owned();
        return Err(ImageError::new(
            ImageErrorKind::Argument,
            Some(FORMAT),
            FILE_HEADER_BYTES + header_len as usize,
            message,
        )
        .with_hint("decode it with 0 channels for the numbers, or save it as a PNG"));
    }
    let channels = if channels == 0 { stored } else { channels };
    if channels < stored.min(3) {
        let message = format!("the image has {stored} channels, {channels} was asked for");
        return Err(ImageError::new(ImageErrorKind::Argument, Some(FORMAT), None, message)
            .with_hint("decode it with 0, 3 or 4 channels; rgb_to_grayscale makes it gray"));
    }
    let row_len = (width * stored).next_multiple_of(4);
    // The last row needs no filling up.
    let needed = row_len * (height - 1) + width * stored;
    let rows = start.checked_add(needed).and_then(|end| bytes.get(start..end)).ok_or_else(|| {
        let found = bytes.len().saturating_sub(start);
        ImageError::truncated(
            FORMAT,
            start.min(bytes.len()),
            format!("the pixels need {needed} bytes, found {found}"),
        )
    })?;
    let mut data = Vec::with_capacity(height * width * stored);
    for row in 0..height {
        let row = if is_upside_down { height - 1 - row } else { row };
        for pixel in rows[row * row_len..][..width * stored].chunks_exact(stored) {
            match *pixel {
                [blue, green, red] => data.extend([red, green, blue]),
                [blue, green, red, alpha] => data.extend([red, green, blue, alpha]),
                _ => data.push(pixel[0]),
            }
        }
    }
    let data = with_channels(data, stored, channels, |_| unreachable!("refused above"));
    Ok(DecodedImage { frames: 1, height, width, channels, samples: Samples::Bytes(data) })
}

/// Whether each of the colours of a palette, four bytes each, is the gray of its own number.
fn is_gray_ramp(palette: &[u8]) -> bool {
    let grays = (0..=u8::MAX).map(|gray| [gray; 3]);
    palette.as_chunks::<4>().0.iter().zip(grays).all(|(colour, gray)| colour[..3] == gray)
}
