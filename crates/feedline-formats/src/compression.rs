//! Whole-file compression of TFRecord files: gzip and zlib.

use std::fmt;

use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};

use crate::error::{Error, ErrorKind, Result};

/// How a file is compressed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// TensorFlow's `"GZIP"`.
    Gzip,
    /// TensorFlow's `"ZLIB"`.
    Zlib,
}

/// The base-2 logarithm of deflate's window, the largest there is.
const WINDOW_BITS: u8 = 15;

impl Compression {
    /// The name users type: `gzip` or `zlib`.
    pub const fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zlib => "zlib",
        }
    }

    /// The compression whose streams begin like `bytes`, the first bytes of a file.
    ///
    /// An uncompressed TFRecord file does not look like either: it would need a first record of a length that
    /// reads as a compression header, so callers that know better (a length checksum that matches) ask first.
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

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Inflates a stream given in pieces.
///
/// Several streams one behind the other read as one, as `gzip -d` does. Their checksums are verified.
pub struct Decompressor {
    compression: Compression,
    inflate: Decompress,
    /// Compressed bytes taken so far.
    taken: u64,
    /// Whether the current stream has begun and not ended.
    inside: bool,
}

impl Decompressor {
    /// A decompressor at the start of a stream.
    pub fn new(compression: Compression) -> Decompressor {
        Decompressor { compression, inflate: inflater(compression), taken: 0, inside: false }
    }

    /// Inflates from `input`, appending at most `room` bytes to `out`; returns how many bytes of `input` it took.
    ///
    /// It is done with the input when it took all of it and appended less than `room`.
    pub fn push(&mut self, input: &[u8], out: &mut Vec<u8>, room: usize) -> Result<usize> {
        let start = out.len();
        out.resize(start + room, 0);
        let (mut taken, mut made) = (0, 0);
        let result = loop {
            if made == room || (taken == input.len() && !self.inside) {
                break Ok(());
            }
            if !self.inside {
                self.inflate = inflater(self.compression);
                self.inside = true;
            }
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let status =
                self.inflate.decompress(&input[taken..], &mut out[start + made..], FlushDecompress::None);
            let (step_in, step_out) = (
                (self.inflate.total_in() - before_in) as usize,
                (self.inflate.total_out() - before_out) as usize,
            );
            taken += step_in;
            made += step_out;
            match status {
                Ok(Status::StreamEnd) => self.inside = false,
                Ok(_) if step_in == 0 && step_out == 0 => break Ok(()),
                Ok(_) => {}
                Err(error) => break Err(error.message().unwrap_or("invalid data").to_owned()),
            }
        };
        out.truncate(start + made);
        self.taken += taken as u64;
        result.map_err(|reason| self.error(&reason))?;
        Ok(taken)
    }

    /// Call when the input has ended: an error if a stream is incomplete.
    pub fn finish(&self) -> Result<()> {
        if self.inside { Err(self.error("it ends in the middle")) } else { Ok(()) }
    }

    fn error(&self, reason: &str) -> Error {
        Error::new(ErrorKind::Inflate {
            compression: self.compression,
            reason: format!("{reason} (compressed byte {})", self.taken),
        })
    }
}

fn inflater(compression: Compression) -> Decompress {
    match compression {
        Compression::Gzip => Decompress::new_gzip(WINDOW_BITS),
        Compression::Zlib => Decompress::new(true),
    }
}

/// Deflates one piece of a larger stream on its own, so that pieces can be made in parallel and joined.
///
/// The bytes of [`CompressedStream::header`], the pieces in order, and [`CompressedStream::trailer`] together are one
/// ordinary gzip or zlib stream with a single member. Each piece ends on a byte boundary with its window reset; at
/// the usual piece of a megabyte that costs a tenth of a percent of size.
pub fn deflate_piece(input: &[u8], level: u32, out: &mut Vec<u8>) {
    let mut deflate = Compress::new(flate2::Compression::new(level.min(9)), false);
    loop {
        out.reserve(out.capacity().saturating_sub(out.len()).max(input.len() / 2 + 1024));
        let taken = deflate.total_in() as usize;
        deflate
            .compress_vec(&input[taken..], out, FlushCompress::Full)
            .expect("deflating a slice into a growing vector has no failure to report");
        // Full flush is complete once there is room left over after it.
        if deflate.total_in() as usize == input.len() && out.len() < out.capacity() {
            return;
        }
    }
}

/// The frame around pieces made by [`deflate_piece`].
pub struct CompressedStream {
    compression: Compression,
    checksum: Checksum,
}

#[expect(clippy::large_enum_variant, reason = "there is one a stream")]
enum Checksum {
    Crc32 { digest: crc_fast::Digest, length: u32 },
    Adler32(u32),
}

