//! Opening a file, and what its errors look like.

use std::path::Path;
use std::sync::Arc;

use feedline_formats::Compression;
use feedline_io::{Blob, Store};

use super::compression::detect_compression_of_text;
use super::{RowKind, detect_compression};
use crate::error::ExecError;

/// The file at `path`, and how it is compressed.
pub(super) fn open(
    store: &dyn Store,
    path: &Path,
    kind: RowKind,
) -> Result<(Arc<dyn Blob>, Option<Compression>), ExecError> {
    let blob = store.open(path).map_err(|error| machine(&error))?;
    let compression = match kind {
        RowKind::Record => detect_compression(&*blob),
        RowKind::Line | RowKind::Csv(_) => detect_compression_of_text(&*blob),
        RowKind::Fixed(format) => Ok(format.compression),
    };
    let compression = compression.map_err(|error| machine(&error))?;
    if compression.is_none() {
        let checked = match kind {
            RowKind::Record | RowKind::Line => Ok(()),
            RowKind::Csv(format) => format.check_size(blob.size()),
            RowKind::Fixed(format) => format.check_size(blob.size()),
        };
        checked.map_err(|error| bad_data(path, &error))?;
    }
    Ok((blob, compression))
}

/// Contents that are no rows.
pub(super) fn bad_data(path: &Path, error: &feedline_formats::Error) -> ExecError {
    ExecError::of_format(path, error)
}

/// A file that cannot be read.
pub(super) fn machine(error: &feedline_io::Error) -> ExecError {
    ExecError::of_io(error)
}

/// Refuses a buffer of `len` bytes for one row: rows are 32-bit places in their buffer.
pub(super) fn check_row_bytes(len: usize, path: &Path) -> Result<(), ExecError> {
    if u32::try_from(len).is_ok() {
        return Ok(());
    }
    Err(no_memory(len, path)
        .with_hint("a row of 2 GiB or more cannot be read; is this the right kind of file?"))
}

/// A buffer of `len` bytes, with room for the end of the last row. Memory that comes cleared is not cleared again, as it would be where a buffer
/// grows: read into a part at a time, a fresh buffer was moved once and written over before every read.
pub(super) fn new_buffer(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; roomy(len)];
    bytes.truncate(len);
    bytes
}

/// A quarter more, for the end of the last row: growing again would copy all of it.
fn roomy(len: usize) -> usize {
    len + len / 4
}

/// Makes `bytes` at least `len` long.
pub(super) fn make_room(bytes: &mut Vec<u8>, len: usize, path: &Path) -> Result<(), ExecError> {
    if len <= bytes.len() {
        return Ok(());
    }
    check_row_bytes(len, path)?;
    if bytes.capacity() < len {
        let reserved = bytes.try_reserve_exact(roomy(len) - bytes.len());
        reserved.or_else(|_| bytes.try_reserve_exact(len - bytes.len())).map_err(|_| no_memory(len, path))?;
    }
    bytes.resize(len, 0);
    Ok(())
}

fn no_memory(len: usize, path: &Path) -> ExecError {
    ExecError::resource(format!("{}: no memory for a row of {len} bytes", path.display()))
}
