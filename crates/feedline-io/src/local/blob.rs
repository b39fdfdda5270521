//! [`LocalBlob`]: reading is plain `pread` into the caller's buffer, with no allocation.
//!
//! Not `mmap`: a mapped file that shrinks kills the process.

use super::explain;
use crate::blob::{Access, Blob, read_operation};
use crate::error::{Error, ErrorKind, Result};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A file of this machine, opened for reading.
#[derive(Debug)]
pub struct LocalBlob {
    file: File,
    location: PathBuf,
    size: u64,
}

impl LocalBlob {
    /// Opens the file; its size is the one it has now.
    pub fn open(location: impl Into<PathBuf>) -> Result<Self> {
        let location = location.into();
        match open_file(&location) {
            Ok(Opened::File(file, size)) => Ok(Self { file, location, size }),
            Ok(Opened::Other { is_folder }) => Err(not_a_file(&location, "open", is_folder)),
            Err(error) => Err(explain::if_missing(Error::io(&location, "open", error))),
        }
    }
}

enum Opened {
    File(File, u64),
    Other { is_folder: bool },
}

fn open_file(location: &Path) -> io::Result<Opened> {
    // The type first: to open a pipe for reading would wait for a writer.
    let metadata = fs::metadata(location)?;
    if !metadata.is_file() {
        return Ok(Opened::Other { is_folder: metadata.is_dir() });
    }
    let file = File::open(location)?;
    // The size of the file that is now open, should another have taken the name in between.
    let size = file.metadata()?.len();
    Ok(Opened::File(file, size))
}

/// A folder or a device, where a file is needed.
pub(super) fn not_a_file(location: &Path, operation: &str, is_folder: bool) -> Error {
    if is_folder {
        let all = location.join("*");
        Error::new(ErrorKind::IsFolder, location, operation, "it is a folder, expected a file")
            .with_hint(format!("did you mean `{}`?", crate::shown(&all)))
    } else {
        let found = "it is a pipe, a socket or a device, expected a file";
        Error::new(ErrorKind::NotAFile, location, operation, found)
            .with_hint("records are read by position; copy the data into a file first")
    }
}

impl Blob for LocalBlob {
    fn location(&self) -> &Path {
        &self.location
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        // A position the system cannot even express lies beyond every file's end.
        if i64::try_from(offset).is_err() {
            return Ok(0);
        }
        let mut filled = 0;
        // One pass as a rule; a network file system or a signal may deliver less at once.
        while filled < buffer.len() {
            match self.file.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(num_read) => filled += num_read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(Error::io(&self.location, read_operation(buffer.len(), offset), error));
                }
            }
        }
        Ok(filled)
    }

    /// What lies in the page cache. Everything else, and file systems that cannot tell, is an error to the system.
    #[cfg(target_os = "linux")]
    fn read_at_once(&self, buffer: &mut [u8], offset: u64) -> Option<usize> {
        use rustix::io::{ReadWriteFlags, preadv2};
        i64::try_from(offset).ok()?;
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = &mut [io::IoSliceMut::new(&mut buffer[filled..])];
            match preadv2(&self.file, rest, offset + filled as u64, ReadWriteFlags::NOWAIT) {
                Ok(0) => break,
                Ok(num_read) => filled += num_read,
                Err(_) => return None,
            }
        }
        Some(filled)
    }

    fn access(&self) -> Access {
        Access::LOCAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_by_position_and_is_short_only_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        fs::write(&path, b"0123456789").unwrap();
        let blob = LocalBlob::open(&path).unwrap();
        assert_eq!((blob.size(), blob.location()), (10, path.as_path()));
        let mut buffer = [b'.'; 4];
        for (offset, expected) in
            [(0, &b"0123"[..]), (6, b"6789"), (8, b"89"), (10, b""), (1000, b""), (u64::MAX, b"")]
        {
            let num_read = blob.read_at(&mut buffer, offset).unwrap();
            assert_eq!(&buffer[..num_read], expected, "at {offset}");
            // Whether the system can tell is its own affair.
            if let Some(num_read) = blob.read_at_once(&mut buffer, offset) {
                assert_eq!(&buffer[..num_read], expected, "at {offset}");
            }
        }
        assert_eq!(blob.read_at(&mut [], 3).unwrap(), 0);
    }

    #[test]
    fn a_file_cut_after_opening_says_both_sizes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rec");
        fs::write(&path, [7; 100]).unwrap();
        let blob = LocalBlob::open(&path).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(30).unwrap();
        let error = blob.read_exact_at(&mut [0; 50], 10).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEnd);
        let text = error.to_string();
        assert!(
            text.contains("a.rec: could not read 50 bytes at byte 10: expected 50 bytes, found 20"),
            "{text}"
        );
        assert!(text.contains("had 100 bytes when it was opened and ends at byte 30 now"), "{text}");
    }

    #[test]
    fn what_is_not_a_file_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let error = LocalBlob::open(folder.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IsFolder);
        assert!(error.hint().ends_with("/*`?"), "{error}");
        assert_eq!(LocalBlob::open("/dev/null").unwrap_err().kind(), ErrorKind::NotAFile);
    }

    #[test]
    fn a_misspelled_path_shows_the_nearest_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("train.rec"), "").unwrap();
        let error = LocalBlob::open(folder.path().join("trian.rec")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.hint().contains("`train.rec`"), "{error}");
    }
}
