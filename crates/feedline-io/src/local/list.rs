//! Listing: from one pattern to its files.

use super::blob::not_a_file;
use super::explain;
use super::pattern::{Pattern, has_wildcard};
use super::walk::walk;
use crate::error::{Error, ErrorKind, Result};
use crate::store::{FileEntry, sort_by_bytes};
use std::fs;
use std::path::Path;

/// See [`Store::list`](crate::Store::list).
pub(super) fn list(text: &str) -> Result<Vec<FileEntry>> {
    if text.is_empty() {
        return Err(Error::new(ErrorKind::InvalidPattern, text, "list", "the pattern is empty")
            .with_hint("give a path or a pattern, e.g. `data/*.tfrecord`"));
    }
    let path = Path::new(text);
    match fs::metadata(path) {
        // First of all: `run[1].rec` is a name people give, and they mean that file.
        Ok(metadata) if metadata.is_file() => {
            return Ok(vec![FileEntry { location: path.to_owned(), size: metadata.len() }]);
        }
        _ if has_wildcard(text) => {}
        Ok(metadata) => return Err(not_a_file(path, "list", metadata.is_dir())),
        Err(error) => return Err(explain::if_missing(Error::io(path, "list", error))),
    }
    let pattern = Pattern::parse(text)?;
    let mut walk = walk(&pattern)?;
    if walk.files.is_empty() {
        return Err(explain::no_match(text, &pattern, &walk));
    }
    sort_by_bytes(&mut walk.files);
    Ok(walk.files)
}
