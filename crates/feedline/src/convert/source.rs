//! What every input is to the converter: rows that can be told apart, weighed and encoded in any order.

use std::path::Path;

use feedline_formats::Error as FormatError;
use feedline_formats::tfrecord::{frame_bytes, write_frame_with};

use super::bad_row::BadRow;
use super::image_change::ImageCounts;
use super::options::{ColumnType, OnError};
use crate::error::{Error, Result};
use crate::memory;

/// Rows with positions 0 to [`Source::num_rows`], readable in any order from any thread.
pub(super) trait Source: Sync {
    fn num_rows(&self) -> u64;

    /// How many of these positions hold nothing that can be read, as far as that is known without reading them.
    fn num_lost(&self) -> u64;

    /// Bytes of the whole input, uncompressed: what the default number of shards goes by.
    fn num_bytes(&self) -> u64;

    /// About how many bytes a row has: what groups are cut by. A function of the input alone.
    fn row_bytes(&self, row: u64) -> u64;

    /// Encodes `rows` into `sink`, in that order.
    fn encode(&self, rows: &[u64], sink: &mut Sink) -> Result<()>;

    /// The columns written, by name, with their types; none where records pass as they are.
    fn columns(&self) -> Vec<(String, ColumnType)>;
}

/// The error of an input of which nothing can be read, though bad rows may be skipped: `first` is the first reason.
pub(super) fn nothing_else(first: &BadRow) -> Error {
    let message = format!("{}; and nothing else in the input can be read", first.finding());
    let hint = first.hint.clone().unwrap_or_else(|| "check that this is the input you mean".into());
    Error::Argument { message, hint }
}

/// Where encoded rows go: one group's records, framed.
#[derive(Default)]
pub(super) struct Sink {
    pub(super) skip_bad_rows: bool,
    pub(super) frames: Vec<u8>,
    pub(super) num_rows: u64,
    pub(super) skipped: Vec<BadRow>,
    pub(super) images: ImageCounts,
}

impl Sink {
    pub(super) fn reset(&mut self, on_error: OnError) {
        self.skip_bad_rows = on_error == OnError::Skip;
        self.frames.clear();
        self.num_rows = 0;
        self.skipped.clear();
        self.images = ImageCounts::default();
    }

    /// Makes room for a row of `file` of about `num_bytes`, so that a huge one that does not fit is an error and not the end
    /// of the process.
    pub(super) fn reserve(&mut self, file: &Path, num_bytes: usize) -> Result<()> {
        memory::reserve(&mut self.frames, frame_bytes(num_bytes as u64) as usize)
            .map_err(|_| Error::memory(file, "hold a row as a record", num_bytes as u64))
    }

    /// Adds a record made of what `write` appends; an error, and nothing added, if no reader would take one that long.
    pub(super) fn record(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), FormatError> {
        write_frame_with(&mut self.frames, write)?;
        self.num_rows += 1;
        Ok(())
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
