//! Whole-file compression of TFRecord files: gzip and zlib.

use std::fmt;

use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};

use crate::error::{Error, ErrorKind, Result};
use crate::tfrecord::{FrameReader, HEADER_BYTES};

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

/// Inflates a stream given in pieces.
///
/// Several streams one behind the other read as one, as `gzip -d` does. Their checksums are verified. Zeros behind the last
/// one are padding, as they are to `gzip -d`; anything else there is damage.
pub struct Decompressor {
    compression: Compression,
    inflate: Decompress,
    /// Compressed bytes taken so far, and bytes made of them.
    taken: u64,
    made: u64,
    /// Whether the current stream has begun and not ended.
    inside: bool,
    /// Whether a zero was met where a second or later stream could begin: from there on there may be only zeros.
    padding: bool,
}

impl Decompressor {
    /// A decompressor at the start of a stream.
    pub fn new(compression: Compression) -> Decompressor {
        Decompressor {
            compression,
            inflate: inflater(compression),
            taken: 0,
            made: 0,
            inside: false,
            padding: false,
        }
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
                let behind_a_stream = self.taken + taken as u64 > 0;
                self.padding |= behind_a_stream && input[taken] == 0;
                if self.padding {
                    taken += input[taken..].iter().take_while(|&&byte| byte == 0).count();
                    if taken < input.len() {
                        break Err("something else follows the zeros behind it".to_owned());
                    }
                    continue;
                }
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
                Err(error) => {
                    // What zlib-rs says where its fast loop met the damage: true of its inside, and of no use to anybody.
                    let reason = error.message().filter(|reason| !reason.contains("bad state"));
                    break Err(reason.unwrap_or("its bytes are no deflated data").to_owned());
                }
            }
        };
        out.truncate(start + made);
        self.taken += taken as u64;
        self.made += made as u64;
        result.map_err(|reason| self.error(&reason))?;
        Ok(taken)
    }

    /// Uncompressed bytes made so far.
    pub fn num_made(&self) -> u64 {
        self.made
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
    fn text_is_taken_for_compressed_only_if_it_is() {
        let long = "a line\n".repeat(100_000);
        for compression in [Compression::Gzip, Compression::Zlib] {
            for text in ["", "one\ntwo", &long] {
                let stream = stream_of(compression, &[text.as_bytes()]);
                assert_eq!(Compression::detect_of_text(&stream, true), Some(compression));
                assert_eq!(
                    Compression::detect_of_text(&stream[..stream.len() / 2], false),
                    Some(compression)
                );
            }
        }
        let mut texts = vec![String::new(), "one\ntwo".to_owned(), "x^".repeat(2000)];
        // Everything that text can have behind the two bytes that are also zlib's: "x^", "hC", "X\t", "H\t" and others.
        for (first, second) in (0..=127_u8).flat_map(|first| (0..=127).map(move |second| (first, second))) {
            for rest in ["", "2", "2\n", " = y", "\u{1}", "\u{3}\0", "abc\ndef\nghi\n"] {
                texts.push(format!("{}{}{rest}", char::from(first), char::from(second)));
            }
        }
        for text in texts {
            assert_eq!(Compression::detect_of_text(text.as_bytes(), true), None, "{text:?}");
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
    fn zeros_behind_the_last_stream_are_padding_and_nothing_else_is() {
        for compression in [Compression::Gzip, Compression::Zlib] {
            let stream = stream_of(compression, &[b"one"]);
            for step in [1, 7, 1000] {
                let inflate = |behind: &[u8]| inflate_all(compression, &[&stream, behind].concat(), step, 5);
                assert_eq!(inflate(&[0]).unwrap(), b"one");
                assert_eq!(inflate(&[0; 512]).unwrap(), b"one");
                for damage in [&b"x"[..], b"\0x", &[&[0; 20], &stream[..]].concat()] {
                    assert!(inflate(damage).is_err(), "{compression} {damage:?}");
                }
            }
            assert!(inflate_all(compression, &[0; 20], 5, 5).is_err(), "zeros alone are no stream");
        }
    }

    #[test]
    fn a_length_that_looks_like_compression_is_told_from_it() {
        let mut records = Vec::new();
        for number in 0..200 {
            crate::tfrecord::write_frame(
                &mut records,
                format!("record {number} {}", number * number).as_bytes(),
            );
        }
        assert_eq!(Compression::detect(&records), None);
        for compression in [Compression::Gzip, Compression::Zlib] {
            let stream = stream_of(compression, &[&records]);
            for end in 30..stream.len() {
                assert_eq!(Compression::detect(&stream[..end]), Some(compression), "{end}");
            }
            // Damaged somewhere behind the first record, it is still known.
            let mut damaged = stream.clone();
            damaged[1000] ^= 0x55;
            damaged[1500] ^= 0x55;
            assert_eq!(Compression::detect(&damaged), Some(compression));
        }
        // Lengths of up to 16 MiB, with a flipped bit, that have the mark of zlib.
        let mut met = 0;
        for length in
            (0..1_u64 << 24).filter(|length| Compression::sniff(&length.to_le_bytes()).is_some()).step_by(7)
        {
            met += 1;
            let mut file = length.to_le_bytes().to_vec();
            file.extend(b"\x12\x34\x56\x78");
            file.extend_from_slice(&records[12..]);
            assert_eq!(Compression::detect(&file), None, "{length:#x}");
        }
        assert!(met > 1000, "{met}");
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
        let text: Vec<u8> =
            (0..20_000_u32).flat_map(|number| (number * number).to_string().into_bytes()).collect();
        let stream = stream_of(Compression::Zlib, &[&text]);
        for byte in (2..2000).step_by(3) {
            let mut damaged = stream.clone();
            damaged[byte] ^= 0x55;
            if let Err(error) = inflate_all(Compression::Zlib, &damaged, 100_000, 100_000) {
                assert!(!error.to_string().contains("bad state"), "{error}");
            }
        }
    }
}
