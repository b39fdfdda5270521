//! How much memory the results of a run may take.
//!
//! Most operations make about as much as they get, so whoever chooses the rows of a run knows what they come to. Some make any number of
//! bytes of a few (what a file holds, the pixels of an image, what code of the user's returns), and the size of the rows before says nothing
//! sure about the next. These ask row by row. Where the budget has no more, they stop, and the rows from there on are handed
//! back, to be computed when what was made has gone on.

use feedline_data::block::Block;

use crate::budget::Charge;
use crate::error::ExecError;
use crate::fits::too_large;
use crate::keeping::{Keeper, held_bytes};

/// What several rows come to is no larger part of the budget, unless it was charged before: others want to hold something as well.
const PART_OF_BUDGET: u64 = 8;

/// What a run may make, and where it was told to stop.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// Bytes it may make; `None`: any number.
    charge: Option<Charge>,
    /// All the memory there is, where it is known.
    limit_bytes: Option<u64>,
    /// Whether somebody waits for the first row: it is computed whatever the budget says.
    is_needed: bool,
    refused: Option<Refused>,
    /// Bytes of a row, as far as it was told to stop.
    largest: u64,
}

/// The row that was one too many.
#[derive(Clone, Copy, Debug)]
struct Refused {
    row: usize,
    /// What an operation had made with it.
    bytes: u64,
}

impl Allowance {
    /// Of the bytes charged, and as many more as the budget has.
    pub(crate) fn new(charge: Charge, is_needed: bool) -> Allowance {
        let limit_bytes = Some(charge.limit_bytes());
        Allowance { charge: Some(charge), limit_bytes, is_needed, refused: None, largest: 0 }
    }

    /// Of any number of bytes.
    #[cfg(test)]
    pub(crate) fn unlimited() -> Allowance {
        Allowance::uncharged(None)
    }

    /// Of any number of bytes, as far as none is larger by itself than all the memory there is.
    pub(super) fn uncharged(limit_bytes: Option<u64>) -> Allowance {
        Allowance { charge: None, limit_bytes, is_needed: true, refused: None, largest: 0 }
    }

    /// All the memory there is, where it is known.
    pub(super) fn limit_bytes(&self) -> Option<u64> {
        self.limit_bytes
    }

    /// Whether `bytes` may be held, those of `row` and the rows before it that one operation has made, and `weight` times as many, with what
    /// is made of them.
    pub(super) fn admits(&mut self, row: usize, bytes: usize, weight: usize) -> bool {
        let (Some(charge), own_bytes) = (&mut self.charge, bytes as u64) else { return true };
        let bytes = own_bytes.saturating_mul(weight as u64);
        let more = bytes.saturating_sub(charge.bytes());
        let is_one_too_many = row > 0 && bytes > charge.limit_bytes() / PART_OF_BUDGET;
        if more == 0 || (!is_one_too_many && charge.try_grow(more)) {
            return true;
        }
        if row == 0 && self.is_needed {
            // What is there in any case; what may be made of it as far as there is room: where that is more, it is found out there.
            let own = own_bytes.saturating_sub(charge.bytes());
            charge.grow(own.max(more.min(charge.room_bytes())));
            return true;
        }
        self.refused = Some(Refused { row, bytes });
        false
    }

    /// As [`Allowance::admits`], for `rows` rows of as many bytes each: told to stop behind as many as may be held.
    pub(super) fn admits_run(&mut self, rows: usize, row_bytes: usize, weight: usize) -> bool {
        let Some(limit_bytes) = self.charge.as_ref().map(Charge::limit_bytes) else { return true };
        let most = limit_bytes / PART_OF_BUDGET / (row_bytes.saturating_mul(weight) as u64).max(1);
        let mut count = rows.min(usize::try_from(most).unwrap_or(usize::MAX)).max(1);
        while !self.admits(count - 1, row_bytes.saturating_mul(count), weight) && count > 1 {
            self.refused = None;
            count /= 2;
        }
        if self.refused.is_none() && count < rows {
            self.stop_before(count, row_bytes);
        }
        self.refused.is_none()
    }

    /// Stops before `row`, where that can be told to anybody; a row has about `bytes`.
    pub(super) fn stop_before(&mut self, row: usize, bytes: usize) {
        if self.charge.is_some() {
            self.refused = Some(Refused { row, bytes: (bytes as u64).saturating_mul(row as u64 + 1) });
        }
    }

    /// The error of an element that `step` made, if its `bytes` are more than all the memory there is.
    pub(super) fn too_large(&self, step: &str, bytes: usize) -> Option<ExecError> {
        let limit_bytes = self.limit_bytes?;
        (bytes as u64 > limit_bytes).then(|| too_large(step, bytes as u64, limit_bytes))
    }

    /// Whether `row` may be begun: nothing of the budget is exceeded, or it is needed.
    pub(super) fn is_open(&mut self, row: usize) -> bool {
        let Some(charge) = &mut self.charge else { return true };
        (row == 0 && self.is_needed) || charge.try_grow(0)
    }

    /// Counts `bytes` that are held, whatever the budget says.
    pub(super) fn hold(&mut self, bytes: usize) {
        if let Some(charge) = &mut self.charge {
            charge.grow((bytes as u64).saturating_sub(charge.bytes()));
        }
    }

    /// The row at which a run was told to stop, if it was; from then on the next run counts.
    pub(super) fn take_refused(&mut self) -> Option<usize> {
        let refused = self.refused.take()?;
        // One that is larger than all there is becomes an error, and says nothing about the rows behind it.
        let bytes = (refused.bytes / (refused.row as u64 + 1)).min(self.limit_bytes.unwrap_or(u64::MAX));
        self.largest = self.largest.max(bytes);
        Some(refused.row)
    }

    /// Bytes of a row in the run that was told to stop; 0 if none was.
    pub(crate) fn refused_row_bytes(&self) -> u64 {
        self.largest
    }

    /// What was made, as it is to be kept, and the bytes it is to be charged as.
    pub(crate) fn keep(&self, made: Block) -> (Block, u64) {
        if let Some(charge) = &self.charge {
            return Keeper::new(charge.budget()).keep(made);
        }
        let bytes = held_bytes(&made);
        (made, bytes)
    }

    /// The charge, for the bytes that were made in the end where they are known.
    ///
    /// # Panics
    /// If it is of any number of bytes.
    pub(crate) fn into_charge(self, bytes: Option<u64>) -> Charge {
        let mut charge = self.charge.expect("an allowance that was charged");
        if let Some(bytes) = bytes {
            charge.resize(bytes);
        }
        charge
    }
}

/// What a run has made of the rows of a block.
#[derive(Debug)]
pub(crate) struct Part {
    /// The results of the first rows; `None`: not even of one.
    pub(crate) done: Option<Block>,
    /// The rows that are still to be computed, as they came.
    pub(crate) rest: Option<Block>,
}

impl Part {
    /// The results of all rows.
    pub(crate) fn whole(done: Block) -> Part {
        Part { done: Some(done), rest: None }
    }
}
