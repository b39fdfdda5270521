//! [`Store`]: a place that holds files. The interface that object stores will implement beside the local one.

use crate::blob::Blob;
use crate::error::{Error, ErrorKind, Result};
use crate::local::LocalStore;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file found by a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path, spelled as the pattern was: relative stays relative.
    pub location: PathBuf,
    /// Its size in bytes when it was listed.
    pub size: u64,
}

/// A place that holds files.
///
/// A location is a [`Path`] because a local name may hold any bytes; an address such as `s3://bucket/key` fits
/// in one unchanged.
pub trait Store: Send + Sync {
    /// The files that match one pattern, sorted by the bytes of their paths, each once.
    ///
    /// `?` is one character, `*` any run of them within a name, `[…]` one of a set (`[!…]`: not of it), `**`
    /// any number of folders. A name that begins with `.` is matched only by a component that begins with `.`.
    /// A pattern without these is a plain path, and a file that is called exactly as the pattern wins over
    /// what the pattern would match.
    ///
    /// No match is an error ([`ErrorKind::NoMatch`], for a plain path [`ErrorKind::NotFound`]), and so is a
    /// folder that cannot be read: training on part of the data without a word is the worse outcome.
    fn list(&self, pattern: &str) -> Result<Vec<FileEntry>>;

    /// Opens a file for reading.
    fn open(&self, location: &Path) -> Result<Arc<dyn Blob>>;

    /// Begins a file that takes its place, replacing what is there, only on [`PendingBlob::commit`].
    fn create(&self, location: &Path) -> Result<Box<dyn PendingBlob>>;

    /// Whether something is there.
    fn exists(&self, location: &Path) -> Result<bool>;

    /// Removes a file; one that is not there is an [`ErrorKind::NotFound`].
    fn remove(&self, location: &Path) -> Result<()>;

    /// The files that match any of the patterns, as [`list`](Store::list) gives them, each once: also where
    /// two patterns reach it by different spellings such as `a` and `./a`. Every pattern must match something.
    fn list_all(&self, patterns: &[&str]) -> Result<Vec<FileEntry>> {
        let mut entries = Vec::new();
        match patterns {
            [] => {
                return Err(Error::new(ErrorKind::InvalidPattern, "", "list", "no pattern was given")
                    .with_hint("give at least one path or pattern"));
            }
            [pattern] => return self.list(pattern),
            _ => {}
        }
        for pattern in patterns {
            entries.extend(self.list(pattern)?);
        }
        sort_by_bytes(&mut entries);
        Ok(without_duplicates(entries))
    }
}

/// A file being written. Nothing is to be seen under its location before [`commit`](PendingBlob::commit);
/// dropping it instead leaves no trace.
pub trait PendingBlob: Send {
    /// Where it will be.
    fn location(&self) -> &Path;

    /// Bytes written so far.
    fn written(&self) -> u64;

    /// Appends all of `bytes`. There is no buffer in between: give it large slices.
    fn write_all(&mut self, bytes: &[u8]) -> Result<()>;

    /// Makes the file durable, then visible under its location, in one step.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// The files that match any of the patterns, sorted by the bytes of their paths, each once; see [`Store::list`]
/// for the patterns and [`Store::list_all`] for several of them.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().display();
/// std::fs::write(format!("{folder}/train-0.rec"), "abc")?;
/// let files = feedline_io::list_files(&[format!("{folder}/*.rec")])?;
/// assert_eq!(files[0].size, 3);
///
/// let error = feedline_io::list_files(&[format!("{folder}/trian-*.rec")]).unwrap_err();
/// assert!(error.hint().is_some_and(|hint| hint.contains("train-0.rec")));
/// # Ok(())
/// # }
/// ```
pub fn list_files<P: AsRef<str>>(patterns: &[P]) -> Result<Vec<FileEntry>> {
    let patterns: Vec<&str> = patterns.iter().map(AsRef::as_ref).collect();
    LocalStore.list_all(&patterns)
}

/// Sorts by the bytes of the whole path. `Path`'s own order goes by component, so that `a/x` comes before `a-b`,
/// which no other tool does.
pub(crate) fn sort_by_bytes(entries: &mut [FileEntry]) {
    entries.sort_unstable_by(|a, b| bytes_of(a).cmp(bytes_of(b)));
}

fn bytes_of(entry: &FileEntry) -> &[u8] {
    entry.location.as_os_str().as_encoded_bytes()
}

/// Keeps the first entry of each file. `Path`'s equality already sees through `a//b` and `a/./b`.
fn without_duplicates(entries: Vec<FileEntry>) -> Vec<FileEntry> {
    let mut seen = HashSet::with_capacity(entries.len());
    let first: Vec<bool> = entries
        .iter()
        .map(|entry| seen.insert(entry.location.strip_prefix(".").unwrap_or(&entry.location)))
        .collect();
    entries.into_iter().zip(first).filter_map(|(entry, first)| first.then_some(entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(names: &[&str]) -> Vec<FileEntry> {
        names.iter().map(|name| FileEntry { location: PathBuf::from(name), size: 0 }).collect()
    }

    #[test]
    fn order_is_that_of_the_bytes() {
        let mut list = entries(&["a/x", "a-b", "a", "B", "a.c"]);
        sort_by_bytes(&mut list);
        assert_eq!(list, entries(&["B", "a", "a-b", "a.c", "a/x"]));
    }

    #[test]
    fn one_file_in_two_spellings_is_listed_once() {
        let list = entries(&["./a", "a", "b//c", "b/./c", "b/c", "d"]);
        assert_eq!(without_duplicates(list), entries(&["./a", "b//c", "d"]));
    }

    #[test]
    fn no_pattern_is_an_error() {
        let error = list_files::<&str>(&[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPattern);
    }
}
