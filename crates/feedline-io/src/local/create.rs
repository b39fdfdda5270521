//! [`AtomicFile`]: a file that appears complete or not at all.
//!
//! The bytes go to a temporary file beside the final one; `commit` syncs it, renames it, and syncs the folder.
//! A rename within a folder is atomic, so a kill or a power cut at any moment leaves the old file, no file or
//! the new file under the final name, never a part of one.

use super::explain;
use super::stale::temporary_name;
use super::walk::or_current;
use crate::error::{Error, ErrorKind, Result};
use crate::store::PendingBlob;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file being written, invisible under its final name until [`commit`](AtomicFile::commit).
///
/// Until then the bytes are in `.NAME.<pid>-<counter>.tmp` in the same folder. Dropping the value removes that
/// file; after a kill, [`remove_stale_temporaries`](crate::remove_stale_temporaries) does.
///
/// Each write is one system call from the caller's slice: buffer small writes, or put a
/// [`BufWriter`](io::BufWriter) around it. A file that is there already is replaced by `commit`; a symbolic
/// link is replaced, not followed.
#[derive(Debug)]
pub struct AtomicFile {
    location: PathBuf,
    temporary: PathBuf,
    file: File,
    written: u64,
    /// A write failed, perhaps half done: what is in the file is not what the caller believes.
    failed: bool,
    committed: bool,
}

/// Distinguishes the temporaries of one process.
static COUNTER: AtomicU64 = AtomicU64::new(0);

impl AtomicFile {
    /// Begins a file. The folder must exist.
    pub fn create(location: impl Into<PathBuf>) -> Result<Self> {
        let location = location.into();
        let Some(name) = location.file_name() else {
            let found = "the path does not end in a file name";
            return Err(Error::new(ErrorKind::InvalidArgument, location, "create", found)
                .with_hint("give the folder and the name of the file: `out/train.rec`"));
        };
        if location.is_dir() {
            let found = "a folder of this name exists, expected a file or nothing";
            return Err(Error::new(ErrorKind::IsFolder, location, "create", found)
                .with_hint("move the folder away, or choose another name"));
        }
        loop {
            let counter = COUNTER.fetch_add(1, Ordering::Relaxed);
            let temporary = location.with_file_name(temporary_name(name, std::process::id(), counter));
            let file = match File::create_new(&temporary) {
                Ok(file) => file,
                // A process of this number in another container, or a killed one before us, has the name.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => {
                    let error = Error::io(&location, "create", error);
                    let Some(hint) = location.parent().and_then(explain::missing_path) else {
                        return Err(error);
                    };
                    let remote = explain::remote_path(location.as_os_str(), "create");
                    return Err(remote.unwrap_or_else(|| error.with_hint(hint)));
                }
            };
            if keep(&file, &temporary) {
                return Ok(Self { location, temporary, file, written: 0, failed: false, committed: false });
            }
        }
    }

    /// Where it will be.
    pub fn location(&self) -> &Path {
        &self.location
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// When the last byte was written, in nanoseconds since 1970: what the file will say once it has its name.
    pub fn modified_ns(&self) -> Result<i64> {
        let metadata = self.file.metadata().map_err(|error| Error::io(&self.location, "look at", error))?;
        Ok(modified_ns(&metadata))
    }

    /// Appends all of `bytes`, straight from the slice.
    ///
    /// After an error the file cannot be committed any more: part of `bytes` may be in it.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.written += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.failed = true;
                Err(Error::io(&self.location, self.write_operation(bytes.len()), error))
            }
        }
    }

    /// Makes the file durable, then visible under its final name.
    ///
    /// After an error in the last step, the sync of the folder, the new file is in place and complete but may
    /// be gone after a power cut; after any other error nothing has changed under the final name.
    pub fn commit(mut self) -> Result<()> {
        if self.failed {
            let found = "an earlier write failed, so the file is not complete";
            return Err(Error::new(ErrorKind::InvalidArgument, &self.location, "commit", found).with_hint(
                "stop at the first error of a write, remove its cause, and write the file again",
            ));
        }
        // Before the rename: otherwise the name could survive a power cut and the bytes not.
        let sync = self.file.sync_all();
        sync.map_err(|error| Error::io(&self.location, format!("sync {} bytes of", self.written), error))?;
        fs::rename(&self.temporary, &self.location).map_err(|error| {
            Error::io(&self.location, format!("rename `{}` to", self.temporary.display()), error)
        })?;
        self.committed = true;
        sync_folder(&self.location)
    }

    fn write_operation(&self, len: usize) -> String {
        format!("write {len} bytes at byte {}", self.written)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.committed {
            // Nobody is left to tell; what remains is a hidden file that the next clean-up finds.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl PendingBlob for AtomicFile {
    fn location(&self) -> &Path {
        self.location()
    }

    fn written(&self) -> u64 {
        self.written()
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes)
    }

    fn commit(self: Box<Self>) -> Result<()> {
        (*self).commit()
    }
}

