//! [`Store`]: a place that holds files. The interface that object stores will implement beside the local one.

use crate::blob::Blob;
use crate::error::{Error, ErrorKind, Result};
use crate::local::LocalStore;
use crate::watch::ListingWatch;
use std::collections::HashSet;
use std::ffi::OsStr;
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

/// What patterns stand for, also where not all of it can be read.
#[derive(Debug, Default)]
pub struct Listing {
    /// The files, sorted by the bytes of their paths, each once.
    pub files: Vec<FileEntry>,
    /// What may be or hold such a file and cannot be looked at, each with its location, in the same order: links that
    /// lead nowhere, folders that may not be read, plain paths that are no files.
    pub unreadable: Vec<Error>,
}

impl Listing {
    /// The files, if all of them can be looked at; else what stands in the way first.
    pub fn complete(self) -> Result<Vec<FileEntry>> {
        match self.unreadable.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(self.files),
        }
    }

    pub(crate) fn sort(&mut self) {
        self.files.sort_unstable_by(|a, b| bytes_of(&a.location).cmp(bytes_of(&b.location)));
        self.unreadable.sort_by(|a, b| bytes_of(a.location()).cmp(bytes_of(b.location())));
    }
}

/// A place that holds files.
///
/// A location is a [`Path`] because a local name may hold any bytes; an address such as `s3://bucket/key` fits
/// in one unchanged.
pub trait Store: Send + Sync {
    /// What matches one pattern.
    ///
    /// `?` is one character, `*` any run of them within a name, `[…]` one of a set (`[!…]` or `[^…]`: not of it), `**`
    /// any number of folders. A name that begins with `.` is matched only by a component that begins with `.`.
    /// A pattern without these is a plain path. Brackets are part of names, too: without `*` and `?`, a file that is
    /// called exactly as the pattern wins over what the pattern would match. With them, it is one of the matches
    /// (`[*]` and `[?]` mean the characters).
    ///
    /// No match is an error ([`ErrorKind::NoMatch`], for a plain path [`ErrorKind::NotFound`]), and so is that another thread stopped it by
    /// `watch` ([`ErrorKind::Interrupted`]).
    fn survey(&self, pattern: &OsStr, watch: &ListingWatch) -> Result<Listing>;

    /// Opens a file for reading.
    fn open(&self, location: &Path) -> Result<Arc<dyn Blob>>;

    /// Begins a file that takes its place, replacing what is there, only on [`PendingBlob::commit`].
    fn create(&self, location: &Path) -> Result<Box<dyn PendingBlob>>;

    /// Whether something is there.
    fn exists(&self, location: &Path) -> Result<bool>;

    /// Removes a file; one that is not there is an [`ErrorKind::NotFound`].
    fn remove(&self, location: &Path) -> Result<()>;

    /// The files that match one pattern, as [`survey`](Store::survey) gives them. What cannot be looked at is an error:
    /// training on part of the data without a word is the worse outcome.
    fn list(&self, pattern: &OsStr) -> Result<Vec<FileEntry>> {
        self.survey(pattern, &ListingWatch::default())?.complete()
    }

    /// What matches any of the patterns, as [`survey`](Store::survey) gives it, each file once: also where two
    /// patterns reach it by different spellings such as `a` and `./a`. Every pattern must match something.
    fn survey_all(&self, patterns: &[&OsStr], watch: &ListingWatch) -> Result<Listing> {
        let mut all = Listing::default();
        match patterns {
            [] => {
                return Err(Error::new(ErrorKind::InvalidPattern, "", "list", "no pattern was given")
                    .with_hint("give at least one path or pattern"));
            }
            [pattern] => return self.survey(pattern, watch),
            _ => {}
        }
        for pattern in patterns {
            if watch.is_stopped() {
                return Err(ListingWatch::interrupted(pattern));
            }
            let Listing { files, unreadable } = self.survey(pattern, watch)?;
            all.files.extend(files);
            all.unreadable.extend(unreadable);
        }
        all.sort();
        all.files = without_duplicates(all.files, |entry| &entry.location);
        all.unreadable = without_duplicates(all.unreadable, Error::location);
        Ok(all)
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

/// The files that match any of the patterns, sorted by the bytes of their paths, each once; see [`Store::survey`]
/// for the patterns and [`Store::survey_all`] for several of them. What cannot be looked at is an error, see
/// [`survey_files`].
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
/// assert!(error.hint().contains("train-0.rec"));
/// # Ok(())
/// # }
/// ```
pub fn list_files<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Vec<FileEntry>> {
    list_files_watched(patterns, &ListingWatch::default())
}

/// As [`list_files`], which another thread sees and may stop by `watch`.
pub fn list_files_watched<P: AsRef<OsStr>>(patterns: &[P], watch: &ListingWatch) -> Result<Vec<FileEntry>> {
    survey(patterns, watch)?.complete()
}

/// As [`list_files`], with what cannot be looked at beside the files instead of as an error: for callers who report it.
pub fn survey_files<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Listing> {
    survey(patterns, &ListingWatch::default())
}

fn survey<P: AsRef<OsStr>>(patterns: &[P], watch: &ListingWatch) -> Result<Listing> {
    let patterns: Vec<&OsStr> = patterns.iter().map(AsRef::as_ref).collect();
    LocalStore.survey_all(&patterns, watch)
}

/// What paths are sorted by. `Path`'s own order goes by component, so that `a/x` comes before `a-b`, which no other tool
/// does.
fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Keeps the first entry of each path. `Path`'s equality already sees through `a//b` and `a/./b`.
fn without_duplicates<T>(entries: Vec<T>, location: impl Fn(&T) -> &Path) -> Vec<T> {
    let mut seen = HashSet::with_capacity(entries.len());
    let is_first = |entry: &T| {
        let location = location(entry);
        seen.insert(location.strip_prefix(".").unwrap_or(location).to_owned())
    };
    let first: Vec<bool> = entries.iter().map(is_first).collect();
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
        let files = entries(&["a/x", "a-b", "a", "B", "a.c"]);
        let mut list = Listing { files, unreadable: Vec::new() };
        list.sort();
        assert_eq!(list.files, entries(&["B", "a", "a-b", "a.c", "a/x"]));
    }

    #[test]
    fn one_file_in_two_spellings_is_listed_once() {
        let list = entries(&["./a", "a", "b//c", "b/./c", "b/c", "d"]);
        let first = without_duplicates(list, |entry| &entry.location);
        assert_eq!(first, entries(&["./a", "b//c", "d"]));
    }

    #[test]
    fn no_pattern_is_an_error() {
        let error = list_files::<&str>(&[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPattern);
    }
}
