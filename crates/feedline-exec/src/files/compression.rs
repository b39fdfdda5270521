//! How a file is compressed, told from its bytes.

use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};
use feedline_formats::{Compression, Decompressor};
use feedline_io::{Blob, Result};

/// Enough of a zlib stream to see that it is one: its first block's tables are a few hundred bytes.
const PROBE_BYTES: usize = 4096;

/// How a record file is compressed, told from its first bytes; `None` if it is not, or is no record file at all.
///
/// Reads 12 bytes, and 4 KiB where those are no record.
pub fn detect_compression(blob: &dyn Blob) -> Result<Option<Compression>> {
    let mut head = [0; HEADER_BYTES];
    let read = blob.read_at(&mut head, 0)?;
    let head = &head[..read];
    // A first record whose length happens to look like a gzip header still has a matching checksum.
    if FrameReader::default().next(head).is_ok() && head.len() == HEADER_BYTES {
        return Ok(None);
    }
    let compression = Compression::sniff(head);
    if compression == Some(Compression::Zlib) && !inflates(blob)? {
        // The mark of zlib is two bytes with a check of five bits: one damaged length in a few thousand has it. What
        // follows the low bytes of a length is no deflated block, though.
        return Ok(None);
    }
    Ok(compression)
}

fn inflates(blob: &dyn Blob) -> Result<bool> {
    let mut head = vec![0; PROBE_BYTES];
    let read = blob.read_at(&mut head, 0)?;
    let mut out = Vec::new();
    Ok(Decompressor::new(Compression::Zlib).push(&head[..read], &mut out, PROBE_BYTES).is_ok())
}
