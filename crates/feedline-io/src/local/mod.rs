//! Files of this machine.
//!
//! `blob` reads, `create` writes, `stale` cleans up after killed writers; `list` finds files with the help of
//! `pattern` (what a pattern means), `walk` (which folders to read for it) and `explain` (why nothing matched).

mod blob;
mod create;
mod explain;
mod list;
mod pattern;
mod spelling;
mod stale;
mod walk;

pub use blob::LocalBlob;
pub use create::{AtomicFile, modified_ns};
pub use explain::remote_path;
pub use stale::remove_stale_temporaries;

use crate::blob::Blob;
use crate::error::{Error, Result};
use crate::store::{Listing, PendingBlob, Store};
use crate::watch::ListingWatch;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The file system of this machine, network mounts included.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalStore;

impl Store for LocalStore {
    fn survey(&self, pattern: &OsStr, watch: &ListingWatch) -> Result<Listing> {
        list::survey(pattern, watch)
    }

    fn open(&self, location: &Path) -> Result<Arc<dyn Blob>> {
        Ok(Arc::new(LocalBlob::open(location)?))
    }

    fn create(&self, location: &Path) -> Result<Box<dyn PendingBlob>> {
        Ok(Box::new(AtomicFile::create(location)?))
    }

    fn exists(&self, location: &Path) -> Result<bool> {
        location.try_exists().map_err(|error| Error::io(location, "look for", error))
    }

    fn remove(&self, location: &Path) -> Result<()> {
        fs::remove_file(location).map_err(|error| Error::io(location, "remove", error))
    }
}

/// Everything below `folder`, links followed, hidden names left out, sorted by the bytes of their paths: what
/// `folder/**` means, whatever characters the folder's own path holds.
///
/// # Errors
/// If another thread stopped it by `watch`.
pub fn survey_folder(folder: impl AsRef<Path>, watch: &ListingWatch) -> Result<Listing> {
    list::survey_folder(folder.as_ref(), watch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::store::FileEntry;

    #[test]
    fn a_file_is_created_found_read_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        let store: &dyn Store = &LocalStore;
        assert!(!store.exists(&path).unwrap());
        assert_eq!(store.remove(&path).unwrap_err().kind(), ErrorKind::NotFound);

        let mut pending = store.create(&path).unwrap();
        pending.write_all(b"12345").unwrap();
        assert_eq!((pending.location(), pending.written()), (path.as_path(), 5));
        assert!(!store.exists(&path).unwrap());
        pending.commit().unwrap();

        assert!(store.exists(&path).unwrap());
        let found = store.list(path.as_os_str()).unwrap();
        assert_eq!(found, [FileEntry { location: path.clone(), size: 5 }]);
        assert_eq!(store.open(&path).unwrap().size(), 5);
        store.remove(&path).unwrap();
        assert!(!store.exists(&path).unwrap());
    }
}
