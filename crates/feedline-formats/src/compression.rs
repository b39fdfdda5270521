//! Whole-file compression of TFRecord files: gzip and zlib.

use std::fmt;

use crate::tfrecord::{FrameReader, HEADER_BYTES};

mod deflate;
mod inflate;
mod short;
#[cfg(test)]
mod tests;
mod whole;

pub use deflate::{CompressedStream, deflate_piece};
pub use inflate::Decompressor;
pub use whole::StringInflater;

/// How a file is compressed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// TensorFlow's `"GZIP"`.
    Gzip,
    /// TensorFlow's `"ZLIB"`.
    Zlib,
}

/// Enough of a zlib stream to see that it is one: its first block's tables are a few hundred bytes.
const PROBE_BYTES: usize = 4096;

fn begins_with_record(bytes: &[u8]) -> bool {
    FrameReader::default().bytes_wanted(bytes) > HEADER_BYTES as u64
}

impl Compression {
    /// The name users type: `gzip` or `zlib`.
    pub const fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zlib => "zlib",
        }
    }

    /// How a record file that begins with `bytes` is compressed; `None` if it is not. A few KiB say it for sure.
    ///
    /// Its first record, if that has a valid length, is believed before the marks of compression, which a length may happen to
    /// look like. The mark of zlib is two bytes with a check of five bits, which one damaged length in a few thousand
    /// has: it is believed if what follows inflates, or at least begins with a record before the damage.
    pub fn detect(bytes: &[u8]) -> Option<Compression> {
        if begins_with_record(bytes) {
            return None;
        }
        let compression = Compression::sniff(bytes)?;
        let mut inflated = Vec::new();
        let bytes = &bytes[..bytes.len().min(PROBE_BYTES)];
        let is_sound = Decompressor::new(compression).push(bytes, &mut inflated, PROBE_BYTES).is_ok();
        let is_it = compression == Compression::Gzip || is_sound || begins_with_record(&inflated);
        is_it.then_some(compression)
    }

    /// How a text file that begins with `bytes` is compressed; `None` if it is not. `is_whole`: they are all of it, else they
    /// should be a few KiB.
    ///
    /// No text begins with the mark of gzip. Some does with that of zlib (`x^2`), which is believed if all that is there
    /// inflates, of a whole file to the end, where its checksum is.
    pub fn detect_of_text(bytes: &[u8], is_whole: bool) -> Option<Compression> {
        let compression = Compression::sniff(bytes)?;
        (compression == Compression::Gzip || inflates(compression, bytes, is_whole)).then_some(compression)
    }

    /// The compression whose streams begin like `bytes`, the first bytes of a file: going by its mark alone, where
    /// [`Compression::detect`] looks further.
    pub fn sniff(bytes: &[u8]) -> Option<Compression> {
        match bytes {
            [0x1f, 0x8b, 8, ..] => Some(Compression::Gzip),
            // Method deflate, a window no larger than 32 KiB, header a multiple of 31, no preset dictionary.
            [first, second, ..]
                if first & 0x0f == 8
                    && first >> 4 <= 7
                    && u16::from_be_bytes([*first, *second]) % 31 == 0
                    && second & 0x20 == 0 =>
            {
                Some(Compression::Zlib)
            }
            _ => None,
        }
    }
}

/// Whether `bytes` are a stream, or, if they are not the whole of it, the beginning of one.
fn inflates(compression: Compression, mut bytes: &[u8], is_whole: bool) -> bool {
    let mut decompressor = Decompressor::new(compression);
    let mut inflated = Vec::new();
    loop {
        inflated.clear();
        let Ok(taken) = decompressor.push(bytes, &mut inflated, PROBE_BYTES) else { return false };
        bytes = &bytes[taken..];
        if bytes.is_empty() && inflated.len() < PROBE_BYTES {
            return !is_whole || decompressor.finish().is_ok();
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
