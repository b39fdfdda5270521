//! What the files look like that rows were read of: saved with an iterator's state, so that a state is not restored over other data, and
//! with a cache in files, so that its rows are not given for those of other data, nor mixed with them.
//!
//! A file that was replaced would otherwise go on at a byte that means nothing in it, or worse, something. Looked at are the
//! size and three windows of 4 KiB, of a limited number of files, chosen by a hash of their paths so that it is always the same
//! ones; once for each file, when somebody first asks after it was read. That notices files that were written anew, not
//! a byte that was changed between the windows: records have checksums of their own.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use feedline_data::block::mix;
use feedline_formats::crc32c;
use feedline_io::{LocalStore, Store};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;

/// So that a state stays a few kilobytes.
const MAX_FILES: usize = 32;
/// What is kept in a file of its own may say more. So many can be looked at in a second or two where a look takes a millisecond.
const MAX_FILES_OF_PART: usize = 1024;

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

/// How a file differs from what it was.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// It cannot be read, for that reason.
    Unreadable(String),
    /// It has so many bytes.
    Size(u64),
    Contents,
}

/// The files that were read, those of them that are checked.
#[derive(Debug)]
pub(crate) struct TouchedFiles {
    files: Mutex<BTreeMap<u64, Touched>>,
    max_files: usize,
    /// Whose files these are, too.
    whole: Option<Arc<TouchedFiles>>,
}

#[derive(Debug)]
enum Touched {
    /// Nobody asked yet.
    Unseen(PathBuf),
    /// As it was when a state was saved; `None`: it could not be read, and is not checked.
    Seen(Option<FileCheck>),
}

impl Default for TouchedFiles {
    /// None yet, of a whole iterator.
    fn default() -> TouchedFiles {
        TouchedFiles { files: Mutex::default(), max_files: MAX_FILES, whole: None }
    }
}

impl TouchedFiles {
    /// Those a state was saved with, and none else.
    pub(crate) fn of_state(files: &[FileCheck]) -> TouchedFiles {
        let touched = TouchedFiles::default();
        touched.remember(files);
        touched
    }

    /// None yet, of a part of what `whole` is of.
    pub(crate) fn part_of(whole: &Arc<TouchedFiles>) -> TouchedFiles {
        TouchedFiles { files: Mutex::default(), max_files: MAX_FILES_OF_PART, whole: Some(Arc::clone(whole)) }
    }

    /// Adds files that were looked at before, as they were then.
    pub(crate) fn remember(&self, files: &[FileCheck]) {
        let seen = files.iter().map(|file| (hash_of(file.path()), Touched::Seen(Some(file.clone()))));
        self.lock().extend(seen);
    }

    /// Rows of `path` have been read.
    pub(crate) fn add(&self, path: &Path) {
        if let Some(whole) = &self.whole {
            whole.add(path);
        }
        let mut files = self.lock();
        let hash = hash_of(path);
        let is_full = files.len() >= self.max_files;
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
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Which file it is.
    pub(crate) fn path(&self) -> &Path {
        self.path.as_path()
    }

    /// How the file differs from what it was, if it does.
    pub(crate) fn change(&self) -> Option<Change> {
        match FileCheck::of(self.path()) {
            Err(error) => {
                let reason = error.to_string();
                Some(Change::Unreadable(reason.lines().next().unwrap_or_default().to_owned()))
            }
            Ok(now) if now.size != self.size => Some(Change::Size(now.size)),
            Ok(now) => (now.crc != self.crc).then_some(Change::Contents),
        }
    }

    /// Checks that the file is as it was when a state was saved.
    ///
    /// # Errors
    /// With its name and what differs.
    pub(crate) fn verify(&self) -> Result<(), ExecError> {
        let Some(change) = self.change() else { return Ok(()) };
        let what = match &change {
            Change::Unreadable(reason) => {
                format!("the state was saved after reading this file, which cannot be read now: {reason}")
            }
            change => format!("this is not the file the state was saved with: {}", self.told(change)),
        };
        Err(ExecError::state(format!("{}: {what}", self.path().display()))
            .with_hint("restore with the files the state was saved with, or begin anew"))
    }

    /// `change` of it in words.
    pub(crate) fn told(&self, change: &Change) -> String {
        match change {
            Change::Unreadable(reason) => format!("it cannot be read now: {reason}"),
            Change::Size(now) => format!("it had {} bytes and has {now} now", self.size),
            Change::Contents => "its contents have changed".to_owned(),
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
