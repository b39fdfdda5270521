//! Small pictures made by formula, one folder a class.

use std::path::Path;

use feedline::Result;
use feedline::image::{JpegOptions, encode_jpeg};
use feedline::io::AtomicFile;

use super::unexpected;

/// A class: its name, and whether a point (from -1 to 1 each way) belongs to the shape of the given size.
type Class = (&'static str, fn(f32, f32, f32) -> bool);

pub(super) const CLASSES: [Class; 3] = [
    ("disc", |x, y, size| x * x + y * y < size * size),
    ("ring", |x, y, size| ((x * x + y * y).sqrt() - size).abs() < 0.15),
    ("square", |x, y, size| x.abs() < size && y.abs() < size),
];

const IMAGES_PER_CLASS: u32 = 100;
const WIDTH: u32 = 64;
/// Pictures to be trained with: as wide as small photos.
const PHOTO_WIDTH: u32 = 192;
const PHOTO_QUALITY: u8 = 90;
/// Before the pixels of an uncompressed BMP.
const BMP_HEADER_BYTES: usize = 54;

/// Writes the pictures and returns their number and size.
pub(super) fn make(folder: &Path) -> Result<(u64, u64)> {
    let (mut num_images, mut num_bytes) = (0, 0);
    for (class, shape) in CLASSES {
        let folder = folder.join(class);
        std::fs::create_dir_all(&folder)
            .map_err(|error| feedline::io::Error::io(&folder, "create the folder", error))?;
        for index in 0..IMAGES_PER_CLASS {
            let bitmap = bitmap(index, shape, WIDTH);
            let mut file = AtomicFile::create(folder.join(format!("{index:03}.bmp")))?;
            file.write_all(&bitmap)?;
            file.commit()?;
            num_images += 1;
            num_bytes += bitmap.len() as u64;
        }
    }
    Ok((num_images, num_bytes))
}

/// Picture `number` as a JPEG, and its class, with the grain that photos have: without it there would be nothing to decode.
pub(super) fn photo(number: u32) -> Result<(Vec<u8>, i64)> {
    let class = number as usize % CLASSES.len();
    let mut pixels = bitmap(number, CLASSES[class].1, PHOTO_WIDTH).split_off(BMP_HEADER_BYTES);
    let mut state = number;
    for part in &mut pixels {
        // The generator of Numerical Recipes; its upper bits are the random ones.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *part ^= (state >> 28) as u8;
    }
    let side = PHOTO_WIDTH as usize;
    let jpeg = encode_jpeg(&pixels, side, side, 3, &JpegOptions::of_quality(PHOTO_QUALITY))
        .map_err(|error| unexpected(format!("a picture could not be written: {error}")))?;
    Ok((jpeg, class as i64))
}

/// A picture of `shape`, somewhere, in some colour, as an uncompressed 24-bit BMP.
fn bitmap(index: u32, shape: fn(f32, f32, f32) -> bool, width: u32) -> Vec<u8> {
    let number =
        |salt: u32| (index.wrapping_mul(2_654_435_761).wrapping_add(salt * 40_503) >> 16) as f32 / 65_536.0;
    let (size, left, top) = (0.3 + number(1) * 0.4, number(2) * 0.6 - 0.3, number(3) * 0.6 - 0.3);
    let colour = [number(4), number(5), number(6)].map(|part| 96 + (part * 159.0) as u8);
    let pixel_bytes = width * width * 3;
    let mut out = b"BM".to_vec();
    for number in [54 + pixel_bytes, 0, 54, 40, width, width, 1 | 24 << 16, 0, pixel_bytes, 2835, 2835, 0, 0]
    {
        out.extend_from_slice(&number.to_le_bytes());
    }
    let coordinate = |at: u32| at as f32 / (width / 2) as f32 - 1.0;
    for row in 0..width {
        for column in 0..width {
            let inside = shape(coordinate(column) - left, coordinate(row) - top, size);
            out.extend_from_slice(&if inside { colour } else { [16; 3] });
        }
    }
    out
}
