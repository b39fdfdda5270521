//! Going on after damage: finding the next place where a valid record begins.

use super::read::split_header;
use super::{FrameReader, HEADER_BYTES};
use crate::checksum::masked_crc32c;

/// What was lost to damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Damaged places. Each lost at least one record; how many exactly is known only where the length survived.
    pub regions: u64,
    /// Bytes skipped.
    pub bytes: u64,
}

/// What [`FrameReader::resync`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resync {
    /// A record begins this many bytes into the buffer, and the reader stands there. It is valid, or at least its length
    /// is and it stands where the one before it ended.
    Found {
        /// Bytes to drop from the front of the buffer.
        skipped: usize,
    },
    /// Nothing valid begins in the first `skipped` bytes. The reader has moved past them; call again with at least
    /// `wanted` bytes from there on (or all that is left).
    NeedMore {
        /// Bytes to drop from the front of the buffer.
        skipped: usize,
        /// Bytes the next call needs.
        wanted: u64,
    },
    /// The stream ended; all of the buffer is lost.
    End {
        /// The whole buffer.
        skipped: usize,
    },
}

impl FrameReader {
    /// Skips the damaged record that `buffer` begins with, up to the next one.
    ///
    /// Call it after [`FrameReader::read`] failed (or [`FrameReader::finish`]), with the bytes from
    /// [`FrameReader::offset`] on; `at_end` says that no bytes follow the buffer. Where the length of the damaged record is
    /// intact and a length stands behind it, the next record begins there. Otherwise the next one is searched for, and
    /// valid then means that both checksums match, whatever [`super::ReadOptions`] say, so that chance matches (one in
    /// 2^64 offsets) do not matter; a TFRecord file stored *inside* a damaged record is indistinguishable from
    /// records of the outer file.
    ///
    /// The damaged place counts as one record, so later record numbers are exact when only data was damaged, of however
    /// many neighbours, and a lower bound otherwise.
    pub fn resync(&mut self, buffer: &[u8], at_end: bool) -> Resync {
        self.damage.regions += 1;
        self.record_index += 1;
        self.at_damaged = true;
        self.resync_more(buffer, at_end)
    }

    /// Goes on where [`Resync::NeedMore`] left off.
    pub fn resync_more(&mut self, buffer: &[u8], at_end: bool) -> Resync {
        if !self.at_damaged {
            return self.seek_frame(buffer, at_end, 0);
        }
        let end = self.end_by_length(buffer);
        let wanted = end.map_or(0, |end| end.saturating_add(HEADER_BYTES as u64));
        if (buffer.len() as u64) < wanted && !at_end {
            return Resync::NeedMore { skipped: 0, wanted };
        }
        self.at_damaged = false;
        match end.and_then(|end| usize::try_from(end).ok()) {
            // Its own data may be damaged, too: then it is a damaged record of its own, with its own number.
            Some(end) if end < buffer.len() && valid_header(&buffer[end..]) => {
                self.skip(end);
                Resync::Found { skipped: end }
            }
            Some(end) if end == buffer.len() => self.seek_frame(buffer, at_end, end),
            _ => self.seek_frame(buffer, at_end, 1),
        }
    }

    /// Where the damaged record ends by its own length, if that is intact. Believed before anything else, so that
    /// a record whose data is damaged costs itself alone even if its data contains whole records.
    fn end_by_length(&self, buffer: &[u8]) -> Option<u64> {
        let length = valid_header(buffer).then(|| self.bytes_wanted(buffer))?;
        // What is too long is no more than a header that is wanted.
        (length > HEADER_BYTES as u64).then_some(length)
    }

    fn seek_frame(&mut self, buffer: &[u8], at_end: bool, first: usize) -> Resync {
        for start in first..buffer.len() {
            match self.candidate(&buffer[start..]) {
                Candidate::No => {}
                Candidate::Yes => {
                    self.skip(start);
                    return Resync::Found { skipped: start };
                }
                // At the end of the stream a record that is not whole never will be.
                Candidate::Incomplete { .. } if at_end => {}
                Candidate::Incomplete { wanted } => {
                    self.skip(start);
                    return Resync::NeedMore { skipped: start, wanted };
                }
            }
        }
        self.skip(buffer.len());
        if at_end {
            Resync::End { skipped: buffer.len() }
        } else {
            Resync::NeedMore { skipped: buffer.len(), wanted: HEADER_BYTES as u64 }
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        self.damage.bytes += bytes as u64;
    }

    #[inline]
    fn candidate(&self, bytes: &[u8]) -> Candidate {
        let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Candidate::Incomplete { wanted: HEADER_BYTES as u64 };
        };
        // The length test comes first: it rejects nearly every offset for the price of a comparison.
        if split_header(header).0 > self.options.max_record_bytes || !valid_header(bytes) {
            return Candidate::No;
        }
        let verifying =
            FrameReader { options: super::ReadOptions { verify_data: true, ..self.options }, ..self.clone() };
        match verifying.frame(bytes) {
            Ok(Some(_)) => Candidate::Yes,
            Ok(None) => Candidate::Incomplete { wanted: self.bytes_wanted(bytes) },
            Err(_) => Candidate::No,
        }
    }
}

pub(super) fn valid_header(bytes: &[u8]) -> bool {
    bytes
        .first_chunk::<HEADER_BYTES>()
        .is_some_and(|header| masked_crc32c(&header[..8]) == split_header(header).1)
}

enum Candidate {
    No,
    Yes,
    Incomplete { wanted: u64 },
}

#[inline]
pub(super) fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"))
}
