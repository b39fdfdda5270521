//! Which files a user means.

use std::ffi::OsStr;
use std::path::Path;

use feedline_io::{FileEntry, list_files, shown};

use super::INDEX_SUFFIX;
use crate::error::{Error, Result};

/// The files that match any of `patterns`, as [`list_files`] gives them, without the indexes that lie beside them:
/// `train-*` means the data.
pub fn list_record_files<P: AsRef<OsStr>>(patterns: &[P]) -> Result<Vec<FileEntry>> {
    without_indexes(list_files(patterns)?)
}

/// The files that are no indexes; an error if there are none but indexes.
pub(crate) fn without_indexes(mut files: Vec<FileEntry>) -> Result<Vec<FileEntry>> {
    let index = files.iter().find(|file| is_index(&file.location)).map(|file| file.location.clone());
    files.retain(|file| !is_index(&file.location));
    match index {
        Some(index) if files.is_empty() => Err(Error::Argument {
            message: format!("{}: this is an index, and no file it could be of was given", shown(&index)),
            hint: "give the record file itself; its index is found by itself".into(),
        }),
        _ => Ok(files),
    }
}

fn is_index(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(INDEX_SUFFIX.as_bytes())
}
