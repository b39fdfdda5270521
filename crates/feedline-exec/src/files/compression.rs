//! How a file is compressed, told from its bytes.

use feedline_formats::Compression;
use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};
use feedline_io::{Blob, Result};

/// Enough for [`Compression::detect`] and [`Compression::detect_of_text`] to be sure.
const PROBE_BYTES: usize = 4096;

/// How a record file is compressed, told from its first bytes; `None` if it is not, or is no record file at all.
///
/// Reads 12 bytes, and 4 KiB where those are no record.
pub fn detect_compression(blob: &dyn Blob) -> Result<Option<Compression>> {
    let mut head = [0; HEADER_BYTES];
    let read = blob.read_at(&mut head, 0)?;
    if FrameReader::default().bytes_wanted(&head[..read]) > HEADER_BYTES as u64 {
        return Ok(None);
    }
    let mut head = vec![0; PROBE_BYTES];
    let read = blob.read_at(&mut head, 0)?;
    Ok(Compression::detect(&head[..read]))
}

/// How a text file is compressed, told from its first bytes; `None` if it is not.
pub fn detect_compression_of_text(blob: &dyn Blob) -> Result<Option<Compression>> {
    let mut head = [0; 3];
    let read = blob.read_at(&mut head, 0)?;
    if Compression::sniff(&head[..read]).is_none() {
        return Ok(None);
    }
    let mut head = vec![0; PROBE_BYTES];
    let read = blob.read_at(&mut head, 0)?;
    Ok(Compression::detect_of_text(&head[..read], read as u64 == blob.size()))
}
