//! Compressed strings, one after the other.

use std::ops::Range;

use crc_fast::{CrcAlgorithm, checksum};
use flate2::{Decompress, FlushDecompress, Status};

use super::deflate::adler32;
use super::short::SLACK_BYTES;
use super::{Compression, short};

/// A gzip header without options, and the trailer: a checksum and the length.
const GZIP_HEADER_BYTES: usize = 10;
const GZIP_TRAILER_BYTES: usize = 8;
/// The header of zlib, and its trailer: a checksum.
const ZLIB_HEADER_BYTES: usize = 2;
const ZLIB_TRAILER_BYTES: usize = 4;
/// What a string of zlib, which does not say how long it was, is taken to become: so many times as long, and so much at least.
const USUAL_RATIO: usize = 8;
const USUAL_BYTES: usize = 256;
/// No short string becomes longer.
const MAX_SHORT_BYTES: usize = 1 << 16;
/// Nothing becomes so many times as long: 258 bytes are two bits at least.
const MAX_RATIO: usize = 1032;

/// Inflates whole strings, with the memory of one inflater: making one takes several times as long as a short string. Most short ones need none.
///
/// Each is made in memory of its own, which is there already, and copied to its place: room behind other strings would have to be filled with zeros
/// first, and the library fills all that is left of a batch's, not what it needs.
///
/// It takes what strings usually are, one sound stream without options; [`Decompressor`](super::Decompressor) takes all
/// others, and says what is wrong with them.
pub struct StringInflater {
    compression: Compression,
    inflate: Decompress,
    made: Vec<u8>,
}

impl StringInflater {
    /// One for strings that are compressed so.
    pub fn new(compression: Compression) -> StringInflater {
        // Headers and trailers are read here: an inflater that reads gzip's cannot be used again.
        StringInflater { compression, inflate: Decompress::new(false), made: Vec::new() }
    }

    /// Bytes of memory that inflating `string` takes.
    pub fn room(&self, string: &[u8]) -> usize {
        match (self.compression, string.last_chunk::<4>()) {
            (Compression::Gzip, Some(&length)) => u32::from_le_bytes(length) as usize,
            _ => (string.len() * USUAL_RATIO).max(USUAL_BYTES),
        }
    }

    /// Adds what `string` was to `out`; or says no, and leaves `out` as it was, where it is not one sound stream, or longer than
    /// its [room](StringInflater::room).
    pub fn inflate(&mut self, string: &[u8], out: &mut Vec<u8>) -> bool {
        let room = self.room(string);
        // A length that lies may be 4 GiB.
        if room > string.len().saturating_mul(MAX_RATIO) {
            return false;
        }
        let Some(stream) = self.stream_of(string) else { return false };
        if self.made.len() < room + SLACK_BYTES {
            self.made.resize(room + SLACK_BYTES, 0);
        }
        let is_short = room <= MAX_SHORT_BYTES && short::begins(&string[stream.clone()]);
        let made = match is_short.then(|| short::inflate(string, stream.clone(), &mut self.made, room)) {
            Some(Some(made)) => Some(made),
            _ => self.inflate_any(&string[stream], room),
        };
        let inflated = made.map(|made| &self.made[..made]);
        let inflated = inflated.filter(|inflated| self.is_what_was_written(string, inflated));
        inflated.inspect(|inflated| out.extend_from_slice(inflated)).is_some()
    }

    /// How much `stream`, with codes of its own, becomes, if that is `room` bytes at most.
    fn inflate_any(&mut self, stream: &[u8], room: usize) -> Option<usize> {
        self.inflate.reset(false);
        // One more: an inflater that has no room left does not look whether the stream has ended.
        let status = self.inflate.decompress(stream, &mut self.made[..=room], FlushDecompress::Finish);
        let is_whole =
            matches!(status, Ok(Status::StreamEnd)) && self.inflate.total_in() == stream.len() as u64;
        is_whole.then(|| self.inflate.total_out() as usize)
    }

    /// The deflated part of a string whose header is the usual one.
    fn stream_of(&self, string: &[u8]) -> Option<Range<usize>> {
        let (is_plain, header_bytes, trailer_bytes) = match self.compression {
            // The largest window, and no dictionary.
            Compression::Zlib => {
                let is_plain = string.starts_with(&[0x78]) && Compression::sniff(string).is_some();
                (is_plain, ZLIB_HEADER_BYTES, ZLIB_TRAILER_BYTES)
            }
            Compression::Gzip => {
                (string.starts_with(&[0x1f, 0x8b, 8, 0]), GZIP_HEADER_BYTES, GZIP_TRAILER_BYTES)
            }
        };
        let end = string.len().checked_sub(trailer_bytes)?;
        (is_plain && header_bytes <= end).then_some(header_bytes..end)
    }

    /// Whether the trailer says so.
    fn is_what_was_written(&self, string: &[u8], inflated: &[u8]) -> bool {
        match self.compression {
            Compression::Zlib => string.ends_with(&adler32(1, inflated).to_be_bytes()),
            Compression::Gzip => {
                let sum = checksum(CrcAlgorithm::Crc32IsoHdlc, inflated) as u32;
                let trailer = u64::from(inflated.len() as u32) << 32 | u64::from(sum);
                string.ends_with(&trailer.to_le_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CompressedStream, Decompressor, deflate_piece};
    use super::*;

    fn compressed(compression: Compression, text: &[u8]) -> Vec<u8> {
        let mut stream = CompressedStream::new(compression);
        let mut bytes = stream.header().to_vec();
        deflate_piece(text, 6, &mut bytes);
        stream.add(text);
        bytes.extend_from_slice(&stream.trailer());
        bytes
    }

    /// What the careful way makes of it.
    fn carefully(compression: Compression, string: &[u8]) -> Option<Vec<u8>> {
        let mut decompressor = Decompressor::new(compression);
        let mut out = Vec::new();
        let taken = decompressor.push(string, &mut out, 1 << 20).ok()?;
        (taken == string.len() && decompressor.finish().is_ok()).then_some(out)
    }

    #[test]
    fn strings_one_after_the_other_are_what_they_were() {
        for compression in [Compression::Gzip, Compression::Zlib] {
            let mut inflater = StringInflater::new(compression);
            let mut out = b"before".to_vec();
            for text in [&b""[..], b"a", b"hello hello hello", &[7; 200], b"last"] {
                assert!(inflater.inflate(&compressed(compression, text), &mut out), "{compression} {text:?}");
                assert_eq!(&out[6..], text);
                out.truncate(6);
            }
        }
    }

    #[test]
    fn what_is_taken_is_what_the_careful_way_makes_of_it() {
        for compression in [Compression::Gzip, Compression::Zlib] {
            let mut inflater = StringInflater::new(compression);
            let sound = compressed(compression, b"some words and some more words");
            let mut cases: Vec<Vec<u8>> = (0..=sound.len()).map(|end| sound[..end].to_vec()).collect();
            for place in 0..sound.len() {
                let mut damaged = sound.clone();
                damaged[place] ^= 0x11;
                cases.push(damaged);
            }
            cases.push([&sound[..], &sound[..]].concat());
            cases.push([&sound[..], &[0; 5][..]].concat());
            for string in cases {
                let mut out = Vec::new();
                if inflater.inflate(&string, &mut out) {
                    assert_eq!(Some(out), carefully(compression, &string), "{string:?}");
                } else {
                    assert!(out.is_empty());
                }
            }
        }
    }
}
