//! A file as those read it who must not wait.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use feedline_io::{Access, Blob, Error, ErrorKind, Result};

/// Reads what is to be had without waiting. The first read that is not makes all that was read worth nothing
/// ([`AtOnce::has_missed`]).
pub(super) struct AtOnce {
    blob: Arc<dyn Blob>,
    has_missed: AtomicBool,
}

impl AtOnce {
    pub(super) fn new(blob: Arc<dyn Blob>) -> AtOnce {
        AtOnce { blob, has_missed: AtomicBool::new(false) }
    }

    /// Whether something was not to be had without waiting.
    pub(super) fn has_missed(&self) -> bool {
        self.has_missed.load(Ordering::Relaxed)
    }
}

impl Blob for AtOnce {
    fn location(&self) -> &Path {
        self.blob.location()
    }

    fn size(&self) -> u64 {
        self.blob.size()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        // A short read is left to the one who may wait, too: he tells how the file has changed.
        let read = self.blob.read_at_once(buffer, offset).filter(|&read| read == buffer.len());
        read.ok_or_else(|| {
            self.has_missed.store(true, Ordering::Relaxed);
            Error::new(ErrorKind::Other, self.location(), "read", "not without waiting")
        })
    }

    fn access(&self) -> Access {
        self.blob.access()
    }
}
