//! The quarantine files of an iterator: each is opened once, by whichever step of whichever epoch writes to it first.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use feedline_formats::tfrecord::write_frame;

use super::written::WrittenRecords;

/// All of an iterator's.
#[derive(Debug)]
pub(crate) struct QuarantineFiles {
    /// Whether the iterator goes on from a saved state: then the files may hold what will be met again.
    is_restored: bool,
    files: Mutex<HashMap<PathBuf, Arc<QuarantineFile>>>,
}

impl QuarantineFiles {
    pub(crate) fn new(is_restored: bool) -> QuarantineFiles {
        QuarantineFiles { is_restored, files: Mutex::default() }
    }

    pub(super) fn get(&self, path: &Path) -> Arc<QuarantineFile> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let file = files.entry(path.to_owned()).or_insert_with(|| {
            let (path, is_restored) = (path.to_owned(), self.is_restored);
            Arc::new(QuarantineFile { path, is_restored, opened: Mutex::default() })
        });
        Arc::clone(file)
    }
}

/// A file that records are written to, behind what is there.
#[derive(Debug)]
pub(super) struct QuarantineFile {
    path: PathBuf,
    is_restored: bool,
    opened: Mutex<Option<Opened>>,
}

#[derive(Debug)]
struct Opened {
    file: File,
    /// What was there before, if that matters.
    written: WrittenRecords,
}

/// The right to write to a file.
pub(super) struct Appending<'a> {
    file: &'a QuarantineFile,
    opened: MutexGuard<'a, Option<Opened>>,
}

impl QuarantineFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for whoever is writing.
    pub(super) fn lock(&self) -> Appending<'_> {
        Appending { file: self, opened: self.opened.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    fn open(&self) -> std::io::Result<Opened> {
        let written =
            if self.is_restored { WrittenRecords::of(&self.path)? } else { WrittenRecords::default() };
        Ok(Opened { file: OpenOptions::new().create(true).append(true).open(&self.path)?, written })
    }
}

impl Appending<'_> {
    /// Writes `records`, without those that are there from before the state was saved.
    pub(super) fn append(&mut self, records: &[Vec<u8>]) -> std::io::Result<()> {
        let mut opened = match self.opened.take() {
            Some(opened) => opened,
            None => self.file.open()?,
        };
        let mut frames = Vec::new();
        let mut met_first = records.iter().filter(|record| !opened.written.take(record));
        let framed = met_first.try_for_each(|record| write_frame(&mut frames, record));
        let result = framed.map_err(std::io::Error::other).and_then(|()| opened.file.write_all(&frames));
        *self.opened = Some(opened);
        result
    }
}
