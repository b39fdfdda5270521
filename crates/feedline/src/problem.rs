//! Something wrong with a file, taken apart for lists and scripts.

use std::fmt;
use std::path::{Path, PathBuf};

use feedline_formats::{Error as FormatError, ErrorKind};
use feedline_io::shown;

use crate::error::Error;

/// Something wrong with a file: where, what, and what to do.
///
/// Prints place and reason on one line. The remedy is kept apart: of a thousand bad records, each has its place and
/// reason, and all have the same remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The record, counted from 0, where one is to blame.
    pub record: Option<u64>,
    /// The byte of the (uncompressed) file where that record begins.
    pub byte: Option<u64>,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// What `error` says of `path`, for readers who ask what is wrong: they need not be told how to find out.
    pub fn new(path: &Path, error: &Error) -> Problem {
        if let Error::Data { path, error } = error {
            return Problem::in_data(path, error, false);
        }
        let text = error.to_string();
        let (reason, hint) = match text.split_once("\nhint: ") {
            Some((reason, hint)) => (reason, Some(hint.to_owned())),
            None => (text.as_str(), None),
        };
        let reason = reason.strip_prefix(&format!("{}: ", shown(path))).unwrap_or(reason).to_owned();
        Problem { path: path.to_owned(), record: None, byte: None, reason, hint }
    }

    /// What `error` says of the contents of `path`; `has_records` is whether valid ones were found in it, so that there
    /// is no doubt that it is a record file.
    pub fn in_data(path: &Path, error: &FormatError, has_records: bool) -> Problem {
        let error = &error.clone().in_opened_file();
        let hint = match error.kind() {
            ErrorKind::LengthChecksum { .. } if error.byte_offset() == Some(0) && !has_records => {
                Some(error.hint())
            }
            // Too short to hold even one: another kind of file rather than one that was cut.
            ErrorKind::Truncated { needed: None, .. } if error.byte_offset() == Some(0) && !has_records => Some(
                "is this a TFRecord file? it is too short for a record; `feedline convert` makes TFRecord of CSV, JSON \
                 lines and images"
                    .into(),
            ),
            ErrorKind::LengthChecksum { .. } | ErrorKind::DataChecksum { .. } => Some(
                "the bytes changed after they were written; fetch the file again from where it is intact"
                    .into(),
            ),
            _ => Some(error.hint()),
        };
        Problem {
            path: path.to_owned(),
            record: error.record(),
            byte: error.byte_offset(),
            reason: error.reason(),
            hint,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", shown(&self.path))?;
        match (self.record, self.byte) {
            (Some(record), Some(byte)) => write!(f, "record {record} (byte {byte}): ")?,
            (Some(record), None) => write!(f, "record {record}: ")?,
            (None, Some(byte)) => write!(f, "byte {byte}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.reason)
    }
}
