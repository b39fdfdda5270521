//! What the files an iterator has read look like: saved with its state, so that a state is not restored over other data.
//!
//! A file that was replaced would otherwise go on at a byte that means nothing in it, or worse, something. Looked at are the
//! size and three windows of 4 KiB, of at most 32 files, chosen by a hash of their paths so that it is always the same
//! ones; once for each file, when a state is first saved after it was read. That notices files that were written anew, not
//! a byte that was changed between the windows: records have checksums of their own.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use feedline_data::block::mix;
use feedline_formats::crc32c;
use feedline_io::{LocalStore, Store};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;

/// So that a state stays a few kilobytes.
const MAX_FILES: usize = 32;

const WINDOW_BYTES: u64 = 4096;

/// What a file looked like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileCheck {
    path: PathText,
    size: u64,
    crc: u32,
}

/// A path as JSON has it: as text where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum PathText {
    Text(String),
    Bytes(Vec<u8>),
}

/// The files an iterator has read, those of them that are checked.
#[derive(Debug, Default)]
pub(crate) struct TouchedFiles(Mutex<BTreeMap<u64, Touched>>);

#[derive(Debug)]
enum Touched {
    /// Nobody asked yet.
    Unseen(PathBuf),
    /// As it was when a state was saved; `None`: it could not be read, and is not checked.
    Seen(Option<FileCheck>),
}

impl TouchedFiles {
    /// Those a state was saved with, and none else.
    pub(crate) fn of_state(files: &[FileCheck]) -> TouchedFiles {
        let seen = files.iter().map(|file| (hash_of(file.path.as_path()), Touched::Seen(Some(file.clone()))));
        TouchedFiles(Mutex::new(seen.collect()))
    }

    /// Rows of `path` have been read.
    pub(crate) fn add(&self, path: &Path) {
        let mut files = self.lock();
        let hash = hash_of(path);
        let is_full = files.len() >= MAX_FILES;
        if files.contains_key(&hash)
            || (is_full && files.last_key_value().is_some_and(|(last, _)| *last < hash))
        {
            return;
        }
        files.insert(hash, Touched::Unseen(path.to_owned()));
        if is_full {
            files.pop_last();
        }
    }

    /// What they look like. Reads those it has not looked at before.
    pub(crate) fn checks(&self) -> Vec<FileCheck> {
        let unseen: Vec<(u64, PathBuf)> = self
            .lock()
            .iter()
            .filter_map(|(hash, file)| match file {
                Touched::Unseen(path) => Some((*hash, path.clone())),
                Touched::Seen(_) => None,
            })
            .collect();
        // Not under the lock: workers take it.
        let seen: Vec<_> = unseen.into_iter().map(|(hash, path)| (hash, FileCheck::of(&path).ok())).collect();
        let mut files = self.lock();
        for (hash, check) in seen {
            if let Some(file) = files.get_mut(&hash) {
                *file = Touched::Seen(check);
            }
        }
        let check = |file: &Touched| match file {
            Touched::Seen(check) => check.clone(),
            Touched::Unseen(_) => None,
        };
        files.values().filter_map(check).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Touched>> {
        // Nothing under the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileCheck {
    fn of(path: &Path) -> feedline_io::Result<FileCheck> {
        let blob = LocalStore.open(path)?;
        let size = blob.size();
        let starts = [0, (size / 2).saturating_sub(WINDOW_BYTES / 2), size.saturating_sub(WINDOW_BYTES)];
        let mut bytes = Vec::new();
        for start in starts {
            let filled = bytes.len();
            bytes.resize(filled + WINDOW_BYTES.min(size) as usize, 0);
            blob.read_exact_at(&mut bytes[filled..], start)?;
        }
        Ok(FileCheck { path: PathText::of(path), size, crc: crc32c(&bytes) })
    }

    /// Checks that the file is as it was.
    ///
    /// # Errors
    /// With its name and what differs.
    pub(crate) fn verify(&self) -> Result<(), ExecError> {
        let path = self.path.as_path();
        let wrong = |what: String| {
            ExecError::state(format!("{}: {what}", path.display()))
                .with_hint("restore with the files the state was saved with, or begin anew")
        };
        let now = FileCheck::of(path).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            wrong(format!("the state was saved after reading this file, which cannot be read now: {reason}"))
        })?;
        match (self.size == now.size, self.crc == now.crc) {
            (true, true) => Ok(()),
            (false, _) => Err(wrong(format!(
                "this is not the file the state was saved with: it had {} bytes and has {} now",
                self.size, now.size
            ))),
            (true, false) => {
                Err(wrong("this is not the file the state was saved with: its contents have changed".into()))
            }
        }
    }
}

impl PathText {
    fn of(path: &Path) -> PathText {
        match path.to_str() {
            Some(text) => PathText::Text(text.to_owned()),
            None => PathText::Bytes(path.as_os_str().as_bytes().to_vec()),
        }
    }

    fn as_path(&self) -> &Path {
        match self {
            PathText::Text(text) => Path::new(text),
            PathText::Bytes(bytes) => Path::new(OsStr::from_bytes(bytes)),
        }
    }
}

/// The same in every process.
fn hash_of(path: &Path) -> u64 {
    path.as_os_str().as_bytes().iter().fold(0, |hash, &byte| mix(hash, u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_checked_do_not_depend_on_the_order_they_are_read_in() {
        let paths: Vec<PathBuf> =
            (0..500).map(|file| PathBuf::from(format!("no-such-folder/{file}"))).collect();
        let chosen = |paths: &mut dyn Iterator<Item = &PathBuf>| {
            let files = TouchedFiles::default();
            paths.for_each(|path| files.add(path));
            files.lock().keys().copied().collect::<Vec<u64>>()
        };
        let forwards = chosen(&mut paths.iter());
        assert_eq!(forwards.len(), MAX_FILES);
        assert_eq!(chosen(&mut paths.iter().rev()), forwards);
        assert_eq!(chosen(&mut paths.iter().chain(&paths)), forwards);
    }

    #[test]
    fn files_that_cannot_be_read_are_not_checked() {
        let files = TouchedFiles::default();
        files.add(Path::new("no-such-folder/file"));
        assert_eq!(files.checks(), []);
    }
}
