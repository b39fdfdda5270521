//! Pixels of the formats that libraries decode whole: PNG, GIF, BMP, `WebP`.
//!
//! Channels and bits become those asked for by TensorFlow's rules. Headers are judged first, so that no library allocates on the word of
//! a damaged one.

mod bmp;
mod channels;
mod gif;
mod memory;
mod png;
mod png_gamma;
mod webp;

pub use self::bmp::decode_bmp;
pub use self::gif::decode_gif;
pub use self::memory::{bytes_to_decode, num_frames};
pub use self::png::{decode_png, encode_png};
pub use self::webp::decode_webp;
pub(crate) use channels::with_channels;

/// The samples of an image, row by row, pixel by pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Samples {
    /// Of 8 bits.
    Bytes(Vec<u8>),
    /// Of 16 bits.
    Words(Vec<u16>),
}

/// A decoded image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedImage {
    /// Pictures, one behind the other; 1 of what does not move.
    pub frames: usize,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// Samples of a pixel.
    pub channels: usize,
    /// `frames` × `height` × `width` × `channels` of them.
    pub samples: Samples,
}

impl DecodedImage {
    /// With 16 bits a sample: 255 becomes 65535.
    fn into_words(self) -> Self {
        let samples = match self.samples {
            Samples::Bytes(bytes) => {
                Samples::Words(bytes.iter().map(|&byte| u16::from(byte) * 257).collect())
            }
            words @ Samples::Words(_) => words,
        };
        Self { samples, ..self }
    }
}
