//! Writing compressed streams, of pieces that are made in parallel.

use flate2::{Compress, FlushCompress};

use super::Compression;

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
pub(super) fn adler32(sum: u32, bytes: &[u8]) -> u32 {
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
