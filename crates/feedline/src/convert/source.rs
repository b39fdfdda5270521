//! What every input is to the converter: rows that can be told apart, weighed and encoded in any order.

use feedline_formats::tfrecord::write_frame_with;

use super::bad_row::BadRow;
use super::options::{ColumnType, OnError};
use crate::error::{Error, Result};

/// Rows with positions 0 to [`Source::num_rows`], readable in any order from any thread.
pub(super) trait Source: Sync {
    fn num_rows(&self) -> u64;

    /// Bytes of the whole input, uncompressed: what the default number of shards goes by.
    fn num_bytes(&self) -> u64;

    /// About how many bytes a row has: what groups are cut by. A function of the input alone.
    fn row_bytes(&self, row: u64) -> u64;

    /// Encodes `rows` into `sink`, in that order.
    fn encode(&self, rows: &[u64], sink: &mut Sink) -> Result<()>;

    /// The columns written, by name, with their types; none where records pass as they are.
    fn columns(&self) -> Vec<(String, ColumnType)>;
}

/// Where encoded rows go: one group's records, framed.
#[derive(Default)]
pub(super) struct Sink {
    pub(super) skip_bad_rows: bool,
    pub(super) frames: Vec<u8>,
    pub(super) num_rows: u64,
    pub(super) skipped: Vec<BadRow>,
}

impl Sink {
    pub(super) fn reset(&mut self, on_error: OnError) {
        self.skip_bad_rows = on_error == OnError::Skip;
        self.frames.clear();
        self.num_rows = 0;
        self.skipped.clear();
    }

    /// Adds a record made of what `write` appends.
    pub(super) fn record(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write_frame_with(&mut self.frames, write);
        self.num_rows += 1;
    }

    /// Adds a record that is framed already.
    pub(super) fn frame(&mut self, frame: &[u8]) {
        self.frames.extend_from_slice(frame);
        self.num_rows += 1;
    }

    /// Leaves a row out, or stops with it.
    pub(super) fn bad(&mut self, row: BadRow) -> Result<()> {
        if !self.skip_bad_rows {
            return Err(Error::Row(Box::new(row)));
        }
        self.skipped.push(row);
        Ok(())
    }
}
