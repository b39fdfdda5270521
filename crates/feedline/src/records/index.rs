//! Random access to the records of an uncompressed file through its sidecar index.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub use feedline_exec::files::{INDEX_SUFFIX, content_check, index_path};
use feedline_exec::files::{SidecarError, misplaced};
use feedline_formats::ErrorKind;
use feedline_formats::tfrecord::{FrameReader, RecordIndex, frame_bytes};
use feedline_io::{Blob, LocalStore, Store, shown};

use crate::error::{Error, Result};
use crate::memory;

/// The index of `blob`, if there is one; an error if it is of another state of the file.
///
/// Compared are the file's size and [`content_check`]: all of a file of up to 64 KiB, sixteen windows of a larger one. The times of
/// the two are not, so that a folder can be copied. What that cannot see is a file of the same size that was changed between
/// the windows alone. Where no record begins any more at the place of one, [`IndexedFile::read`] of it is an error; where another
/// does, it gives that. [`verify`](crate::verify::verify) compares the places of all.
pub fn load_index(blob: &dyn Blob) -> Result<Option<RecordIndex>> {
    feedline_exec::files::load_index(blob).map_err(in_sidecar)
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
                message: format!("{}: there is no index beside it", shown(path.as_ref())),
                hint: format!("make one with `feedline index {}`", shown(path.as_ref())),
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
        let found = match read_place(&*self.blob, record, &place, buffer) {
            Ok(Some(data)) => return Ok(Some(data)),
            Ok(None) => "the record has another length than the index says",
            Err(Error::Data { error, .. }) if is_of_length(&error) => {
                "there is no record here, where the index has one"
            }
            Err(error) => return Err(error),
        };
        let path = self.blob.location();
        Err(Error::Argument {
            message: format!("{}: record {record} (byte {}): {found}", shown(path), place.start),
            hint: misplaced(path),
        })
    }

    /// Where record `record` begins; `None` past the last.
    pub fn offset(&self, record: u64) -> Option<u64> {
        self.index.place(record).map(|place| place.start)
    }
}

/// Whether the length of a record is what is wrong.
fn is_of_length(error: &feedline_formats::Error) -> bool {
    matches!(error.kind(), ErrorKind::LengthChecksum { .. })
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
