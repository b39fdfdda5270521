//! Files that are compressed in ways that are not read: told as what they are, with the command that unpacks them.

use std::path::Path;

use feedline_formats::{Compression, Packing};
use feedline_io::{Blob, shown};

use super::options::argument;
use crate::error::{Error, Result};

/// Bytes that tell which tool made a file.
const MARK_BYTES: usize = 10;
/// Of a file inside a file, to tell for sure that it is compressed.
const PROBE_BYTES: usize = 4096;

/// An error if `blob`, a file as it is, is packed in a way that is not read.
pub(super) fn check(blob: &dyn Blob) -> Result<()> {
    match Packing::sniff(&head(blob, MARK_BYTES)?) {
        Some(packing) => {
            let found = format!("the file is {packing}, which is not read");
            Err(refused(blob.location(), &found, packing.command()))
        }
        None => Ok(()),
    }
}

/// An error if `text`, the uncompressed contents of a file, is compressed once more.
pub(super) fn check_inflated(text: &dyn Blob) -> Result<()> {
    let head = head(text, PROBE_BYTES)?;
    let inside = Packing::sniff(&head).map(|packing| packing.to_string()).or_else(|| {
        let compression = Compression::detect_of_text(&head, head.len() as u64 == text.size());
        compression.map(|compression| format!("{compression}-compressed"))
    });
    match inside {
        Some(kind) => {
            let found = format!("the file is compressed twice: what it unpacks to is {kind} again");
            Err(refused(text.location(), &found, "gzip -d"))
        }
        None => Ok(()),
    }
}

fn head(blob: &dyn Blob, num_bytes: usize) -> Result<Vec<u8>> {
    let mut head = vec![0; num_bytes];
    let read = blob.read_at(&mut head, 0)?;
    head.truncate(read);
    Ok(head)
}

fn refused(path: &Path, found: &str, tool: &str) -> Error {
    let path = shown(path);
    let hint = format!(
        "unpack it, and convert what comes out: `{tool} {path}`; what is gzip or zlib once is read as it is"
    );
    argument(format!("{path}: {found}"), hint)
}