impl CompressedStream {
    /// A stream to which no piece has been added.
    pub fn new(compression: Compression) -> CompressedStream {
        let checksum = match compression {
            Compression::Gzip => Checksum::Crc32 {
                digest: crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32IsoHdlc),
                length: 0,
            },
            Compression::Zlib => Checksum::Adler32(1),
        };
        CompressedStream { compression, checksum }
    }

    /// What stands before the first piece. No time, name or system: equal data gives equal bytes.
    pub fn header(&self) -> &'static [u8] {
        match self.compression {
            Compression::Gzip => &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff],
            Compression::Zlib => &[0x78, 0x9c],
        }
    }

    /// Counts the uncompressed bytes of the next piece, in order.
    pub fn add(&mut self, uncompressed: &[u8]) {
        match &mut self.checksum {
            Checksum::Crc32 { digest, length } => {
                digest.update(uncompressed);
                *length = length.wrapping_add(uncompressed.len() as u32);
            }
            Checksum::Adler32(sum) => *sum = adler32(*sum, uncompressed),
        }
    }

    /// What stands behind the last piece: an empty final block and the stream's checksum.
    pub fn trailer(&self) -> Vec<u8> {
        let mut trailer = vec![0x03, 0x00];
        match &self.checksum {
            Checksum::Crc32 { digest, length } => {
                trailer.extend_from_slice(&(digest.finalize() as u32).to_le_bytes());
                trailer.extend_from_slice(&length.to_le_bytes());
            }
            Checksum::Adler32(sum) => trailer.extend_from_slice(&sum.to_be_bytes()),
        }
        trailer
    }
}

/// Continues the Adler-32 checksum `sum` over `bytes`.
fn adler32(sum: u32, bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65521;
    // The most additions for which the second sum cannot overflow 32 bits.
    const RUN: usize = 5552;
    let (mut low, mut high) = (sum & 0xffff, sum >> 16);
    for run in bytes.chunks(RUN) {
        for &byte in run {
            low += u32::from(byte);
            high += low;
        }
        low %= MODULUS;
        high %= MODULUS;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inflate_all(compression: Compression, stream: &[u8], step: usize, room: usize) -> Result<Vec<u8>> {
        let mut decompressor = Decompressor::new(compression);
        let mut out = Vec::new();
        for piece in stream.chunks(step) {
            let mut piece = piece;
            loop {
                let before = out.len();
                let taken = decompressor.push(piece, &mut out, room)?;
                piece = &piece[taken..];
                if piece.is_empty() && out.len() - before < room {
                    break;
                }
            }
        }
        decompressor.finish()?;
        Ok(out)
    }

    fn stream_of(compression: Compression, pieces: &[&[u8]]) -> Vec<u8> {
        let mut stream = CompressedStream::new(compression);
        let mut out = stream.header().to_vec();
        for piece in pieces {
            stream.add(piece);
            deflate_piece(piece, 6, &mut out);
        }
        out.extend_from_slice(&stream.trailer());
        out
    }

    #[test]
    fn pieces_join_into_one_stream() {
        let noise: Vec<u8> = (0u32..200_000).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let zeros = vec![0; 300_000];
        for compression in [Compression::Gzip, Compression::Zlib] {
            for pieces in [vec![], vec![&b""[..]], vec![b"hello".as_slice(), &zeros, b"", &noise, b"end"]] {
                let stream = stream_of(compression, &pieces);
                assert_eq!(Compression::sniff(&stream), Some(compression));
                for (step, room) in [(1 << 20, 1 << 20), (1000, 77), (1, 65536)] {
                    assert_eq!(inflate_all(compression, &stream, step, room).unwrap(), pieces.concat());
                }
            }
        }
    }

    #[test]
    fn several_streams_read_as_one() {
        for compression in [Compression::Gzip, Compression::Zlib] {
            let both = [stream_of(compression, &[b"one"]), stream_of(compression, &[b"two"])].concat();
            assert_eq!(inflate_all(compression, &both, 5, 4).unwrap(), b"onetwo");
        }
    }

    #[test]
    fn every_truncation_and_a_flipped_bit_are_errors() {
        for compression in [Compression::Gzip, Compression::Zlib] {
            let stream = stream_of(compression, &[b"some text, some text, some more text"]);
            for end in 1..stream.len() {
                assert!(
                    inflate_all(compression, &stream[..end], 64, 64).is_err(),
                    "{compression} cut at {end}"
                );
            }
            let mut damaged = stream.clone();
            let last = damaged.len() - 1;
            damaged[last - 4] ^= 1;
            let error = inflate_all(compression, &damaged, 64, 64).unwrap_err().to_string();
            assert!(error.contains(compression.name()) && error.contains("hint:"), "{error}");
        }
    }
}
