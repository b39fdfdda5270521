//! The names of temporary files, and their removal after the writer was killed.
//!
//! Whether a writer still lives is asked of the lock it holds on its temporary, not of the process number in
//! the name: numbers are reused, and mean nothing between containers or machines that share a folder.

use super::walk::or_current;
use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// File systems allow 255 bytes for a name; this leaves room for the dots, two numbers and the ending.
const MAX_KEPT_BYTES: usize = 200;

const ENDING: &[u8] = b".tmp";

/// `.NAME.<pid>-<counter>.tmp`: hidden, so that no pattern finds it; the process is named for people.
pub(super) fn temporary_name(name: &OsStr, pid: u32, counter: u64) -> OsString {
    let name = name.as_bytes();
    let mut bytes = vec![b'.'];
    bytes.extend_from_slice(&name[..name.len().min(MAX_KEPT_BYTES)]);
    bytes.extend_from_slice(format!(".{pid}-{counter}").as_bytes());
    bytes.extend_from_slice(ENDING);
    OsString::from_vec(bytes)
}

/// The final name a temporary was made for, or `None` for any other file.
fn final_name(temporary: &OsStr) -> Option<&[u8]> {
    let body = temporary.as_bytes().strip_prefix(b".")?.strip_suffix(ENDING)?;
    let dot = body.iter().rposition(|byte| *byte == b'.')?;
    let (name, numbers) = (&body[..dot], &body[dot + 1..]);
    let dash = numbers.iter().position(|byte| *byte == b'-')?;
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    (!name.is_empty() && is_number(&numbers[..dash]) && is_number(&numbers[dash + 1..])).then_some(name)
}

/// Removes the temporaries in `folder` whose writers are dead and whose final names begin with `name_prefix`;
/// returns their paths.
///
/// Call it when a job resumes. It is safe beside running writers, of this process and others: each holds a lock
/// on its temporary, which the system releases when the process ends. On a file system without locks nothing is
/// removed. On a network mount that keeps locks to itself (NFS `nolock`), a writer on *another* machine may lose
/// its temporary; its commit then fails with an error, and no half file appears.
pub fn remove_stale_temporaries(folder: impl AsRef<Path>, name_prefix: &str) -> Result<Vec<PathBuf>> {
    let folder = or_current(folder.as_ref());
    let mut removed = Vec::new();
    let failed = |error| Error::io(folder, "read the folder", error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if final_name(&name).is_some_and(|name| name.starts_with(name_prefix.as_bytes())) {
            let path = folder.join(name);
            match remove_if_stale(&path) {
                Ok(true) => removed.push(path),
                Ok(false) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {} // committed or removed meanwhile
                Err(error) => return Err(Error::io(path, "remove the temporary file", error)),
            }
        }
    }
    removed.sort_unstable();
    Ok(removed)
}

fn remove_if_stale(path: &Path) -> io::Result<bool> {
    // Not through links, and never opening a pipe.
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(false);
    }
    // For writing, because NFS grants an exclusive lock only then. Another user's file is not ours to judge.
    let file = match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        opened => opened?,
    };
    if file.try_lock().is_err() {
        return Ok(false); // in use, or no locks here
    }
    // The name may have passed on between the opening and the lock; remove only the file that is locked.
    let (locked, named) = (file.metadata()?, fs::symlink_metadata(path)?);
    if (locked.dev(), locked.ino()) != (named.dev(), named.ino()) {
        return Ok(false);
    }
    fs::remove_file(path)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::AtomicFile;

    #[test]
    fn temporaries_are_told_from_other_files() {
        let cases: [(&str, Option<&str>); 10] = [
            (".a.rec.12-0.tmp", Some("a.rec")),
            (".a.12-34.tmp", Some("a")),
            ("..a.12-34.tmp", Some(".a")),
            ("a.rec.12-0.tmp", None),
            (".a.rec.12-0.tm", None),
            (".a.rec.12.tmp", None),
            (".a.rec.12-.tmp", None),
            (".a.rec.x-1.tmp", None),
            ("..12-0.tmp", None),
            (".tmp", None),
        ];
        for (name, expected) in cases {
            assert_eq!(final_name(OsStr::new(name)), expected.map(str::as_bytes), "{name}");
        }
        let made = temporary_name(OsStr::new("a.rec"), 12, 34);
        assert_eq!(made, ".a.rec.12-34.tmp");
        assert!(temporary_name(OsStr::new(&"n".repeat(255)), u32::MAX, u64::MAX).len() <= 255);
    }

    #[test]
    fn only_abandoned_temporaries_of_the_prefix_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let stale = folder.path().join(".train-0.rec.12-0.tmp");
        let other = folder.path().join(".test-0.rec.12-0.tmp");
        let unrelated = folder.path().join("train-0.rec");
        for path in [&stale, &other, &unrelated] {
            fs::write(path, "x").unwrap();
        }
        let mut live = AtomicFile::create(folder.path().join("train-1.rec")).unwrap();
        live.write_all(b"live").unwrap();

        assert_eq!(remove_stale_temporaries(folder.path(), "train-").unwrap(), std::slice::from_ref(&stale));
        assert!(!stale.exists() && other.exists() && unrelated.exists());
        live.commit().unwrap();
        assert_eq!(fs::read(folder.path().join("train-1.rec")).unwrap(), b"live");
        assert_eq!(remove_stale_temporaries(folder.path(), "").unwrap(), [other]);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = remove_stale_temporaries("no-such-folder", "").unwrap_err();
        assert_eq!(error.location(), Path::new("no-such-folder"));
    }
}
