//! Random access to the records of an uncompressed file through its sidecar index.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use feedline_formats::tfrecord::{ContentCheck, FrameReader, RecordIndex, frame_bytes};
use feedline_io::{Blob, LocalStore, Store};

use crate::error::{Error, Result};
use crate::memory;

/// What is appended to a file's name to name its index.
pub const INDEX_SUFFIX: &str = ".feedline-index";

/// Where the index of `path` is kept: beside it.
pub fn index_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(INDEX_SUFFIX);
    PathBuf::from(name)
}

/// The check that ties an index to the contents of `blob`; reads at most 64 KiB of it.
pub fn content_check(blob: &dyn Blob) -> Result<u32> {
    let mut bytes = Vec::new();
    for range in ContentCheck::ranges(blob.size()) {
        let start = bytes.len();
        bytes.resize(start + (range.end - range.start) as usize, 0);
        blob.read_exact_at(&mut bytes[start..], range.start)?;
    }
    Ok(ContentCheck::of(&bytes))
}

/// The index of `blob`, if there is one; an error if it is of another state of the file.
pub fn load_index(blob: &dyn Blob) -> Result<Option<RecordIndex>> {
    let path = index_path(blob.location());
    // Asked first: to be missing is the usual case, and opening what is missing looks through the folder for names like
    // it. With a thousand files that took seconds.
    if !LocalStore.exists(&path)? {
        return Ok(None);
    }
    let sidecar = LocalStore.open(&path)?;
    let mut bytes = vec![0; sidecar.size() as usize];
    sidecar.read_exact_at(&mut bytes, 0)?;
    let in_index = |error| Error::data(&path, error);
    let index = RecordIndex::from_bytes(bytes).map_err(in_index)?;
    index.check_file(blob.size(), content_check(blob)?).map_err(in_index)?;
    // The content check looks at 64 KiB; a change between its windows that keeps the size shows in the time alone.
    if is_newer(blob.location(), &path) {
        return Err(in_index(RecordIndex::stale("the file was written after it was indexed")));
    }
    Ok(Some(index))
}

/// Whether `file` was changed after `index` was; not, where the system does not say.
fn is_newer(file: &Path, index: &Path) -> bool {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    matches!((changed(file), changed(index)), (Some(file), Some(index)) if file > index)
}

/// A file whose k-th record can be read alone.
pub struct IndexedFile {
    blob: Arc<dyn Blob>,
    index: RecordIndex,
}

impl IndexedFile {
    /// Opens a file with its index; an error if there is none, or a stale one.
    pub fn open(path: impl AsRef<Path>) -> Result<IndexedFile> {
        let blob = LocalStore.open(path.as_ref())?;
        match load_index(&*blob)? {
            Some(index) => Ok(IndexedFile { blob, index }),
            None => Err(Error::Argument {
                message: format!("{}: there is no index beside it", path.as_ref().display()),
                hint: Some(format!("make one with `feedline index {}`", path.as_ref().display())),
            }),
        }
    }

    /// Number of records.
    pub fn len(&self) -> u64 {
        self.index.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Reads record `record` into `buffer` and returns its data; `None` past the last.
    pub fn read<'b>(&self, record: u64, buffer: &'b mut Vec<u8>) -> Result<Option<&'b [u8]>> {
        let Some(place) = self.index.place(record) else { return Ok(None) };
        let path = self.blob.location();
        let num_bytes = place.end - place.start;
        memory::resize(buffer, num_bytes).map_err(|_| {
            Error::memory(path, &format!("hold record {record} (byte {})", place.start), num_bytes)
        })?;
        self.blob.read_exact_at(buffer, place.start)?;
        let data = FrameReader::default().at(place.start, record).next(buffer);
        match data.map_err(|error| Error::data(path, error))? {
            Some(data) if frame_bytes(data.len() as u64) == place.end - place.start => Ok(Some(data)),
            // A valid header, so there is a record, but not the one that was indexed. The content check has windows
            // between which a file can change.
            _ => Err(Error::Argument {
                message: format!(
                    "{}: record {record} (byte {}): the record has another length than the index says",
                    path.display(),
                    place.start
                ),
                hint: Some(format!(
                    "the index is stale; make it again with `feedline index {}`",
                    path.display()
                )),
            }),
        }
    }

    /// Where record `record` begins; `None` past the last.
    pub fn offset(&self, record: u64) -> Option<u64> {
        self.index.place(record).map(|place| place.start)
    }
}
