//! A file that is not compressed, read in pieces: which of them are being read, which are there, and which of those count.
//!
//! Where a row begins is known for the first piece only; the others look for the first place where one seems to begin. A piece counts
//! only if that is where the one before it ended; else it is read again from there.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use feedline_io::Blob;

use super::pace::Pace;
use super::range::RangeRows;
use super::{FilePlace, Piece};
use crate::budget::Charge;
use crate::error::ExecError;

/// A file being read.
pub(super) struct PlainFile {
    blob: Arc<dyn Blob>,
    /// The first row not yet ready.
    at: FilePlace,
    /// From here on nobody reads yet.
    frontier: u64,
    pieces: VecDeque<RangeSlot>,
    /// The number of the first piece.
    first_piece: usize,
    /// Pieces in a row that had to be read again.
    failed_guesses: u32,
    /// Bytes a row takes, as far as the last piece tells; 0 before there is one.
    row_bytes: u64,
}

struct RangeSlot {
    range: Range<u64>,
    /// Whether a row begins at the end of the range (if one begins at its start).
    is_end_known: bool,
    state: SlotState,
}

#[allow(
    clippy::large_enum_variant,
    reason = "moved a few times for each piece of many rows; a box would be one more allocation for it"
)]
enum SlotState {
    Reading,
    /// `None`: no row seems to begin in it.
    Read(Option<RangeRows>, Charge),
    /// A row begins at its start after all, and is to be read from there.
    Again(Charge),
}

/// After so many guesses in a row that were wrong, the file is read a piece at a time: its rows contain rows.
const MAX_FAILED_GUESSES: u32 = 4;

/// From this size on, the lengths of rows are read before the rows ([`RangeClaim::looks_ahead`]): twelve bytes each cost less
/// than reading the end of a row in one piece and looking for it again in the next.
const LARGE_ROW_BYTES: u64 = 16 << 10;

/// A range to be read.
pub(super) struct RangeClaim {
    pub(super) file: usize,
    piece: usize,
    pub(super) blob: Arc<dyn Blob>,
    pub(super) range: Range<u64>,
    /// Whether a row begins at its start; else one has to be looked for.
    pub(super) is_start_known: bool,
    /// Whether to find out first where the last row of the range ends, and tell ([`PlainFile::ends_at`]).
    pub(super) looks_ahead: bool,
    /// Whether the consumer can get no further without it: then memory is not asked for.
    pub(super) is_needed: bool,
    pub(super) charge: Charge,
    /// Bytes of one request.
    pub(super) read_bytes: usize,
    /// Rows that are likely to begin in it.
    pub(super) num_rows: usize,
}

#[allow(
    clippy::large_enum_variant,
    reason = "moved a few times for each piece of many rows; a box would be one more allocation for it"
)]
/// What comes next out of a file.
pub(super) enum Next {
    Rows(RangeRows, Charge),
    NotYet,
    End,
}

impl PlainFile {
    /// Nothing read yet, from `at` on.
    pub(super) fn new(blob: Arc<dyn Blob>, at: FilePlace) -> PlainFile {
        PlainFile {
            blob,
            at,
            frontier: at.offset,
            pieces: VecDeque::new(),
            first_piece: 0,
            failed_guesses: 0,
            row_bytes: 0,
        }
    }

    /// Pieces being read, or there and not yet next.
    pub(super) fn num_pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The last row that begins in the claimed range ends at `end`: the range is all of it, if nobody has claimed what is behind.
    pub(super) fn ends_at(&mut self, claim: &mut RangeClaim, end: u64) {
        let is_last = claim.piece + 1 == self.first_piece + self.pieces.len();
        if let Some(slot) = self.pieces.back_mut().filter(|_| is_last) {
            (slot.range.end, slot.is_end_known) = (end, true);
            claim.range.end = end;
            self.frontier = end;
        }
    }

    /// A range has been read; whether anybody still wants it: the file may have ended in an error before it, or a row covered all of it.
    pub(super) fn read(&mut self, claim: RangeClaim, rows: Option<RangeRows>) -> bool {
        let RangeClaim { piece, mut charge, .. } = claim;
        if let Some(rows) = &rows {
            charge.resize(rows.held_bytes);
            self.row_bytes = rows.row_bytes();
        }
        let slot = piece.checked_sub(self.first_piece).and_then(|index| self.pieces.get_mut(index));
        let is_wanted = slot.is_some();
        if let Some(slot) = slot {
            slot.state = SlotState::Read(rows, charge);
        }
        is_wanted
    }

