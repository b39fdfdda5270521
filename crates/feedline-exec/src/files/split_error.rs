//! Why the bytes of a file do not go on as rows.

use std::path::Path;

use feedline_formats::Error as FormatError;

use super::open::bad_data;
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
    /// As an error of the file at `path`, whose row 0 is row `first_row` of it.
    pub(super) fn in_file(self, path: &Path, first_row: u64) -> ExecError {
        match self {
            SplitError::TooLarge(row) => row.in_file(path, first_row),
            SplitError::Data(error) => {
                let error = match error.record() {
                    Some(number) => error.in_record(first_row + number),
                    None => error,
                };
                bad_data(path, &error)
            }
        }
    }
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
}

impl LargeRow {
    fn in_file(self, path: &Path, first_row: u64) -> ExecError {
        let LargeRow { name, row, offset, bytes, limit_bytes } = self;
        let bytes = bytes.map_or_else(|| format!("more than {limit_bytes}"), |bytes| bytes.to_string());
        let (path, row) = (feedline_io::shown(path), first_row + row);
        over_budget(&format!("{path}: {name} {row} at byte {offset} has {bytes} bytes"), limit_bytes)
    }
}
