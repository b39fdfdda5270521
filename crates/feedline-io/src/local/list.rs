//! Listing: from one pattern to its files.

use super::blob::not_a_file;
use super::explain;
use super::pattern::{Pattern, has_wildcard};
use super::walk::{Walk, target_of, walk};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{FileEntry, Listing};
use crate::watch::ListingWatch;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// See [`Store::survey`](crate::Store::survey).
pub(super) fn survey(text: &OsStr, watch: &ListingWatch) -> Result<Listing> {
    if text.is_empty() {
        return Err(Error::new(ErrorKind::InvalidPattern, text, "list", "the pattern is empty")
            .with_hint("give a path or a pattern, e.g. `data/*.tfrecord`"));
    }
    let path = Path::new(text);
    let file = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            Some(FileEntry { location: path.to_owned(), size: metadata.len() })
        }
        _ if has_wildcard(text) => None,
        Ok(metadata) => return Ok(unreadable(not_a_file(path, "list", metadata.is_dir()))),
        Err(error) => return plain_path(path, Error::io(path, "list", error)),
    };
    // `run[1].rec` is a name people give, and where there is that file they mean it. With `*` or `?` they mean all that
    // match: one file that happens to be called like the pattern must not stand for the others.
    let is_plain = !text.as_bytes().iter().any(|byte| matches!(byte, b'*' | b'?'));
    let (pattern, file) = match (Pattern::parse(text), file) {
        (_, Some(file)) if is_plain => return Ok(only(file, watch)),
        (Err(_), Some(file)) => return Ok(only(file, watch)),
        (pattern, file) => (pattern?, file),
    };
    let mut walk = walk(&pattern, watch);
    if watch.is_stopped() {
        return Err(ListingWatch::interrupted(path));
    }
    if walk.files.is_empty() && walk.unreadable.is_empty() && file.is_none() {
        return Err(explain::no_match(text, &pattern, &walk));
    }
    // Where there is a `[`, too, the pattern need not match its own name.
    let is_new = |file: &FileEntry| walk.files.iter().all(|other| other.location != file.location);
    if let Some(file) = file.filter(is_new) {
        walk.files.push(file);
    }
    Ok(sorted(walk))
}

fn only(file: FileEntry, watch: &ListingWatch) -> Listing {
    watch.count();
    Listing { files: vec![file], unreadable: Vec::new() }
}

/// See [`survey_folder`](crate::survey_folder).
pub(super) fn survey_folder(folder: &Path, watch: &ListingWatch) -> Result<Listing> {
    let walk = walk(&Pattern::below(folder), watch);
    if watch.is_stopped() { Err(ListingWatch::interrupted(folder)) } else { Ok(sorted(walk)) }
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
