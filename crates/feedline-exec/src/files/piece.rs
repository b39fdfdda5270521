//! What a reader hands on: a run of rows, and where each of them begins.

use std::sync::Arc;

use feedline_data::block::{Places, Strings};

use crate::error::ExecError;

/// Where a row of a file begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilePlace {
    /// Its first byte; in a compressed file, of what is compressed.
    pub(crate) offset: u64,
    /// Its number.
    pub(crate) row: u64,
}

/// A run of rows that lie in one buffer.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The rows.
    pub(crate) rows: Strings,
    /// Where each begins.
    pub(crate) places: RowPlaces,
    /// Which of them are damaged, in order: where the next begins is known all the same, so they are errors in their places.
    pub(crate) damaged: Vec<(usize, ExecError)>,
    /// Bytes of memory they keep.
    pub(crate) held_bytes: u64,
}

/// Where the rows of a piece begin in their file. Holds no data, so that a saved place keeps no buffer alive.
#[derive(Clone, Debug)]
pub(crate) struct RowPlaces {
    /// The rows' data in the buffer.
    pub(super) places: Arc<Places>,
    /// The buffer's first byte in the file.
    pub(super) base: u64,
    /// From a row's data back to its first byte.
    pub(super) head_bytes: u64,
    /// Behind the last row.
    pub(super) end: u64,
    /// The number of the first row.
    pub(super) first_row: u64,
}

impl RowPlaces {
    /// Where row `row` begins, and for their number, where the one behind the last does.
    pub(crate) fn at(&self, row: u64) -> FilePlace {
        let index = row as usize;
        let offset = if index == self.places.len() {
            self.end
        } else {
            self.base + self.places.get(index).start as u64 - self.head_bytes
        };
        FilePlace { offset, row: self.first_row + row }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The number of the first row.
    pub(crate) fn first_row(&self) -> u64 {
        self.first_row
    }
}

/// What comes next out of a list of files.
#[derive(Debug)]
pub(crate) enum Event {
    /// Rows of file number `file`.
    Rows { file: usize, piece: Piece },
    /// An error of file number `file`, which is the last thing that comes out of it; `at` is where it stands.
    Error { file: usize, at: FilePlace, error: ExecError },
}
