//! A listing as another thread sees it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, ErrorKind};

/// How far a listing is, for another thread, which may also stop it: a tree of millions of files takes a while.
#[derive(Debug, Default)]
pub struct ListingWatch {
    num_found: AtomicU64,
    is_stopped: AtomicBool,
}

// Relaxed in all of them: who looks does so again and again, and reads nothing else because of it.
impl ListingWatch {
    /// Files found so far.
    pub fn num_found(&self) -> u64 {
        self.num_found.load(Ordering::Relaxed)
    }

    /// Has the listing end soon, with an [`ErrorKind::Interrupted`].
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self) {
        self.num_found.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn interrupted(location: impl AsRef<Path>) -> Error {
        Error::new(ErrorKind::Interrupted, location.as_ref(), "list", "it was told to stop")
    }
}
