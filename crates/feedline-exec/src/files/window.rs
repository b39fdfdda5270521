//! What of a list of files has been read, is being read, and is to be read next. No threads here: one at a time changes it.
//!
//! A file that is not compressed is read in pieces, several at the same time. Where a row begins is known for the first of
//! them only; the others look for the first place where one seems to begin. A piece counts only if that is where the one
//! before it ended; else it is read again from there. So what comes out is what one pass from front to back gives, whatever
//! is in the files. Compressed files are read front to back, the next files beside them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use feedline_formats::Compression;
use feedline_io::Blob;

use super::cursor::FileCursor;
use super::pace::Pace;
use super::range::RangeRows;
use super::{Event, FilePlace, Piece};
use crate::budget::{Budget, Charge};
use crate::error::ExecError;

/// The files from the first that is not read to its end on.
pub(super) struct Window {
    /// Being read; the first is the one whose rows come next.
    files: VecDeque<FileRead>,
    /// The number of the first.
    first_file: usize,
    num_files: usize,
    /// Where the first file not yet in `files` is entered.
    start: FilePlace,
    /// What comes next, in order.
    ready: VecDeque<(Event, Option<Charge>)>,
    budget: Arc<Budget>,
    pub(super) pace: Pace,
}

enum FileRead {
    Opening(FilePlace),
    Plain(PlainFile),
    Compressed(CompressedFile),
    /// It could not be opened.
    Failed(FilePlace, ExecError),
    /// Nothing more comes out of it.
    Ended,
}

struct PlainFile {
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

struct CompressedFile {
    /// `None` while it is being used.
    cursor: Option<Box<FileCursor>>,
    /// Pieces, until it is this file's turn.
    pieces: VecDeque<(Piece, Charge)>,
    /// How it ended, once it has, and where.
    end: Option<(FilePlace, Option<ExecError>)>,
}

/// After so many guesses in a row that were wrong, the file is read a piece at a time: its rows contain rows.
const MAX_FAILED_GUESSES: u32 = 4;

/// From this size on, the lengths of rows are read before the rows ([`RangeClaim::looks_ahead`]): twelve bytes each cost less
/// than reading the end of a row in one piece and looking for it again in the next.
const LARGE_ROW_BYTES: u64 = 16 << 10;

/// Something to be done by one thread, with what it needs for it.
pub(super) enum Claim {
    Open { file: usize },
    Range(RangeClaim),
    Next { file: usize, cursor: Box<FileCursor>, charge: Charge },
}

/// A range to be read.
pub(super) struct RangeClaim {
    pub(super) file: usize,
    piece: usize,
    pub(super) blob: Arc<dyn Blob>,
    pub(super) range: Range<u64>,
    /// Whether a row begins at its start; else one has to be looked for.
    pub(super) is_start_known: bool,
    /// Whether to find out first where the last row of the range ends, and tell ([`Window::ends_at`]).
    pub(super) looks_ahead: bool,
    /// Whether the consumer can get no further without it: then memory is not asked for.
    pub(super) is_needed: bool,
    pub(super) charge: Charge,
    /// Bytes of one request.
    pub(super) read_bytes: usize,
    /// Rows that are likely to begin in it.
    pub(super) num_rows: usize,
}

impl Window {
    /// Nothing read yet of `num_files` files, from `start` of file `first_file` on.
    pub(super) fn new(
        first_file: usize,
        num_files: usize,
        start: FilePlace,
        budget: &Arc<Budget>,
        pace: Pace,
    ) -> Window {
        Window {
            files: VecDeque::new(),
            first_file,
            num_files,
            start,
            ready: VecDeque::new(),
            budget: Arc::clone(budget),
            pace,
        }
    }

    /// What comes next, if it is there.
    pub(super) fn take(&mut self) -> Option<Event> {
        self.ready.pop_front().map(|(event, _)| event)
    }

    /// Whether something is there.
    pub(super) fn num_ready(&self) -> usize {
        self.ready.len()
    }

    /// Whether nothing comes any more.
    pub(super) fn has_ended(&self) -> bool {
        self.ready.is_empty() && self.first_file >= self.num_files
    }

