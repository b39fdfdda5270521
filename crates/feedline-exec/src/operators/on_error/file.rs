//! The quarantine files of an iterator: each is opened once, by whichever step of whichever epoch begins first, and is there from
//! then on, so that one that cannot be written is told before there is something to write.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use feedline_formats::tfrecord::write_frame;

use super::written::{WrittenRecords, torn_tail};
use crate::error::ExecError;

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

    pub(super) fn get(&self, path: &Path) -> Result<Arc<QuarantineFile>, ExecError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(path) {
            return Ok(Arc::clone(file));
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| cannot_be_written(path, &error))?;
        // A record that was not written to its end would hide all that is written behind it.
        let cut = torn_tail(path).and_then(|end| end.map_or(Ok(()), |end| file.set_len(end)));
        cut.map_err(|error| cannot_be_written(path, &error))?;
        let written = if self.is_restored { None } else { Some(WrittenRecords::default()) };
        let opened = Mutex::new(Opened { file, written });
        let file = Arc::new(QuarantineFile { path: path.to_owned(), opened });
        files.insert(path.to_owned(), Arc::clone(&file));
        Ok(file)
    }
}

/// The file at `path` fails with `error`.
pub(super) fn cannot_be_written(path: &Path, error: &std::io::Error) -> ExecError {
    let path = path.display();
    ExecError::resource(format!("{path}: the quarantine file cannot be written: {error}"))
        .with_hint("give on_error another place for it")
}

/// A file that records are written to, behind what is there.
#[derive(Debug)]
pub(super) struct QuarantineFile {
    path: PathBuf,
    opened: Mutex<Opened>,
}

#[derive(Debug)]
struct Opened {
    file: File,
    /// What was there before, if that matters; `None`: nobody looked yet.
    written: Option<WrittenRecords>,
}

/// The right to write to a file.
pub(super) struct Appending<'a> {
    path: &'a Path,
    opened: MutexGuard<'a, Opened>,
}

impl QuarantineFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for whoever is writing.
    pub(super) fn lock(&self) -> Appending<'_> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        Appending { path: &self.path, opened }
    }
}

impl Appending<'_> {
    /// Writes `records`, without those that are there from before the state was saved.
    pub(super) fn append(&mut self, records: &[Vec<u8>]) -> std::io::Result<()> {
        let Opened { file, written } = &mut *self.opened;
        let written = match written {
            Some(written) => written,
            None => written.insert(WrittenRecords::of(self.path)?),
        };
        let mut frames = Vec::new();
        let mut met_first = records.iter().filter(|record| !written.take(record));
        met_first.try_for_each(|record| write_frame(&mut frames, record)).map_err(std::io::Error::other)?;
        file.write_all(&frames)
    }
}
