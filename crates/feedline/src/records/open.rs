//! What kind of file a record file is before its first record.

use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};
use feedline_formats::{Compression, ErrorKind};
use feedline_io::Blob;

use crate::error::{Error, Result};

/// How a record file is compressed, told from its first bytes; `None` if it is not.
///
/// An error if it is packed in a way that is not read (Zstandard, bzip2, xz, LZ4, ZIP): to look for records in such a file would
/// give hundreds of errors, none of which says so.
pub fn detect_compression(blob: &dyn Blob) -> Result<Option<Compression>> {
    if let Some(compression) = feedline_exec::files::detect_compression(blob)? {
        return Ok(Some(compression));
    }
    let mut head = [0; HEADER_BYTES];
    let read = blob.read_at(&mut head, 0)?;
    let mut frames = FrameReader::default();
    let error = frames.next(&head[..read]).err().or_else(|| frames.finish(&head[..read]).err());
    match error.filter(|error| matches!(error.kind(), ErrorKind::Packed(_))) {
        Some(error) => Err(Error::data(blob.location(), error)),
        None => Ok(None),
    }
}
