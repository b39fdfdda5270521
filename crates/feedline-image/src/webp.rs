//! `WebP`: a RIFF file, that is a size and chunks: name, length, data padded to an even length.

use crate::error::ImageError;
use crate::info::{Header, ImageFormat, ImageInfo};
use crate::reader::Reader;

const FORMAT: ImageFormat = ImageFormat::WebP;
/// "RIFF", the size, "WEBP".
const RIFF_HEADER_LEN: usize = 12;

pub(crate) fn header(bytes: &[u8]) -> Result<Header, ImageError> {
    let mut reader = Reader::new(bytes, RIFF_HEADER_LEN, FORMAT);
    let start = reader;
    let [name @ .., _, _, _, _] = reader.array::<8>("the first chunk's header")?;
    let size_offset = reader.position();
    let (width, height, channels) = match &name {
        b"VP8 " => lossy(&mut reader)?,
        b"VP8L" => lossless(&mut reader)?,
        b"VP8X" => extended(&mut reader)?,
        _ => {
            let message = format!("the first chunk is {}, expected VP8, VP8L or VP8X", name.escape_ascii());
            return Err(start.corrupt(message));
        }
    };
    Ok(Header { format: FORMAT, width, height, channels: Some(channels), size_offset })
}

/// A key frame: 3 bytes of tag, a start code, then 14 bits each of width and height.
fn lossy(reader: &mut Reader<'_>) -> Result<(u32, u32, u8), ImageError> {
    let start = *reader;
    let [tag, _, _, s0, s1, s2, w0, w1, h0, h1] = reader.array::<10>("the VP8 frame header")?;
    if tag & 1 != 0 || [s0, s1, s2] != [0x9d, 0x01, 0x2a] {
        let message = format!("the frame begins {s0:02x} {s1:02x} {s2:02x}, expected a key frame, 9d 01 2a");
        return Err(start.corrupt(message));
    }
    // The upper two bits are a scale for display.
    let fourteen_bits = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3fff);
    Ok((fourteen_bits(w0, w1), fourteen_bits(h0, h1), 3))
}

/// A signature, then 14 bits each of width - 1 and height - 1, and one that says whether alpha is used.
fn lossless(reader: &mut Reader<'_>) -> Result<(u32, u32, u8), ImageError> {
    let start = *reader;
    let [signature, bits @ ..] = reader.array::<5>("the VP8L header")?;
    if signature != 0x2f {
        return Err(start.corrupt(format!("the lossless data begins {signature:02x}, expected 2f")));
    }
    let bits = u32::from_le_bytes(bits);
    Ok(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1, if bits >> 28 & 1 == 1 { 4 } else { 3 }))
}

/// Flags, then 24 bits each of width - 1 and height - 1 of the canvas.
fn extended(reader: &mut Reader<'_>) -> Result<(u32, u32, u8), ImageError> {
    const ALPHA: u8 = 0x10;
    let [flags, _, _, _, w0, w1, w2, h0, h1, h2] = reader.array::<10>("the VP8X chunk")?;
    let size = |a, b, c| u32::from_le_bytes([a, b, c, 0]) + 1;
    Ok((size(w0, w1, w2), size(h0, h1, h2), if flags & ALPHA == 0 { 3 } else { 4 }))
}

/// The fewest bytes that can hold the pixels, where that is known: of a lossy image that does not move. A macroblock of 16 × 16 pixels says how
/// it is predicted, with probabilities that the format has fixed: `DC_PRED` twice is 3.4 bits, and nothing is less.
pub(crate) fn least_bytes(bytes: &[u8], info: &ImageInfo) -> u64 {
    const BITS_OF_MACROBLOCK: u64 = 3;
    let is_lossy = each_chunk(bytes).find_map(|name| match &name {
        b"VP8 " => Some(true),
        b"VP8L" | b"ANMF" => Some(false),
        _ => None,
    });
    if is_lossy != Some(true) {
        return 0;
    }
    let macroblocks = u64::from(info.width.div_ceil(16)) * u64::from(info.height.div_ceil(16));
    (macroblocks * BITS_OF_MACROBLOCK).div_ceil(8)
}

/// How many frames there are; 1 of what does not move.
pub(crate) fn num_frames(bytes: &[u8]) -> usize {
    each_chunk(bytes).filter(|name| name == b"ANMF").count().max(1)
}

/// The names of the chunks, up to where the structure is broken.
fn each_chunk(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    let mut reader = Reader::new(bytes, RIFF_HEADER_LEN, FORMAT);
    std::iter::from_fn(move || {
        let [name @ .., l0, l1, l2, l3] = reader.array::<8>("a chunk's header").ok()?;
        let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if reader.take(len.next_multiple_of(2), "a chunk").is_err() {
            // The last one, whose end is missing.
            reader = Reader::new(bytes, bytes.len(), FORMAT);
        }
        Some(name)
    })
}

pub(crate) fn check_complete(bytes: &[u8]) -> Result<(), ImageError> {
    let mut reader = Reader::new(bytes, 4, FORMAT);
    let riff_bytes = u32::from_le_bytes(reader.array("the RIFF header")?);
    // The size counts what follows it.
    let Some(image) = usize::try_from(riff_bytes).ok().and_then(|len| bytes.get(..len.checked_add(8)?))
    else {
        let message = format!("the image needs {} bytes, found {}", u64::from(riff_bytes) + 8, bytes.len());
        return Err(ImageError::truncated(FORMAT, bytes.len(), message));
    };
    let mut reader = Reader::new(image, RIFF_HEADER_LEN, FORMAT);
    let mut has_pixels = false;
    while !reader.is_at_end() {
        let [name @ .., l0, l1, l2, l3] = reader.array::<8>("a chunk's header")?;
        let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        reader.take(len, format_args!("the {} chunk", name.escape_ascii()))?;
        has_pixels |= matches!(&name, b"VP8 " | b"VP8L" | b"ANMF");
        // The padding of the last chunk is left out by some writers.
        if len % 2 == 1 && !reader.is_at_end() {
            reader.take(1, "a chunk's padding")?;
        }
    }
    if has_pixels {
        Ok(())
    } else {
        Err(reader.corrupt("the image ends, expected a chunk with pixels before"))
    }
}
