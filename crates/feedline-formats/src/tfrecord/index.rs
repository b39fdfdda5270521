//! A sidecar index: where each record of a file begins, so that the k-th can be read alone.
//!
//! All numbers are little endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `FLINDEX` and a zero byte |
//! | 4 | version, now 1 |
//! | 4 | check of the file's content ([`ContentCheck`]) |
//! | 8 | size of the file |
//! | 8 | number of records |
//! | 16 a group | for every 128th record: its offset in the file, the position of its length in the next part |
//! | 1 to 5 a record | its length, as a varint |
//! | 4 | CRC32C of all of the above |
//!
//! So a file of a million 110 KB records has an index of 3.1 MB, and finding a record reads at most 128 varints.

use std::ops::Range;

use super::frame_bytes;
use crate::checksum::crc32c;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::{self, Reader};

const MAGIC: &[u8; 8] = b"FLINDEX\0";
const VERSION: u32 = 1;
const FIXED_BYTES: usize = 32;
const GROUP_RECORDS: usize = 128;
const ANCHOR_BYTES: usize = 16;

/// What ties an index to its file beyond the size: a checksum over windows spread evenly over it.
///
/// Reading the whole file would make opening an index as slow as building one; sixteen windows of 4 KiB notice every
/// rewrite that shifts or replaces records. A change of single bytes between the windows is for the records' own
/// checksums to find.
pub struct ContentCheck;

impl ContentCheck {
    const WINDOWS: u64 = 16;
    const WINDOW_BYTES: u64 = 4096;

    /// The parts of a file of `size` bytes that are checked, in order; the first and last bytes are always in.
    pub fn ranges(size: u64) -> Vec<Range<u64>> {
        if size <= Self::WINDOWS * Self::WINDOW_BYTES {
            return std::iter::once(0..size).collect();
        }
        let span = size - Self::WINDOW_BYTES;
        // Widened so that no file size overflows.
        let starts = (0..Self::WINDOWS)
            .map(|k| (u128::from(span) * u128::from(k) / u128::from(Self::WINDOWS - 1)) as u64);
        starts.map(|start| start..start + Self::WINDOW_BYTES).collect()
    }

    /// The check, given the bytes of [`ContentCheck::ranges`] one behind the other.
    pub fn of(bytes: &[u8]) -> u32 {
        crc32c(bytes)
    }
}

/// Collects record lengths, in order, into an index.
#[derive(Debug, Default)]
pub struct IndexBuilder {
    anchors: Vec<u8>,
    lengths: Vec<u8>,
    num_records: u64,
    offset: u64,
}

impl IndexBuilder {
    /// Adds the next record, which has `length` bytes of data.
    pub fn push(&mut self, length: u64) {
        if self.num_records.is_multiple_of(GROUP_RECORDS as u64) {
            self.anchors.extend_from_slice(&self.offset.to_le_bytes());
            self.anchors.extend_from_slice(&(self.lengths.len() as u64).to_le_bytes());
        }
        wire::write_varint(&mut self.lengths, length);
        self.num_records += 1;
        self.offset += frame_bytes(length);
    }

    /// The index as bytes, for a file of `size` bytes with content check `check`.
    ///
    /// An error if the records do not fill the file exactly.
    pub fn finish(self, size: u64, check: u32) -> Result<Vec<u8>> {
        if self.offset != size {
            return Err(Error::argument(
                format!("the records end at byte {}, the file has {size} bytes", self.offset),
                "push every record of the file, in order, and give the size it has then",
            ));
        }
        let mut bytes = Vec::with_capacity(FIXED_BYTES + self.anchors.len() + self.lengths.len() + 4);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&check.to_le_bytes());
        bytes.extend_from_slice(&size.to_le_bytes());
        bytes.extend_from_slice(&self.num_records.to_le_bytes());
        bytes.extend_from_slice(&self.anchors);
        bytes.extend_from_slice(&self.lengths);
        let checksum = crc32c(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        Ok(bytes)
    }
}

