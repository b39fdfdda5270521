//! Random access to the records of an uncompressed file through its sidecar index.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use feedline_exec::files::SidecarError;
pub use feedline_exec::files::{INDEX_SUFFIX, content_check, index_path};
use feedline_formats::tfrecord::{FrameReader, RecordIndex, frame_bytes};
use feedline_io::{Blob, LocalStore, Store};

use crate::error::{Error, Result};
use crate::memory;

/// The index of `blob`, if there is one; an error if it is of another state of the file.
pub fn load_index(blob: &dyn Blob) -> Result<Option<RecordIndex>> {
    feedline_exec::files::load_index(blob).map_err(in_sidecar)
}

/// [`load_index`] for who then compares every place with the file, whatever the times of the two say.
pub(crate) fn load_index_to_compare(blob: &dyn Blob) -> Result<Option<RecordIndex>> {
    feedline_exec::files::load_index_to_compare(blob).map_err(in_sidecar)
}

fn in_sidecar(error: SidecarError) -> Error {
    match error {
        SidecarError::Io(error) => Error::Io(error),
        SidecarError::Format { path, error } => Error::data(&path, error),
    }
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
        if let Some(data) = read_place(&*self.blob, record, &place, buffer)? {
            return Ok(Some(data));
        }
        // A valid header, so there is a record, but not the one that was indexed. The content check has windows
        // between which a file can change.
        let path = self.blob.location().display();
        Err(Error::Argument {
            message: format!(
                "{path}: record {record} (byte {}): the record has another length than the index says",
                place.start
            ),
            hint: Some(format!("the index is stale; make it again with `feedline index {path}`")),
        })
    }

    /// Where record `record` begins; `None` past the last.
    pub fn offset(&self, record: u64) -> Option<u64> {
        self.index.place(record).map(|place| place.start)
    }
}

/// Reads record `record`, which takes the bytes `place`, into `buffer` and returns its data; `None` if it has another length.
pub(crate) fn read_place<'b>(
    blob: &dyn Blob,
    record: u64,
    place: &Range<u64>,
    buffer: &'b mut Vec<u8>,
) -> Result<Option<&'b [u8]>> {
    let path = blob.location();
    let num_bytes = place.end - place.start;
    memory::resize(buffer, num_bytes).map_err(|_| {
        Error::memory(path, &format!("hold record {record} (byte {})", place.start), num_bytes)
    })?;
    blob.read_exact_at(buffer, place.start)?;
    let data = FrameReader::default().at(place.start, record).next(buffer);
    let data = data.map_err(|error| Error::data(path, error))?;
    Ok(data.filter(|data| frame_bytes(data.len() as u64) == num_bytes))
}
