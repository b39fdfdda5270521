//! What of a list of files has been read, is being read, and is to be read next. No threads here: one at a time changes it.
//!
//! Files that are not compressed are read in pieces, several at the same time (`plain_file.rs`); compressed ones front to back, the next
//! files beside them. What comes out is what one pass from front to back gives, whatever is in the files.

use std::collections::VecDeque;
use std::sync::Arc;

use feedline_formats::Compression;
use feedline_io::Blob;

use super::cursor::FileCursor;
use super::pace::Pace;
use super::plain_file::{Next, PlainFile, RangeClaim};
use super::range::RangeRows;
use super::{Event, FilePlace, Piece};
use crate::budget::{Budget, Charge};
use crate::error::ExecError;
use crate::turn::Turn;

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
    turn: Arc<Turn>,
    /// Whether who asked last has got nothing.
    is_waited_for: bool,
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

struct CompressedFile {
    /// `None` while it is being used.
    cursor: Option<Box<FileCursor>>,
    /// Pieces, until it is this file's turn.
    pieces: VecDeque<(Piece, Charge)>,
    /// How it ended, once it has, and where.
    end: Option<(FilePlace, Option<ExecError>)>,
}

/// Something to be done by one thread, with what it needs for it.
pub(super) enum Claim {
    Open { file: usize },
    Range(RangeClaim),
    Next { file: usize, cursor: Box<FileCursor>, charge: Charge },
}

impl Window {
    /// Nothing read yet of `num_files` files, from `start` of file `first_file` on.
    pub(super) fn new(
        first_file: usize,
        num_files: usize,
        start: FilePlace,
        budget: &Arc<Budget>,
        pace: Pace,
        turn: &Arc<Turn>,
    ) -> Window {
        Window {
            files: VecDeque::new(),
            first_file,
            num_files,
            start,
            ready: VecDeque::new(),
            budget: Arc::clone(budget),
            turn: Arc::clone(turn),
            is_waited_for: false,
            pace,
        }
    }

    /// What comes next, if it is there; else somebody waits for it from now on.
    pub(super) fn take(&mut self) -> Option<Event> {
        let event = self.ready.pop_front().map(|(event, _)| event);
        self.is_waited_for = event.is_none();
        event
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
            FileRead::Plain(file) => file.num_pieces(),
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
            let is_needed = index == 0 && self.ready.is_empty() && self.is_waited_for && self.turn.is_now();
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
        let is_allowed = is_room && self.files.len() < self.pace.num_pieces() && self.budget.room_bytes() > 0;
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
            Ok((blob, None)) => FileRead::Plain(PlainFile::new(blob, at)),
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
        if let Some(file) = self.plain_file(claim.file) {
            file.ends_at(claim, end);
        }
    }

    /// A range has been read.
    pub(super) fn read(&mut self, claim: RangeClaim, rows: Option<RangeRows>) {
        if self.plain_file(claim.file).is_some_and(|file| file.read(claim, rows)) {
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
                        let (piece, error, at) = plain.pass(rows);
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
