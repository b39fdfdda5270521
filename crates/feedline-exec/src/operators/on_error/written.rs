//! What a quarantine file already holds.
//!
//! Errors are written as they are met, which is before the consumer gets to them. So a run that goes on from a saved state meets
//! some again; these are in the file already and are left out once for each time they are there. (What a run of the same process
//! is still writing, though its iterator was dropped, is not seen.)

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Read};
use std::path::Path;

use feedline_formats::tfrecord::FrameReader;

/// The records of a file: how often each is there, by a hash of 64 bits.
#[derive(Debug, Default)]
pub(super) struct WrittenRecords(HashMap<u64, usize>);

/// At least so much is read at a time.
const READ_BYTES: usize = 256 << 10;

impl WrittenRecords {
    /// Those of the file at `path`; none if there is no such file. What is behind a damaged record is not looked at.
    pub(super) fn of(path: &Path) -> std::io::Result<WrittenRecords> {
        let mut records = WrittenRecords::default();
        scan(path, |record| records.add(record))?;
        Ok(records)
    }

    fn add(&mut self, record: &[u8]) {
        *self.0.entry(hash(record)).or_default() += 1;
    }

    /// Whether `record` is among them; if so, once less from now on.
    pub(super) fn take(&mut self, record: &[u8]) -> bool {
        let Some(count) = self.0.get_mut(&hash(record)).filter(|count| **count > 0) else { return false };
        *count -= 1;
        true
    }
}

/// Where the whole records of the file at `path` end, if there are some, and behind them a part of one more: what a run that was killed, or
/// a full disk, left.
pub(super) fn torn_tail(path: &Path) -> std::io::Result<Option<u64>> {
    Ok(scan(path, |_| {})?.filter(|&end| end > 0))
}

/// Goes through the records of the file at `path`, as far as they are sound; where the last one begins, if it is not whole.
fn scan(path: &Path, mut visit: impl FnMut(&[u8])) -> std::io::Result<Option<u64>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut reader = FrameReader::default();
    let (mut buffer, mut end) = (Vec::new(), 0);
    loop {
        let wanted = reader.bytes_wanted(&buffer).saturating_sub(buffer.len() as u64);
        let wanted = wanted.max(READ_BYTES as u64);
        if file.by_ref().take(wanted).read_to_end(&mut buffer)? == 0 {
            return Ok((!buffer.is_empty()).then_some(end));
        }
        match reader.read_places(&buffer, usize::MAX, |place| visit(&buffer[place])) {
            Ok(taken) => {
                end += taken as u64;
                buffer.drain(..taken);
            }
            Err(_) => return Ok(None),
        }
    }
}

fn hash(record: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_formats::tfrecord::{FOOTER_BYTES, HEADER_BYTES, write_frame};

    #[test]
    fn records_are_found_as_often_as_they_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.tfrecord");
        assert!(!WrittenRecords::of(&path).unwrap().take(b"one"));
        // One that is larger than a read, and a tail that is not whole.
        let large = vec![7; 3 * READ_BYTES];
        let mut bytes = Vec::new();
        for record in [&b"one"[..], &large, b"one", b"two", b"cut"] {
            write_frame(&mut bytes, record).unwrap();
        }
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let mut written = WrittenRecords::of(&path).unwrap();
        let found = [&b"one"[..], b"one", b"one", &large, &large, b"two", b"cut"].map(|it| written.take(it));
        assert_eq!(found, [true, true, false, true, false, true, false]);
        let cut_bytes = (HEADER_BYTES + b"cut".len() + FOOTER_BYTES) as u64;
        assert_eq!(torn_tail(&path).unwrap(), Some(bytes.len() as u64 - cut_bytes));
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(torn_tail(&path).unwrap(), None, "whole");
        std::fs::write(&path, b"something else").unwrap();
        assert_eq!(torn_tail(&path).unwrap(), None, "no records");
        bytes[4] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(!WrittenRecords::of(&path).unwrap().take(b"two"));
    }
}
