//! The index beside a record file.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use feedline_formats::tfrecord::{
    ContentCheck, FrameReader, HEADER_BYTES, IndexBuilder, RecordIndex, frame_bytes,
};
use feedline_io::{Blob, LocalStore, Store, shown};

use super::split_error::SplitError;
use crate::error::ExecError;

/// What is appended to a file's name to name its index.
pub const INDEX_SUFFIX: &str = ".feedline-index";

/// Where the index of `path` is kept: beside it.
pub fn index_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(INDEX_SUFFIX);
    PathBuf::from(name)
}

/// Why there is no index to be had.
#[derive(Debug)]
pub enum SidecarError {
    /// The file, or its index, cannot be read.
    Io(feedline_io::Error),
    /// The index is none, or of another state of the file.
    Format {
        /// The index.
        path: PathBuf,
        /// What is wrong.
        error: feedline_formats::Error,
    },
}

impl fmt::Display for SidecarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SidecarError::Io(error) => error.fmt(f),
            SidecarError::Format { path, error } => write!(f, "{}: {error}", shown(path)),
        }
    }
}

impl std::error::Error for SidecarError {}

impl From<feedline_io::Error> for SidecarError {
    fn from(error: feedline_io::Error) -> SidecarError {
        SidecarError::Io(error)
    }
}

impl From<SidecarError> for ExecError {
    fn from(error: SidecarError) -> ExecError {
        match error {
            SidecarError::Io(error) => ExecError::of_io(&error),
            SidecarError::Format { path, error } => ExecError::of_format(&path, &error),
        }
    }
}

/// The check that ties an index to the contents of `blob`; reads at most 64 KiB of it.
pub fn content_check(blob: &dyn Blob) -> feedline_io::Result<u32> {
    let mut bytes = Vec::new();
    for range in ContentCheck::ranges(blob.size()) {
        let start = bytes.len();
        bytes.resize(start + (range.end - range.start) as usize, 0);
        blob.read_exact_at(&mut bytes[start..], range.start)?;
    }
    Ok(ContentCheck::of(&bytes))
}

/// The index of `blob`, if there is one; an error if it is of another state of the file.
///
/// What is compared is the size of the file and [`content_check`], which covers all of a file of up to 64 KiB and sixteen windows
/// of a larger one. Not the times of the two: a folder that was copied or checked out has new ones, in any order. So a file that was
/// changed between the windows, and has its old size, goes unnoticed here. Where no record begins any more at the place of one,
/// reading it says so ([`misplaced`]); where another does, that is read. `verify` compares the places of all.
pub fn load_index(blob: &dyn Blob) -> Result<Option<RecordIndex>, SidecarError> {
    let path = index_path(blob.location());
    // Asked first: to be missing is the usual case, and opening what is missing looks through the folder for names like
    // it. With a thousand files that took seconds.
    if !LocalStore.exists(&path)? {
        return Ok(None);
    }
    let sidecar = LocalStore.open(&path)?;
    let in_index = |error| SidecarError::Format { path: path.clone(), error };
    // A record takes more bytes of its file than of the index, so that what is larger need not be read, which might take
    // all memory.
    if sidecar.size() > blob.size().saturating_add(EMPTY_INDEX_BYTES) {
        let reason = format!("it has {} bytes, too many for a file of {}", sidecar.size(), blob.size());
        return Err(in_index(RecordIndex::stale(reason)));
    }
    let mut bytes = vec![0; sidecar.size() as usize];
    sidecar.read_exact_at(&mut bytes, 0)?;
    let index = RecordIndex::from_bytes(bytes).map_err(in_index)?;
    index.check_file(blob.size(), content_check(blob)?).map_err(in_index)?;
    Ok(Some(index))
}

/// What an index has beside its records, with room to spare.
const EMPTY_INDEX_BYTES: u64 = 64;

/// What to do where the file has no record, or one of another length, at a place the index has one.
pub fn misplaced(path: &Path) -> String {
    let path = shown(path);
    format!(
        "the file is damaged here, or was changed after it was indexed: `feedline verify {path}` says which, \
         `feedline index --force {path}` makes the index again"
    )
}

/// Bytes read at a time while looking for lengths.
const LOOK_BYTES: usize = 64 << 10;

/// An index of `blob`, made now: goes from length to length, and does not look at the records.
///
/// Where a length is damaged, or the file is cut off, it ends, with the error: which record is the k-th is not known behind that.
pub(crate) fn build_index(blob: &dyn Blob) -> Result<(RecordIndex, Option<ExecError>), ExecError> {
    let mut builder = IndexBuilder::default();
    let (mut offset, mut record, mut skipped) = (0, 0, 0);
    let mut bytes = vec![0; LOOK_BYTES];
    let mut damage = None;
    while offset < blob.size() && damage.is_none() {
        // Large records: only their lengths. Small ones: many at a time.
        let wanted = if skipped >= LOOK_BYTES as u64 { HEADER_BYTES } else { LOOK_BYTES };
        let read = blob.read_at(&mut bytes[..wanted], offset).map_err(|error| ExecError::of_io(&error))?;
        let start = offset;
        let mut reader = FrameReader::default().at(offset, record);
        loop {
            let at = (offset - start) as usize;
            let rest = bytes.get(at..read).unwrap_or(&[]);
            if rest.len() < HEADER_BYTES && (at > 0 || offset + (rest.len() as u64) < blob.size()) {
                break;
            }
            let frame = reader.bytes_wanted(rest);
            if frame <= HEADER_BYTES as u64 || offset + frame > blob.size() {
                // Damaged, or cut off: the reader says what and where.
                damage = Some(match reader.next(rest) {
                    Err(error) => SplitError::Data(error).in_file(blob.location(), 0),
                    Ok(_) => ExecError::data(format!(
                        "{}: record {record} (byte {offset}) ends behind the end of the file",
                        blob.location().display()
                    ))
                    .with_hint("`feedline verify` lists what is damaged"),
                });
                break;
            }
            builder.push(frame - frame_bytes(0));
            skipped = frame;
            offset += frame;
            record += 1;
            reader = FrameReader::default().at(offset, record);
        }
    }
    let check = content_check(blob).map_err(|error| ExecError::of_io(&error))?;
    let in_file = |error: feedline_formats::Error| ExecError::of_format(blob.location(), &error);
    let index = RecordIndex::from_bytes(builder.finish(offset, check).map_err(in_file)?).map_err(in_file)?;
    Ok((index, damage))
}
