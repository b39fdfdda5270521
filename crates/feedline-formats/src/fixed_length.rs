//! Records of one size, with bytes before the first and behind the last that are none.

use std::ops::Range;

use crate::{Compression, Error, ErrorKind, Result};

/// Where records lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedLength {
    /// Bytes of a record, one at least.
    pub record_bytes: u64,
    /// Bytes before the first record.
    pub header_bytes: u64,
    /// Bytes behind the last record.
    pub footer_bytes: u64,
    /// How files are compressed: records may be any bytes, so a file does not tell. It is for who opens the file.
    pub compression: Option<Compression>,
}

impl FixedLength {
    /// Refuses a file of `size` bytes, not compressed, that does not hold whole records.
    pub fn check_size(&self, size: u64) -> Result<()> {
        let around = self.header_bytes.saturating_add(self.footer_bytes);
        if size >= around && (size - around).is_multiple_of(self.record_bytes) {
            return Ok(());
        }
        Err(self.uneven(size))
    }

    fn uneven(&self, size: u64) -> Error {
        Error::new(ErrorKind::UnevenRecords {
            size,
            record_bytes: self.record_bytes,
            header_bytes: self.header_bytes,
            footer_bytes: self.footer_bytes,
        })
    }

    /// The first place from `offset` on where a record begins, were the file long enough.
    pub fn next_place(&self, offset: u64) -> u64 {
        let behind = offset.saturating_sub(self.header_bytes).div_ceil(self.record_bytes);
        self.header_bytes.saturating_add(behind.saturating_mul(self.record_bytes))
    }

    /// How many bytes from `offset` on show that there is a record: with all that must follow the last one.
    pub fn bytes_wanted(&self, offset: u64) -> u64 {
        self.header_left(offset).saturating_add(self.record_bytes).saturating_add(self.footer_bytes)
    }

    fn header_left(&self, offset: u64) -> u64 {
        self.header_bytes.saturating_sub(offset)
    }

    /// Visits whole records at the front of `bytes`, at most `max_rows`; how many there were, and the bytes taken. The header is
    /// taken with the first record behind it, the footer when it is all there is.
    pub fn split(
        &self,
        (bytes, offset): (&[u8], u64),
        is_end: bool,
        max_rows: usize,
        mut visit: impl FnMut(Range<usize>),
    ) -> Result<(usize, usize)> {
        let len = bytes.len() as u64;
        let skipped = self.header_left(offset);
        let room = len.saturating_sub(skipped.saturating_add(self.footer_bytes));
        let num_rows = (room / self.record_bytes).min(max_rows as u64);
        // All of this lies within `bytes`.
        let record_bytes = self.record_bytes as usize;
        let mut taken = skipped as usize;
        for _ in 0..num_rows {
            visit(taken..taken + record_bytes);
            taken += record_bytes;
        }
        if num_rows > 0 {
            return Ok((num_rows as usize, taken));
        }
        if !is_end || max_rows == 0 {
            return Ok((0, 0));
        }
        // A place behind the footer is one that was saved there.
        if len == skipped.saturating_add(self.footer_bytes) || (len == 0 && offset > 0) {
            return Ok((0, bytes.len()));
        }
        Err(self.uneven(offset + len).at_byte(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_between_header_and_footer() {
        let format = FixedLength { record_bytes: 2, header_bytes: 3, footer_bytes: 1, compression: None };
        let split = |bytes: &[u8], offset: u64, is_end: bool| {
            let mut rows = Vec::new();
            let taken =
                format.split((bytes, offset), is_end, usize::MAX, |row| rows.push(bytes[row].to_vec()));
            taken.map(|(_, taken)| (rows, taken))
        };
        assert_eq!(split(b"HHHaabbF", 0, true).unwrap(), (vec![b"aa".to_vec(), b"bb".to_vec()], 7));
        assert_eq!(split(b"F", 7, true).unwrap(), (vec![], 1));
        assert_eq!(split(b"", 8, true).unwrap(), (vec![], 0));
        // What may be the footer is no record yet.
        assert_eq!(split(b"HHHaa", 0, false).unwrap(), (vec![], 0));
        assert_eq!(split(b"HHHaab", 0, false).unwrap(), (vec![b"aa".to_vec()], 5));
        assert_eq!(split(b"HHHF", 0, true).unwrap(), (vec![], 4));
        assert!(split(b"HHH", 0, true).is_err() && split(b"bF", 5, true).is_err());
        for (size, fits) in [(3, false), (4, true), (5, false), (6, true)] {
            assert_eq!(format.check_size(size).is_ok(), fits, "{size}");
        }
        assert_eq!([0, 3, 4, 5].map(|offset| format.next_place(offset)), [3, 3, 5, 5]);
    }
}
