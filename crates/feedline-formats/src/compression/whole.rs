//! Compressed strings, one after the other.

use crc_fast::{CrcAlgorithm, checksum};
use flate2::{Decompress, FlushDecompress, Status};

use super::Compression;

/// A gzip header without options, and the trailer: a checksum and the length.
const GZIP_HEADER_BYTES: usize = 10;
const GZIP_TRAILER_BYTES: usize = 8;
/// What a string of zlib, which does not say how long it was, is taken to become: so many times as long, and so much at least.
const USUAL_RATIO: usize = 8;
const USUAL_BYTES: usize = 256;

/// Inflates whole strings with the memory of one inflater: making one takes several times as long as a short string.
///
/// It takes what strings usually are, one sound stream without options; [`Decompressor`](super::Decompressor) takes all
/// others, and says what is wrong with them.
pub struct StringInflater {
    compression: Compression,
    inflate: Decompress,
}

impl StringInflater {
    /// One for strings that are compressed so.
    pub fn new(compression: Compression) -> StringInflater {
        // The header and trailer of gzip are read here: an inflater that does it cannot be used again.
        StringInflater { compression, inflate: Decompress::new(compression == Compression::Zlib) }
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
        let (start, room) = (out.len(), self.room(string));
        let Some(stream) = self.stream_of(string) else { return false };
        self.inflate.reset(self.compression == Compression::Zlib);
        // One more: an inflater that has no room left does not look whether the stream has ended.
        out.reserve(room + 1);
        let status = self.inflate.decompress_vec(stream, out, FlushDecompress::Finish);
        let is_whole =
            matches!(status, Ok(Status::StreamEnd)) && self.inflate.total_in() == stream.len() as u64;
        let is_sound = is_whole && self.is_what_was_written(string, &out[start..]);
        if !is_sound {
            out.truncate(start);
        }
        is_sound
    }

    /// The part of a string that is inflated.
    fn stream_of<'a>(&self, string: &'a [u8]) -> Option<&'a [u8]> {
        match self.compression {
            Compression::Zlib => Some(string),
            Compression::Gzip => {
                let is_plain = string.starts_with(&[0x1f, 0x8b, 8, 0]);
                let end = string.len().checked_sub(GZIP_TRAILER_BYTES)?;
                string.get(GZIP_HEADER_BYTES..end).filter(|_| is_plain)
            }
        }
    }

    /// Whether a trailer of gzip says so; of zlib, the inflater has looked.
    fn is_what_was_written(&self, string: &[u8], inflated: &[u8]) -> bool {
        if self.compression == Compression::Zlib {
            return true;
        }
        let Some(trailer) = string.last_chunk::<GZIP_TRAILER_BYTES>() else { return false };
        let sum = checksum(CrcAlgorithm::Crc32IsoHdlc, inflated) as u32;
        *trailer == (u64::from(inflated.len() as u32) << 32 | u64::from(sum)).to_le_bytes()
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