/// An index read back.
#[derive(Clone, Debug)]
pub struct RecordIndex {
    bytes: Vec<u8>,
    num_records: u64,
}

impl RecordIndex {
    /// Reads an index; an error if the bytes are not one, are damaged, or are of a version this code does not know.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<RecordIndex> {
        let format = |reason: String| Error::new(ErrorKind::IndexFormat { reason });
        if bytes.len() < FIXED_BYTES + 4 || &bytes[..8] != MAGIC {
            return Err(format("it does not begin as one".into()));
        }
        let version = u32_at(&bytes, 8);
        if version != VERSION {
            return Err(format(format!("it has version {version}, this feedline reads version {VERSION}")));
        }
        let (content, stored) = bytes.split_at(bytes.len() - 4);
        if crc32c(content) != u32_at(stored, 0) {
            return Err(format("its checksum does not match".into()));
        }
        let index = RecordIndex { num_records: u64_at(&bytes, 24), bytes };
        index.check_places().map_err(format)?;
        Ok(index)
    }

    /// The records must lie where the anchors say and fill the file, so that [`RecordIndex::place`] cannot fail.
    fn check_places(&self) -> std::result::Result<(), String> {
        let available = (self.bytes.len() - FIXED_BYTES - 4) as u64;
        let anchors = self.num_records.div_ceil(GROUP_RECORDS as u64).saturating_mul(ANCHOR_BYTES as u64);
        if anchors > available {
            return Err(format!("{} records do not fit in {} bytes", self.num_records, self.bytes.len()));
        }
        let mut lengths = Reader::new(self.lengths());
        let mut offset = 0u64;
        for record in 0..self.num_records {
            if record.is_multiple_of(GROUP_RECORDS as u64)
                && self.anchor(record / GROUP_RECORDS as u64) != (offset, lengths.position() as u64)
            {
                return Err(format!("the place of record {record} is inconsistent"));
            }
            let length = lengths.varint().map_err(|_| format!("the length of record {record} is missing"))?;
            offset = offset.saturating_add(frame_bytes(length));
        }
        if !lengths.is_at_end() || offset != self.file_size() {
            return Err("its records do not fill the file".into());
        }
        Ok(())
    }

    /// An error if the file has another size or content than the one indexed.
    pub fn check_file(&self, size: u64, check: u32) -> Result<()> {
        let reason = if size != self.file_size() {
            format!("the file has {size} bytes, it had {} when it was indexed", self.file_size())
        } else if check != u32_at(&self.bytes, 12) {
            "the file has the same size but other content".to_owned()
        } else {
            return Ok(());
        };
        Err(RecordIndex::stale(reason))
    }

    /// The error for an index that is found to be of another state of the file by other means.
    pub fn stale(reason: impl Into<String>) -> Error {
        Error::new(ErrorKind::IndexStale { reason: reason.into() })
    }

    /// Number of records.
    pub fn len(&self) -> u64 {
        self.num_records
    }

    /// Whether the file has no records.
    pub fn is_empty(&self) -> bool {
        self.num_records == 0
    }

    /// Bytes of memory it takes.
    pub fn byte_size(&self) -> usize {
        self.bytes.len()
    }

    /// Size of the file indexed.
    pub fn file_size(&self) -> u64 {
        u64_at(&self.bytes, 16)
    }

    /// The bytes of the file that record `record` takes, header and checksums included; `None` past the last.
    pub fn place(&self, record: u64) -> Option<Range<u64>> {
        self.places_from(record).next()
    }

    /// The places of the records from `record` on.
    pub fn places_from(&self, record: u64) -> impl Iterator<Item = Range<u64>> + '_ {
        let group = record / GROUP_RECORDS as u64;
        let (mut offset, position) = if record < self.num_records { self.anchor(group) } else { (0, 0) };
        let mut lengths = Reader::new(self.lengths().get(position as usize..).unwrap_or_default());
        let remaining = self.num_records.saturating_sub(record);
        let mut next_place = move || {
            let end = offset + frame_bytes(lengths.varint().expect("checked when the index was read"));
            let place = offset..end;
            offset = end;
            place
        };
        if remaining > 0 {
            for _ in 0..record % GROUP_RECORDS as u64 {
                next_place();
            }
        }
        (0..remaining).map(move |_| next_place())
    }

    fn anchor(&self, group: u64) -> (u64, u64) {
        let at = FIXED_BYTES + group as usize * ANCHOR_BYTES;
        (u64_at(&self.bytes, at), u64_at(&self.bytes, at + 8))
    }

    fn lengths(&self) -> &[u8] {
        let anchors = self.num_records.div_ceil(GROUP_RECORDS as u64) as usize * ANCHOR_BYTES;
        &self.bytes[FIXED_BYTES + anchors..self.bytes.len() - 4]
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index_of(lengths: &[u64]) -> Vec<u8> {
        let mut builder = IndexBuilder::default();
        lengths.iter().for_each(|&length| builder.push(length));
        builder.finish(lengths.iter().map(|&length| frame_bytes(length)).sum(), 7).unwrap()
    }

    #[test]
    fn finds_every_record() {
        for count in [0, 1, 127, 128, 129, 1000] {
            let lengths: Vec<u64> = (0..count).map(|k| k * k * 37 % 100_000).collect();
            let index = RecordIndex::from_bytes(index_of(&lengths)).unwrap();
            assert_eq!(index.len(), count);
            let mut offset = 0;
            for (record, &length) in (0..).zip(&lengths) {
                let place = offset..offset + frame_bytes(length);
                assert_eq!(index.place(record), Some(place.clone()), "record {record} of {count}");
                offset = place.end;
            }
            assert_eq!(index.place(count), None);
            assert_eq!(index.place(u64::MAX), None);
            assert_eq!(index.places_from(0).count() as u64, count);
        }
    }

    #[test]
    fn is_small() {
        let bytes = index_of(&vec![110_000; 100_000]);
        assert!(bytes.len() < 100_000 * 7 / 2, "{} bytes", bytes.len());
    }

    #[test]
    fn a_stale_index_is_noticed() {
        let index = RecordIndex::from_bytes(index_of(&[5, 6])).unwrap();
        assert!(index.check_file(43, 7).is_ok());
        let size = index.check_file(44, 7).unwrap_err().to_string();
        assert!(
            size.contains("44 bytes") && size.contains("had 43") && size.contains("hint: make it again"),
            "{size}"
        );
        assert!(index.check_file(43, 8).unwrap_err().to_string().contains("other content"));
    }

    #[test]
    fn every_truncation_and_flipped_byte_is_noticed() {
        let bytes = index_of(&[5, 600, 70_000]);
        for end in 0..bytes.len() {
            assert!(RecordIndex::from_bytes(bytes[..end].to_vec()).is_err(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(RecordIndex::from_bytes(damaged).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_lying_index_with_a_right_checksum_is_refused() {
        for (at, what) in
            [(24, "number of records"), (16, "file size"), (FIXED_BYTES, "anchor"), (31, "huge count")]
        {
            let mut bytes = index_of(&[5, 600]);
            bytes[at] ^= 0x40;
            let end = bytes.len() - 4;
            let checksum = crc32c(&bytes[..end]);
            bytes[end..].copy_from_slice(&checksum.to_le_bytes());
            assert!(RecordIndex::from_bytes(bytes).is_err(), "{what}");
        }
    }

    #[test]
    fn windows_cover_both_ends_and_stay_inside() {
        for size in [0, 1, 65_536, 65_537, 1 << 20, u64::MAX] {
            let ranges = ContentCheck::ranges(size);
            assert_eq!((ranges[0].start, ranges.last().unwrap().end), (0, size));
            assert!(ranges.iter().map(|range| range.end - range.start).sum::<u64>() <= 65_536);
        }
    }
}
