//! PNG: a signature, then chunks: length, type, data, checksum; from `IHDR` to `IEND`.
//!
//! The checksum is crc-fast's, which feedline links for its records anyhow: a loop without a table would check at
//! the speed at which PNG decodes, and the point of the check is to be much cheaper than that.

use crate::error::ImageError;
use crate::info::{Header, ImageFormat, ImageInfo};
use crate::length::num_pixels;
use crate::reader::Reader;
use crate::sniff::PNG_SIGNATURE;
use crc_fast::{CrcAlgorithm, checksum};
use std::fmt::Display;

const FORMAT: ImageFormat = ImageFormat::Png;

pub(crate) fn header(bytes: &[u8]) -> Result<Header, ImageError> {
    let mut reader = Reader::new(bytes, PNG_SIGNATURE.len(), FORMAT);
    let start = reader.position();
    let [l3, l2, l1, l0, name @ ..] = reader.array::<8>("the first chunk's header")?;
    let len = u32::from_be_bytes([l3, l2, l1, l0]);
    if &name != b"IHDR" || len != 13 {
        let message =
            format!("the first chunk is {} of {len} bytes, expected IHDR of 13", name.escape_ascii());
        return Err(ImageError::corrupt(FORMAT, start, message));
    }
    let size_offset = reader.position();
    let [w3, w2, w1, w0, h3, h2, h1, h0, bits, colour, ..] = reader.array::<13>("the IHDR chunk")?;
    // Before its numbers are judged: damaged ones are no size of anything.
    let stored = u32::from_be_bytes(reader.array("the IHDR chunk's checksum")?);
    check_sum(&bytes[start + 4..size_offset + 13], &"IHDR", stored)
        .map_err(|message| ImageError::corrupt(FORMAT, start, message))?;
    let (width, height) = (u32::from_be_bytes([w3, w2, w1, w0]), u32::from_be_bytes([h3, h2, h1, h0]));
    let channels = match (colour, bits) {
        (0, 1 | 2 | 4 | 8 | 16) => Some(1),
        (2, 8 | 16) => Some(3),
        (3, 1 | 2 | 4 | 8) => None, // indexes into a palette
        (4, 8 | 16) => Some(2),
        (6, 8 | 16) => Some(4),
        _ => {
            let message = format!("colour type {colour} with {bits} bits, expected a pair that PNG defines");
            return Err(ImageError::corrupt(FORMAT, size_offset + 8, message));
        }
    };
    Ok(Header { format: FORMAT, width, height, channels, size_offset })
}

/// Bits of a sample and samples of a pixel, as stored; a palette's index is one.
pub(crate) fn stored_pixel(bytes: &[u8], info: &ImageInfo) -> (u8, u8) {
    const BITS_OFFSET: usize = PNG_SIGNATURE.len() + 16;
    (bytes.get(BITS_OFFSET).copied().unwrap_or(8), info.channels.unwrap_or(1))
}

/// The fewest bytes that can hold the pixels: deflate copies 258 bytes with two codes of a bit each.
pub(crate) fn least_bytes(bytes: &[u8], info: &ImageInfo) -> u64 {
    const MAX_COMPRESSION: u64 = 1032;
    let (bits, samples) = stored_pixel(bytes, info);
    let pixel_bits = u64::from(bits) * u64::from(samples);
    (num_pixels(info) * pixel_bits / 8).div_ceil(MAX_COMPRESSION)
}

pub(crate) fn check_complete(bytes: &[u8]) -> Result<(), ImageError> {
    let mut reader = Reader::new(bytes, PNG_SIGNATURE.len(), FORMAT);
    let mut has_data = false;
    loop {
        if reader.is_at_end() {
            return Err(reader.truncated("the data ends between chunks, expected the IEND chunk"));
        }
        let start = reader;
        let [l3, l2, l1, l0, name @ ..] = reader.array::<8>("a chunk's header")?;
        let len = u32::from_be_bytes([l3, l2, l1, l0]) as usize;
        let shown = name.escape_ascii();
        if !name.iter().all(u8::is_ascii_alphabetic) || len > i32::MAX as usize {
            let message =
                format!("a chunk called {shown} of {len} bytes, expected four letters and less than 2 GiB");
            return Err(start.corrupt(message));
        }
        // Length, type, data, checksum; the checksum is over the type and the data.
        reader = start;
        let chunk = reader.take(12 + len, format_args!("the {shown} chunk"))?;
        let [_, _, _, _, covered @ .., c3, c2, c1, c0] = chunk else {
            return Err(start.truncated("a chunk without a checksum")); // not with 12 bytes and more
        };
        let stored = u32::from_be_bytes([*c3, *c2, *c1, *c0]);
        check_sum(covered, &shown, stored).map_err(|message| start.corrupt(message))?;
        match &name {
            b"IDAT" => has_data = true,
            b"IEND" if has_data => return Ok(()),
            b"IEND" => return Err(start.corrupt("the image ends (IEND), expected pixels (IDAT) before")),
            _ => {}
        }
    }
}

/// Compares the checksum over a chunk's type and data with the one stored behind them.
pub(crate) fn check_sum(covered: &[u8], name: &dyn Display, stored: u32) -> Result<(), String> {
    let computed = checksum(CrcAlgorithm::Crc32IsoHdlc, covered) as u32;
    if computed == stored {
        return Ok(());
    }
    Err(format!("the {name} chunk has checksum 0x{computed:08x}, the file says 0x{stored:08x}"))
}
