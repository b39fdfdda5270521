//! How many records there are: exactly where that is cheap, else about.

use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};
use feedline_io::Blob;

use crate::error::Result;

/// A number of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Counted.
    Exact(u64),
    /// From the mean length of records looked at.
    Estimated(u64),
    /// Nothing to go by.
    Unknown,
}

impl Count {
    /// The number, if there is one.
    pub fn number(self) -> Option<u64> {
        match self {
            Count::Exact(number) | Count::Estimated(number) => Some(number),
            Count::Unknown => None,
        }
    }

    /// Whether it was counted.
    pub fn is_exact(self) -> bool {
        matches!(self, Count::Exact(_))
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Count) -> Count {
        match (self, other) {
            (Count::Exact(a), Count::Exact(b)) => Count::Exact(a + b),
            (Count::Unknown, Count::Unknown) => Count::Unknown,
            (a, b) => Count::Estimated(a.number().unwrap_or(0) + b.number().unwrap_or(0)),
        }
    }
}

/// Counts the records of an uncompressed file by going from header to header, which reads 12 bytes a record.
///
/// `None` if there are more than `max_records` or the headers do not lead to the end of the file.
pub(super) fn by_headers(blob: &dyn Blob, max_records: u64) -> Result<Option<u64>> {
    let reader = FrameReader::default();
    let (mut offset, mut num_records) = (0u64, 0);
    while offset < blob.size() && num_records < max_records {
        let mut header = [0; HEADER_BYTES];
        if blob.read_at(&mut header, offset)? < HEADER_BYTES {
            return Ok(None);
        }
        let frame = reader.bytes_wanted(&header);
        if frame <= HEADER_BYTES as u64 {
            return Ok(None); // not a header
        }
        offset = offset.saturating_add(frame);
        num_records += 1;
    }
    Ok((offset == blob.size()).then_some(num_records))
}
