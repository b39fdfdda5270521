//! Why the bytes of a file do not go on as rows.

use std::path::Path;

use feedline_formats::{Error as FormatError, ErrorKind};

use super::open::bad_data;
use super::pace::MIN_PIECE_BYTES;
use crate::error::ExecError;
use crate::fits::over_budget;

/// What stands in the way of the next row.
#[derive(Debug)]
pub(super) enum SplitError {
    /// It is no row.
    Data(FormatError),
    /// It is larger than a row may be.
    TooLarge(LargeRow),
}

impl From<FormatError> for SplitError {
    fn from(error: FormatError) -> SplitError {
        SplitError::Data(error)
    }
}

impl SplitError {
    /// Bytes of a row that is larger than a row may be, if that says where the next begins.
    pub(super) fn passable_bytes(&self) -> Option<u64> {
        match self {
            SplitError::TooLarge(row) if row.is_alone => row.bytes,
            _ => None,
        }
    }

    /// As an error of the file at `path`, whose row 0 is row `first_row` of it.
    pub(super) fn in_file(self, path: &Path, first_row: u64) -> ExecError {
        match self {
            SplitError::TooLarge(row) => row.in_file(path, first_row),
            SplitError::Data(error) => {
                let error = match error.record() {
                    Some(number) => error.in_record(first_row + number),
                    None => error,
                };
                let is_lost =
                    matches!(error.kind(), ErrorKind::LengthChecksum { .. } | ErrorKind::TooLong { .. });
                let told = bad_data(path, &error);
                // At the very beginning it is no record file at all.
                if is_lost && error.byte_offset() != Some(0) { rest_is_lost(&told, path) } else { told }
            }
        }
    }
}

/// A length that cannot be believed: nobody knows where the next record begins.
fn rest_is_lost(error: &ExecError, path: &Path) -> ExecError {
    let path = feedline_io::shown(path);
    ExecError::data(format!("{}; where the next record begins is not known, so the rest of the file is left out", error.message()))
        .with_hint(format!(
            "`feedline convert {path} OUT --on-error skip` writes what is whole before and behind the damage to a new file; \
             `feedline verify {path}` lists it"
        ))
}

/// A row that could not be held: it is larger than the budget for everything.
#[derive(Debug)]
pub(super) struct LargeRow {
    /// What it is called.
    pub(super) name: &'static str,
    pub(super) row: u64,
    pub(super) offset: u64,
    /// `None`: more than the limit; nobody looked for its end.
    pub(super) bytes: Option<u64>,
    pub(super) limit_bytes: u64,
    /// Where the next row begins is known by `bytes`: this one alone is left out.
    pub(super) is_alone: bool,
}

impl LargeRow {
    fn in_file(self, path: &Path, first_row: u64) -> ExecError {
        let LargeRow { name, row, offset, bytes, limit_bytes, is_alone } = self;
        let what_is_lost = if is_alone { "it is" } else { "it and the rest of the file are" };
        let bytes = bytes.map_or_else(|| format!("more than {limit_bytes}"), |bytes| bytes.to_string());
        // Lines count from 1, as in editors and in the origins of errors.
        let row = first_row + row + u64::from(name == "line");
        let path = feedline_io::shown(path);
        let what =
            format!("{path}: {name} {row} at byte {offset} has {bytes} bytes ({what_is_lost} left out)");
        // So much is read at a time with the smallest budget, too.
        let is_least = limit_bytes == MIN_PIECE_BYTES as u64;
        over_budget(&what, if is_least { format!("at most {limit_bytes}") } else { limit_bytes.to_string() })
    }
}