    /// Pieces being read or ready.
    pub(super) fn num_outstanding(&self) -> usize {
        let of_file = |file: &FileRead| match file {
            FileRead::Opening(_) => 1,
            FileRead::Plain(file) => file.pieces.len(),
            FileRead::Compressed(file) => file.pieces.len() + usize::from(file.cursor.is_none()),
            FileRead::Failed(..) | FileRead::Ended => 0,
        };
        self.ready.len() + self.files.iter().map(of_file).sum::<usize>()
    }

    /// Something to do now, nearest to the consumer first; `None` if all that is allowed is being done.
    pub(super) fn claim(&mut self) -> Option<Claim> {
        let is_room = self.num_outstanding() < self.pace.num_pieces();
        let bytes = self.pace.piece_bytes() as u64;
        for index in 0..self.files.len() {
            let is_needed = index == 0 && self.ready.is_empty();
            let file_number = self.first_file + index;
            let charge = |is_needed: bool| {
                if is_needed {
                    Some(self.budget.charge(bytes))
                } else if is_room {
                    self.budget.try_charge(bytes)
                } else {
                    None
                }
            };
            match &mut self.files[index] {
                FileRead::Plain(file) => {
                    if let Some(claim) = file.claim(file_number, is_needed, &self.pace, charge) {
                        return Some(Claim::Range(claim));
                    }
                }
                FileRead::Compressed(file) if file.end.is_none() && file.cursor.is_some() => {
                    if let Some(charge) = charge(is_needed && file.pieces.is_empty()) {
                        let cursor = file.cursor.take().expect("looked at above");
                        return Some(Claim::Next { file: file_number, cursor, charge });
                    }
                }
                _ => {}
            }
        }
        let file = self.first_file + self.files.len();
        // Files without a row take no memory, but still a handle of the system each.
        let is_allowed = is_room
            && self.files.len() < self.pace.num_pieces()
            && self.budget.used_bytes() < self.budget.limit_bytes();
        if file >= self.num_files || !(is_allowed || self.files.is_empty()) {
            return None;
        }
        self.files.push_back(FileRead::Opening(std::mem::take(&mut self.start)));
        Some(Claim::Open { file })
    }

    /// File `file` is open. `cursor` makes one for a file that is compressed, at a place.
    pub(super) fn opened(
        &mut self,
        file: usize,
        opened: Result<(Arc<dyn Blob>, Option<Compression>), ExecError>,
        cursor: impl FnOnce(Arc<dyn Blob>, Compression, FilePlace) -> FileCursor,
    ) {
        let Some(slot) = file.checked_sub(self.first_file).and_then(|index| self.files.get_mut(index)) else {
            return;
        };
        let FileRead::Opening(at) = *slot else { unreachable!("a file is opened once") };
        *slot = match opened {
            Ok((blob, None)) => FileRead::Plain(PlainFile {
                blob,
                at,
                frontier: at.offset,
                pieces: VecDeque::new(),
                first_piece: 0,
                failed_guesses: 0,
                row_bytes: 0,
            }),
            Ok((blob, Some(compression))) => FileRead::Compressed(CompressedFile {
                cursor: Some(Box::new(cursor(blob, compression, at))),
                pieces: VecDeque::new(),
                end: None,
            }),
            Err(error) => FileRead::Failed(at, error),
        };
        self.stitch();
    }

    /// The last row that begins in the range ends at `end`: the range is all of it, if nobody has claimed what is behind.
    pub(super) fn ends_at(&mut self, claim: &mut RangeClaim, end: u64) {
        let Some(file) = self.plain_file(claim.file) else { return };
        let is_last = claim.piece + 1 == file.first_piece + file.pieces.len();
        if let Some(slot) = file.pieces.back_mut().filter(|_| is_last) {
            (slot.range.end, slot.is_end_known) = (end, true);
            claim.range.end = end;
            file.frontier = end;
        }
    }

