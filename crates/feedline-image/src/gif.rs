//! GIF: a screen size, then blocks, each a list of sub-blocks of up to 255 bytes, and a trailer.

use crate::error::ImageError;
use crate::info::{Header, ImageFormat, ImageInfo};
use crate::length::num_pixels;
use crate::reader::Reader;

const FORMAT: ImageFormat = ImageFormat::Gif;
const SIGNATURE_LEN: usize = 6;

pub(crate) fn header(bytes: &[u8]) -> Result<Header, ImageError> {
    let mut reader = Reader::new(bytes, SIGNATURE_LEN, FORMAT);
    let [w0, w1, h0, h1, ..] = reader.array::<7>("the screen descriptor")?;
    Ok(Header {
        format: FORMAT,
        width: u32::from(u16::from_le_bytes([w0, w1])),
        height: u32::from(u16::from_le_bytes([h0, h1])),
        channels: None, // indexes into a palette
        size_offset: SIGNATURE_LEN,
    })
}

/// The fewest bytes that can hold as many pixels as the canvas has, in one frame: a code of 12 bits stands for 4096 of them at most, shorter
/// codes for fewer than in proportion.
pub(crate) fn least_bytes(info: &ImageInfo) -> u64 {
    (num_pixels(info) / 4096 * 12).div_ceil(8)
}

/// How many frames there are, up to where the structure is broken.
pub(crate) fn num_frames(bytes: &[u8]) -> usize {
    let mut num_frames = 0;
    // What is behind damage is not decoded.
    _ = each_frame(bytes, || num_frames += 1);
    num_frames
}

pub(crate) fn check_complete(bytes: &[u8]) -> Result<(), ImageError> {
    let mut num_frames = 0;
    let trailer = each_frame(bytes, || num_frames += 1)?;
    if num_frames > 0 {
        return Ok(());
    }
    Err(trailer.corrupt("the image ends (trailer), expected a frame before"))
}

/// Calls `visit` for each frame; where the trailer is.
fn each_frame(bytes: &[u8], mut visit: impl FnMut()) -> Result<Reader<'_>, ImageError> {
    let mut reader = Reader::new(bytes, SIGNATURE_LEN, FORMAT);
    let [.., flags, _background, _aspect] = reader.array::<7>("the screen descriptor")?;
    skip_colour_table(&mut reader, flags)?;
    loop {
        let start = reader;
        let [block] = reader.array("the trailer")?;
        match block {
            b',' => {
                visit();
                let [.., flags] = reader.array::<9>("an image descriptor")?;
                skip_colour_table(&mut reader, flags)?;
                reader.take(1, "the code size of an image")?;
                skip_sub_blocks(&mut reader)?;
            }
            b'!' => {
                reader.take(1, "the label of an extension")?;
                skip_sub_blocks(&mut reader)?;
            }
            b';' => return Ok(start),
            0 => {} // some writers leave an extra end mark between blocks; every decoder goes over it
            other => {
                let message = format!(
                    "a block of kind {other:02x}, expected 21 (extension), 2c (frame) or 3b (trailer)"
                );
                return Err(start.corrupt(message));
            }
        }
    }
}

/// A table of 2^(n+1) colours of 3 bytes, if the top bit says that there is one.
fn skip_colour_table(reader: &mut Reader<'_>, flags: u8) -> Result<(), ImageError> {
    if flags & 0x80 != 0 {
        reader.take(3 << ((flags & 7) + 1), "a colour table")?;
    }
    Ok(())
}

fn skip_sub_blocks(reader: &mut Reader<'_>) -> Result<(), ImageError> {
    loop {
        let [len] = reader.array("the length of a data block")?;
        if len == 0 {
            return Ok(());
        }
        reader.take(usize::from(len), "a data block")?;
    }
}