/// For encoders and buffers that write to any [`Write`]. The errors carry the location as well.
impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.file.write(bytes) {
            Ok(written) => {
                self.written += written as u64;
                Ok(written)
            }
            // The caller repeats it; nothing was written.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.failed = true;
                Err(Error::io(&self.location, self.write_operation(bytes.len()), error).into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(()) // nothing is held back here
    }
}

/// When a file was last written, in nanoseconds since 1970; wraps around in the year 2262.
pub fn modified_ns(metadata: &Metadata) -> i64 {
    metadata.mtime().wrapping_mul(1_000_000_000).wrapping_add(metadata.mtime_nsec())
}

/// Marks a new temporary as in use, by a lock that the system drops when this process ends in whatever way.
/// `false` if a clean-up took the file for abandoned in the moment before.
fn keep(file: &File, temporary: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => temporary.exists(),
        Err(TryLockError::WouldBlock) => false,
        // A file system without locks. The clean-up will fail to lock as well and leave the file alone.
        Err(TryLockError::Error(_)) => true,
    }
}

/// Makes the rename durable: the name lives in the folder, not in the file.
fn sync_folder(location: &Path) -> Result<()> {
    let folder = or_current(location.parent().unwrap_or(Path::new("")));
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Ok(()) => Ok(()),
        // Some network and user-space file systems cannot sync a folder, and some folders are writable but not
        // readable; neither can be made more durable than it is.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        Err(error) => {
            let hint = "the file is in place and complete, but may be gone after a power cut";
            Err(Error::io(location, format!("sync the folder `{}` of", folder.display()), error)
                .with_hint(hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufWriter;

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_seen_before_commit_and_all_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new ").unwrap();
        file.write_all(b"contents").unwrap();
        assert_eq!(file.written(), 12);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let names = names_in(folder.path());
        let expected = format!(".a.rec.{}-", std::process::id());
        assert!(names[0].starts_with(&expected), "{names:?}");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new contents");
        assert_eq!(names_in(folder.path()), ["a.rec"]);
    }

    #[test]
    fn dropping_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AtomicFile::create(folder.path().join("a.rec")).unwrap();
        file.write_all(&[1; 1000]).unwrap();
        drop(file);
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn two_writers_of_one_name_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        let (mut one, mut two) = (AtomicFile::create(&path).unwrap(), AtomicFile::create(&path).unwrap());
        one.write_all(b"one").unwrap();
        two.write_all(b"two").unwrap();
        two.commit().unwrap();
        one.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
    }

    #[test]
    fn works_through_a_buffer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut buffered = BufWriter::new(AtomicFile::create(&path).unwrap());
        for line in 0..1000 {
            writeln!(buffered, "{line}").unwrap();
        }
        buffered.into_inner().unwrap().commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1000);
    }

    #[test]
    fn a_failed_write_cannot_be_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        let mut file = AtomicFile::create(&path).unwrap();
        // A handle that cannot write stands for a full disk.
        file.file = File::open(&file.temporary).unwrap();
        let error = file.write_all(b"abc").unwrap_err();
        assert!(error.to_string().contains("a.rec: could not write 3 bytes at byte 0"), "{error}");
        assert!(file.commit().unwrap_err().to_string().contains("an earlier write failed"));
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn a_full_disk_is_called_that() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AtomicFile::create(folder.path().join("a.rec")).unwrap();
        let Ok(full) = File::options().write(true).open("/dev/full") else { return };
        file.file = full;
        let error = file.write_all(b"abc").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoSpace);
        assert!(error.hint().contains("the disk is full"), "{error}");
    }

    #[test]
    fn a_temporary_removed_by_others_is_an_error_and_no_half_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        let file = AtomicFile::create(&path).unwrap();
        fs::remove_file(&file.temporary).unwrap();
        let error = file.commit().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().contains("could not rename `"), "{error}");
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn impossible_places_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let cases = [
            (folder.path().join("data"), ErrorKind::IsFolder, "a folder of this name"),
            (folder.path().join("dat/a.rec"), ErrorKind::NotFound, "`data`"),
            (PathBuf::from("/"), ErrorKind::InvalidArgument, "file name"),
            (PathBuf::from(""), ErrorKind::InvalidArgument, "file name"),
        ];
        for (path, kind, text) in cases {
            let error = AtomicFile::create(&path).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn long_names_have_room_for_the_temporary_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n".repeat(255));
        AtomicFile::create(&path).unwrap().commit().unwrap();
        assert!(path.exists());
    }
}