    /// Moves behind `rows`, which came next: as a piece, what is wrong behind it, and where that is.
    pub(super) fn pass(&mut self, rows: RangeRows) -> (Option<Piece>, Option<ExecError>, FilePlace) {
        let first_row = self.at.row;
        self.at = rows.end(first_row);
        let (piece, error) = rows.into_piece(first_row, &*self.blob);
        (piece, error, self.at)
    }

    /// What comes next out of it.
    pub(super) fn next(&mut self) -> Next {
        if self.at.offset >= self.blob.size() {
            return Next::End;
        }
        loop {
            let Some(slot) = self.pieces.front_mut() else {
                self.frontier = self.frontier.max(self.at.offset);
                return Next::NotYet;
            };
            let is_covered = slot.range.end <= self.at.offset;
            if !is_covered && !matches!(slot.state, SlotState::Read(..)) {
                return Next::NotYet;
            }
            let SlotState::Read(rows, charge) = std::mem::replace(&mut slot.state, SlotState::Reading) else {
                // What was found in it, or is yet to be, is part of the row before.
                self.drop_first();
                continue;
            };
            match rows {
                _ if is_covered => self.drop_first(),
                Some(rows) if rows.first() == self.at.offset => {
                    self.failed_guesses = 0;
                    self.drop_first();
                    return Next::Rows(rows, charge);
                }
                _ => {
                    slot.range.start = self.at.offset;
                    slot.state = SlotState::Again(charge);
                    self.failed_guesses += 1;
                    return Next::NotYet;
                }
            }
        }
    }

    fn drop_first(&mut self) {
        self.pieces.pop_front();
        self.first_piece += 1;
    }

    /// The next range to read.
    pub(super) fn claim(
        &mut self,
        file: usize,
        is_first: bool,
        pace: &Pace,
        charge: impl Fn(bool) -> Option<Charge>,
    ) -> Option<RangeClaim> {
        if let Some(slot) = self.pieces.front_mut()
            && matches!(slot.state, SlotState::Again(_))
        {
            // Whatever it takes, when there is nothing else to take: it may have been too large to run ahead with.
            if !is_first {
                return None;
            }
            let SlotState::Again(charge) = std::mem::replace(&mut slot.state, SlotState::Reading) else {
                unreachable!("looked at above")
            };
            let range = slot.range.clone();
            return Some(self.claim_of(file, self.first_piece, range, true, true, charge, pace));
        }
        let (start, is_start_known) = match self.pieces.back() {
            None => (self.at.offset, true),
            Some(_) if self.failed_guesses >= MAX_FAILED_GUESSES => return None,
            // Where it ended is a better guess than any that could be searched for.
            Some(RangeSlot { state: SlotState::Read(Some(rows), _), .. }) => (rows.next()?, true),
            Some(slot) => (self.frontier, slot.is_end_known),
        };
        let end = start.saturating_add(pace.piece_bytes() as u64).min(self.blob.size());
        if start >= end {
            return None;
        }
        let is_needed = is_first && self.pieces.is_empty();
        let charge = charge(is_needed)?;
        let (range, piece) = (start..end, self.first_piece + self.pieces.len());
        self.frontier = end;
        self.pieces.push_back(RangeSlot {
            range: range.clone(),
            is_end_known: false,
            state: SlotState::Reading,
        });
        Some(self.claim_of(file, piece, range, is_start_known, is_needed, charge, pace))
    }

    #[allow(clippy::too_many_arguments, reason = "all of them differ between the two callers above")]
    fn claim_of(
        &self,
        file: usize,
        piece: usize,
        range: Range<u64>,
        is_start_known: bool,
        is_needed: bool,
        charge: Charge,
        pace: &Pace,
    ) -> RangeClaim {
        let blob = Arc::clone(&self.blob);
        let read_bytes = pace.read_bytes();
        let looks_ahead = is_start_known && self.row_bytes >= LARGE_ROW_BYTES && !pace.is_slow();
        // A quarter more than the last piece would have had.
        let num_rows = match self.row_bytes {
            0 => 0,
            row_bytes => ((range.end - range.start) / row_bytes * 5 / 4) as usize + 8,
        };
        RangeClaim {
            file,
            piece,
            blob,
            range,
            is_start_known,
            looks_ahead,
            is_needed,
            charge,
            read_bytes,
            num_rows,
        }
    }
}
