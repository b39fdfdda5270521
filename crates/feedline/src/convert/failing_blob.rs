//! For tests: a file of which a part cannot be read, as from a disk that is going bad.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use feedline_io::{Access, Blob, Error as IoError};

use super::stage::ReadableFile;

/// Bytes in memory; a read that touches `broken` fails.
pub(super) struct FailingBlob {
    bytes: Vec<u8>,
    broken: Range<u64>,
}

impl FailingBlob {
    pub(super) fn file(bytes: impl Into<Vec<u8>>, broken: Range<u64>) -> ReadableFile {
        ReadableFile::of_blob(Arc::new(FailingBlob { bytes: bytes.into(), broken }))
    }
}

impl Blob for FailingBlob {
    fn location(&self) -> &Path {
        Path::new("failing")
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> feedline_io::Result<usize> {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if offset < self.broken.end && offset + count as u64 > self.broken.start {
            // EIO
            return Err(IoError::io("failing", "read", io::Error::from_raw_os_error(5)));
        }
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn access(&self) -> Access {
        Access { chunk_bytes: 64, in_flight: 1 }
    }
}