    /// A range has been read.
    pub(super) fn read(&mut self, claim: RangeClaim, rows: Option<RangeRows>) {
        let RangeClaim { file, piece, mut charge, .. } = claim;
        if let Some(rows) = &rows {
            charge.resize(rows.held_bytes);
        }
        let Some(file) = self.plain_file(file) else { return };
        file.row_bytes = rows.as_ref().map_or(file.row_bytes, RangeRows::row_bytes);
        // The file may have ended in an error before this range, or a row covered all of it.
        if let Some(slot) = piece.checked_sub(file.first_piece).and_then(|index| file.pieces.get_mut(index)) {
            slot.state = SlotState::Read(rows, charge);
            self.stitch();
        }
    }

    fn plain_file(&mut self, file: usize) -> Option<&mut PlainFile> {
        let index = file.checked_sub(self.first_file)?;
        match self.files.get_mut(index)? {
            FileRead::Plain(file) => Some(file),
            _ => None,
        }
    }

    /// A piece of a compressed file has been read.
    pub(super) fn read_next(
        &mut self,
        file: usize,
        cursor: Box<FileCursor>,
        piece: Result<Option<Piece>, ExecError>,
        charge: Charge,
    ) {
        let index = file.checked_sub(self.first_file);
        let Some(FileRead::Compressed(file)) = index.and_then(|index| self.files.get_mut(index)) else {
            return;
        };
        match piece {
            Ok(Some(piece)) => file.pieces.push_back((piece, charge)),
            Ok(None) => file.end = Some((cursor.place(), None)),
            Err(error) => file.end = Some((cursor.place(), Some(error))),
        }
        file.cursor = Some(cursor);
        self.stitch();
    }

    /// Moves what is known to come next to what is ready.
    fn stitch(&mut self) {
        while let Some(first) = self.files.front_mut() {
            let file = self.first_file;
            match first {
                FileRead::Opening(_) => return,
                FileRead::Plain(plain) => match plain.next() {
                    Next::NotYet => return,
                    Next::End => *first = FileRead::Ended,
                    Next::Rows(rows, charge) => {
                        let blob = Arc::clone(&plain.blob);
                        let first_row = plain.at.row;
                        plain.at = rows.end(first_row);
                        let at = plain.at;
                        let (piece, error) = rows.into_piece(first_row, &*blob);
                        if let Some(piece) = piece {
                            self.ready.push_back((Event::Rows { file, piece }, Some(charge)));
                        }
                        if let Some(error) = error {
                            self.ready.push_back((Event::Error { file, at, error }, None));
                            *first = FileRead::Ended;
                        }
                    }
                },
                FileRead::Compressed(compressed) => {
                    match (compressed.pieces.pop_front(), &mut compressed.end) {
                        (Some((piece, charge)), _) => {
                            self.ready.push_back((Event::Rows { file, piece }, Some(charge)));
                        }
                        (None, None) => return,
                        (None, Some((at, error))) => {
                            if let Some(error) = error.take() {
                                self.ready.push_back((Event::Error { file, at: *at, error }, None));
                            }
                            *first = FileRead::Ended;
                        }
                    }
                }
                FileRead::Failed(..) => {
                    if let FileRead::Failed(at, error) = std::mem::replace(first, FileRead::Ended) {
                        self.ready.push_back((Event::Error { file, at, error }, None));
                    }
                }
                FileRead::Ended => {
                    self.files.pop_front();
                    self.first_file += 1;
                }
            }
        }
    }
}

#[allow(
    clippy::large_enum_variant,
    reason = "moved a few times for each piece of many rows; a box would be one more allocation for it"
)]
enum Next {
    Rows(RangeRows, Charge),
    NotYet,
    End,
}

impl PlainFile {
    /// What comes next out of it.
    fn next(&mut self) -> Next {
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
    fn claim(
        &mut self,
        file: usize,
        is_first: bool,
        pace: &Pace,
        charge: impl Fn(bool) -> Option<Charge>,
    ) -> Option<RangeClaim> {
        if let Some(slot) = self.pieces.front_mut()
            && matches!(slot.state, SlotState::Again(_))
            && let SlotState::Again(charge) = std::mem::replace(&mut slot.state, SlotState::Reading)
        {
            let range = slot.range.clone();
            // Whatever it takes: it is what comes next.
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
