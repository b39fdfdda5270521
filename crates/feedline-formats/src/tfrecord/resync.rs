//! Going on after damage: finding the next place where a valid record begins.

use super::read::split_header;
use super::{FrameReader, HEADER_BYTES, frame_bytes};
use crate::checksum::masked_crc32c;

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
    /// The damaged place counts as one record. That, and so later record numbers, is exact when only data was damaged, of
    /// however many neighbours; where the next record had to be searched for, both are lower bounds, and
    /// [`Damage::lost_records`](super::Damage::lost_records) says so.
    ///
    /// All calls together take time in proportion to the bytes of the stream, whatever these are: as data each is summed at
    /// most four times, and every length with a valid checksum costs about a microsecond beside.
    pub fn resync(&mut self, buffer: &[u8], at_end: bool) -> Resync {
        self.damage.regions += 1;
        // Until a length says otherwise.
        self.damage.unknown_regions += 1;
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
                self.damage.unknown_regions -= 1;
                self.skip(end);
                Resync::Found { skipped: end }
            }
            Some(end) if end == buffer.len() => {
                self.damage.unknown_regions -= 1;
                self.seek_frame(buffer, at_end, end)
            }
            end => {
                // One record was cut off, unless others are found in it: all that is left by its length, or too little
                // to hold a length.
                let is_cut_off =
                    at_end && (end.is_some_and(|end| end > buffer.len()) || buffer.len() < HEADER_BYTES);
                let found = self.seek_frame(buffer, at_end, 1);
                if is_cut_off && matches!(found, Resync::End { .. }) {
                    self.damage.unknown_regions -= 1;
                }
                found
            }
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
            match self.candidate(self.offset + start as u64, &buffer[start..]) {
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

    /// Whether a record begins at `bytes`, byte `offset` of the stream.
    #[inline]
    fn candidate(&mut self, offset: u64, bytes: &[u8]) -> Candidate {
        let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Candidate::Incomplete { wanted: HEADER_BYTES as u64 };
        };
        let length = split_header(header).0;
        // The length test comes first: it rejects nearly every offset for the price of a comparison.
        if length > self.options.max_record_bytes || !valid_header(bytes) {
            return Candidate::No;
        }
        let wanted = frame_bytes(length);
        if (bytes.len() as u64) < wanted {
            return Candidate::Incomplete { wanted };
        }
        match self.check_data(offset, bytes, HEADER_BYTES + length as usize) {
            Ok(()) => Candidate::Yes,
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

#[cfg(test)]
mod tests {
    use super::super::write_frame;
    use super::*;
    use crate::checksum::tests::BYTES_SUMMED;

    fn header(length: usize) -> Vec<u8> {
        let length = (length as u64).to_le_bytes();
        [&length[..], &masked_crc32c(&length).to_le_bytes()].concat()
    }

    /// Reads all of `file`, `step` bytes at a time, over all damage; the records found, and the bytes summed for each of the
    /// file's.
    fn read(file: &[u8], step: usize) -> (usize, u64) {
        let mut reader = FrameReader::default();
        let (mut num_records, mut end) = (0, step.min(file.len()));
        BYTES_SUMMED.set(0);
        loop {
            let unread = |reader: &FrameReader, end: usize| &file[reader.offset() as usize..end];
            let buffer = unread(&reader, end);
            let read = reader.read_places(buffer, usize::MAX, |_| num_records += 1);
            let at_end = end == file.len();
            if read.is_err() || at_end && reader.finish(unread(&reader, end)).is_err() {
                let mut found = reader.resync(unread(&reader, end), at_end);
                while let Resync::NeedMore { .. } = found {
                    end = file.len().min(end + step);
                    found = reader.resync_more(unread(&reader, end), end == file.len());
                }
            } else if at_end {
                return (num_records, BYTES_SUMMED.get() / file.len() as u64);
            } else {
                end = file.len().min(end + step);
            }
        }
    }

    /// Lengths that are valid, reach to the end of the file, and lie. Summed anew for each, the bytes are thousands of times
    /// as many as the file has.
    #[test]
    fn lengths_that_reach_over_each_other_are_not_summed_over_and_over() {
        const COUNT: usize = 20_000;
        let rest = |file: &[u8], unit: usize| COUNT * unit - file.len();
        let (mut bare, mut mixed) = (Vec::new(), Vec::new());
        for _ in 0..COUNT {
            bare.extend(header(rest(&bare, 12)));
            // A record behind each, so that the search ends there and begins again.
            mixed.extend(header(rest(&mixed, 12 + 17)));
            write_frame(&mut mixed, b"x").unwrap();
        }
        for file in [&mut bare, &mut mixed] {
            file.resize(file.len() + 100, 0);
        }
        for (name, file, num_records) in [("bare", &bare, 0), ("mixed", &mixed, COUNT)] {
            for step in [file.len(), file.len() / 3, 4096] {
                let (found, times) = read(file, step);
                assert_eq!(found, num_records, "{name} in steps of {step}");
                // Up to two blocks of 512 bytes for each of the headers, which stand every 12 bytes or more.
                assert!(times < 100, "{name} in steps of {step}: each byte was summed {times} times");
            }
        }
    }
}
