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

/// Calls `parse` with each record, its index, and the row it becomes: the rows of bad records are given to the next ones.
/// Returns the number of rows, and the bad records.
pub(super) fn each_row(
    records: &[&[u8]],
    on_bad: OnBad,
    mut parse: impl FnMut(&[u8], u32, usize) -> Result<()>,
) -> (usize, BadRecords) {
    let (mut num_rows, mut bad) = (0, Vec::new());
    for (index, record) in records.iter().enumerate() {
        if let Some(soon) = records.get(index + AHEAD) {
            prefetch(soon);
        }
        match parse(record, index as u32, num_rows) {
            Ok(()) => num_rows += 1,
            Err(error) => {
                bad.push((index, error.in_record(index as u64)));
                if on_bad == OnBad::Stop {
                    break;
                }
            }
        }
    }
    (num_rows, bad)
}

/// The error that a parser which stopped at it ends with.
pub(super) fn first_error(bad: BadRecords) -> Result<()> {
    bad.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
}
