//! BMP: a file header of 14 bytes, an image header of one of several sizes, a palette, rows of pixels.

use crate::error::ImageError;
use crate::info::{Header, ImageFormat};
use crate::reader::Reader;

const FORMAT: ImageFormat = ImageFormat::Bmp;
const SIZE_OFFSET: usize = 18;
const PIXEL_OFFSET_OFFSET: usize = 10;

/// The fields that matter here.
struct Fields {
    declared_bytes: u32,
    pixel_offset: u32,
    width: u32,
    height: u32,
    bits_per_pixel: u16,
    /// Rows of a fixed length: neither run lengths nor an embedded JPEG or PNG.
    has_plain_rows: bool,
}

fn fields(bytes: &[u8]) -> Result<Fields, ImageError> {
    let mut reader = Reader::new(bytes, 2, FORMAT);
    let what = "the file header";
    let declared_bytes = u32::from_le_bytes(reader.array(what)?);
    reader.take(4, what)?;
    let pixel_offset = u32::from_le_bytes(reader.array(what)?);
    let what = "the image header";
    let header_bytes = u32::from_le_bytes(reader.array(what)?);
    let (width, height);
    if header_bytes == 12 {
        width = u32::from(u16::from_le_bytes(reader.array(what)?));
        height = u32::from(u16::from_le_bytes(reader.array(what)?));
    } else {
        let signed_width = i32::from_le_bytes(reader.array(what)?);
        width = u32::try_from(signed_width).map_err(|_| {
            ImageError::corrupt(
                FORMAT,
                SIZE_OFFSET,
                format!("the width is {signed_width}, expected at least 1"),
            )
        })?;
        // Negative: the rows go from top to bottom.
        height = i32::from_le_bytes(reader.array(what)?).unsigned_abs();
    }
    reader.take(2, what)?; // planes, always 1
    let bits_offset = reader.position();
    let bits_per_pixel = u16::from_le_bytes(reader.array(what)?);
    if !matches!(bits_per_pixel, 0 | 1 | 2 | 4 | 8 | 16 | 24 | 32 | 64) {
        let message = format!("{bits_per_pixel} bits per pixel, expected 1, 2, 4, 8, 16, 24, 32 or 64");
        return Err(ImageError::corrupt(FORMAT, bits_offset, message));
    }
    let compression = if header_bytes >= 40 { u32::from_le_bytes(reader.array(what)?) } else { 0 };
    // 3 and 6 only say where in a pixel the colours are. In OS/2's 64-byte header 3 is a compression.
    let has_plain_rows = bits_per_pixel > 0
        && matches!((compression, header_bytes), (0, _) | (3 | 6, 40 | 52 | 56 | 108 | 124));
    let headers_end = end_of_headers(bytes, header_bytes, bits_per_pixel, compression);
    if u64::from(pixel_offset) < headers_end {
        let message = format!(
            "the pixels begin at byte {pixel_offset}, which is in the headers or their colours: these end at byte {headers_end}"
        );
        return Err(ImageError::corrupt(FORMAT, PIXEL_OFFSET_OFFSET, message));
    }
    Ok(Fields { declared_bytes, pixel_offset, width, height, bits_per_pixel, has_plain_rows })
}

/// Where the headers end, with what lies between them and the pixels: the masks of the shortest header, or the colours that it counts. A
/// count of 0 stands for all that there can be, and is also what writers of gray without a palette put there: it is not gone by.
fn end_of_headers(bytes: &[u8], header_bytes: u32, bits_per_pixel: u16, compression: u32) -> u64 {
    const FILE_HEADER_BYTES: u64 = 14;
    const NUM_COLOURS_OFFSET: usize = 46;
    let end = FILE_HEADER_BYTES + u64::from(header_bytes);
    match (bits_per_pixel, compression) {
        (1..=8, _) if header_bytes >= 40 => {
            let counted = bytes.get(NUM_COLOURS_OFFSET..).and_then(|rest| rest.first_chunk());
            let counted = counted.map_or(0, |&four| u64::from(u32::from_le_bytes(four)));
            end + 4 * counted.min(1 << bits_per_pixel)
        }
        (16 | 32, 3) if header_bytes == 40 => end + 12,
        (16 | 32, 6) if header_bytes == 40 => end + 16,
        _ => end,
    }
}

pub(crate) fn header(bytes: &[u8]) -> Result<Header, ImageError> {
    let Fields { width, height, bits_per_pixel, .. } = fields(bytes)?;
    let channels = match bits_per_pixel {
        16 | 24 => Some(3),
        32 | 64 => Some(4),
        _ => None, // indexes into a palette, or an embedded image
    };
    Ok(Header { format: FORMAT, width, height, channels, size_offset: SIZE_OFFSET })
}

pub(crate) fn check_complete(bytes: &[u8]) -> Result<(), ImageError> {
    let fields = fields(bytes)?;
    let found = bytes.len() as u64;
    let truncated = |what: &str, needed: u64| {
        let message = format!("{what} needs {needed} bytes, found {found}");
        Err(ImageError::truncated(FORMAT, bytes.len(), message))
    };
    if fields.has_plain_rows {
        // Rows are padded to 4 bytes. No overflow: both factors are below 2^38 and 2^32, so saturate for form.
        let row_bytes = (u64::from(fields.width) * u64::from(fields.bits_per_pixel)).div_ceil(32) * 4;
        let pixel_bytes = row_bytes.saturating_mul(u64::from(fields.height));
        let needed = pixel_bytes.saturating_add(u64::from(fields.pixel_offset));
        if found < needed {
            return truncated("the image with all its rows", needed);
        }
    }
    if found < u64::from(fields.declared_bytes) {
        return truncated("the file, by its own header,", u64::from(fields.declared_bytes));
    }
    Ok(())
}
