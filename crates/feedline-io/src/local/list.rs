//! Listing: from one pattern to its files.

use super::blob::not_a_file;
use super::explain;
use super::pattern::{Pattern, has_wildcard};
use super::walk::{Walk, target_of, walk};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{FileEntry, Listing};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// See [`Store::survey`](crate::Store::survey).
pub(super) fn survey(text: &OsStr) -> Result<Listing> {
    if text.is_empty() {
        return Err(Error::new(ErrorKind::InvalidPattern, text, "list", "the pattern is empty")
            .with_hint("give a path or a pattern, e.g. `data/*.tfrecord`"));
    }
    let path = Path::new(text);
    match fs::metadata(path) {
        // First of all: `run[1].rec` is a name people give, and they mean that file.
        Ok(metadata) if metadata.is_file() => {
            let files = vec![FileEntry { location: path.to_owned(), size: metadata.len() }];
            return Ok(Listing { files, unreadable: Vec::new() });
        }
        _ if has_wildcard(text) => {}
        Ok(metadata) => return Ok(unreadable(not_a_file(path, "list", metadata.is_dir()))),
        Err(error) => return plain_path(path, Error::io(path, "list", error)),
    }
    let pattern = Pattern::parse(text)?;
    let walk = walk(&pattern);
    if walk.files.is_empty() && walk.unreadable.is_empty() {
        return Err(explain::no_match(text, &pattern, &walk));
    }
    Ok(sorted(walk))
}

/// See [`survey_folder`](crate::survey_folder).
pub(super) fn survey_folder(folder: &Path) -> Listing {
    sorted(walk(&Pattern::below(folder)))
}

/// A plain path that cannot be looked at: what is not there was mistyped, anything else is a file that cannot be read.
fn plain_path(path: &Path, error: Error) -> Result<Listing> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    match target_of(path) {
        Err(of_link) if is_link => Ok(unreadable(of_link)),
        _ if error.kind() == ErrorKind::NotFound => Err(explain::if_missing(error)),
        _ => Ok(unreadable(error)),
    }
}

fn unreadable(error: Error) -> Listing {
    Listing { files: Vec::new(), unreadable: vec![error] }
}

fn sorted(walk: Walk) -> Listing {
    let mut listing = Listing { files: walk.files, unreadable: walk.unreadable };
    listing.sort();
    listing
}
