//! What becomes of bad records in a batch: the same for every parser.

use crate::error::{Error, Result};
use crate::prefetch::prefetch;

/// What to do about a bad record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnBad {
    /// Stop before it.
    Stop,
    /// Leave it out.
    Skip,
}

/// The bad records met, by index in the batch.
pub(super) type BadRecords = Vec<(usize, Error)>;

/// Records are asked for from memory so many before their turn: parsing as many takes longer than memory does.
const AHEAD: usize = 4;

/// How far a batch is parsed.
#[derive(Default)]
pub(super) struct Progress {
    /// The record whose turn it is, by its index.
    pub(super) next: usize,
    pub(super) num_rows: usize,
    pub(super) bad: BadRecords,
}

impl Progress {
    /// Calls `parse` with each record before `end`, its index, and the row it becomes: the rows of bad records are given to
    /// the next ones. Where the first bad record is to be the last, all records count as done behind it.
    pub(super) fn each_row(
        &mut self,
        records: &[&[u8]],
        end: usize,
        on_bad: OnBad,
        mut parse: impl FnMut(&[u8], u32, usize) -> Result<()>,
    ) {
        for index in self.next..end {
            prefetch_ahead(records, index);
            match parse(records[index], index as u32, self.num_rows) {
                Ok(()) => self.num_rows += 1,
                Err(error) => {
                    self.bad.push((index, error.in_record(index as u64)));
                    if on_bad == OnBad::Stop {
                        self.next = records.len();
                        return;
                    }
                }
            }
        }
        self.next = end;
    }
}

/// Asks for the record whose turn comes soon after that of `index`.
#[inline]
pub(super) fn prefetch_ahead(records: &[&[u8]], index: usize) {
    if let Some(soon) = records.get(index + AHEAD) {
        prefetch(soon);
    }
}

/// The error that a parser which stopped at it ends with.
pub(super) fn first_error(bad: BadRecords) -> Result<()> {
    bad.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
}
