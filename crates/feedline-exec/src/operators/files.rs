//! The rows of files, file after file.
//!
//! Out come the records (or lines) of all files as strings, in the order of the files. As a stream (what the optimizer makes of
//! it) several parts of a file, and several files, are read ahead at the same time, else one part after the other. A record whose data is
//! damaged is an error in its place. A file that is missing, or damaged so that nobody knows where its next row begins, gives one error, and the next file goes on. Rows
//! are views into the read buffers; what is read ahead is charged to the budget, one piece of the current file is always
//! allowed. Ids are (file, row). Saves the file and the place of the next row in it: restoring opens that file at that byte
//! (compressed files are read over up to there). Skipping reads: where rows end is written only in the files.

use std::path::PathBuf;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Column, Ids, Position, RowError, Token};
use feedline_io::LocalStore;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Charge};
use crate::error::{ExecError, ExecErrorKind, RecordPlace};
use crate::files::{
    Buffers, Event, FileList, FilePlace, Piece, ReadAhead, ReadInline, ReadSizes, RowKind, TouchedFiles,
};
use crate::operator::{Operator, SkipDebt, cut};
use crate::origin::{FileStarts, KnownStarts, Origin, Sought, first_id_of_file};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct FilesTemplate {
    pub(crate) paths: Arc<Vec<PathBuf>>,
    pub(crate) kind: RowKind,
    /// Whether several pieces are read at a time.
    pub(crate) is_stream: bool,
    /// Read buffers, shared by all epochs.
    pub(crate) buffers: Buffers,
    pub(crate) starts: FileStarts,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilesState {
    file: usize,
    at: FilePlace,
}

impl Template for FilesTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state = match at {
            None => FilesState { file: 0, at: FilePlace::default() },
            Some(at) => load_state(at, "the reader")?,
        };
        self.starts.add(scope, &self.paths);
        let runtime = &scope.runtime;
        let mut sizes = ReadSizes::within(runtime.budget.limit_bytes(), scope.num_streams);
        if runtime.block_bytes < SMALL_BLOCK_BYTES {
            // Only where tests ask for it.
            (sizes.piece_bytes, sizes.read_bytes) = SMALL_SIZES;
        }
        let files = FileList {
            store: Arc::new(LocalStore),
            paths: Arc::clone(&self.paths),
            kind: self.kind,
            buffers: self.buffers.within(runtime.budget.limit_bytes()),
            is_stream: self.is_stream,
            sizes,
            turn: Arc::clone(&scope.turn),
            probe: scope.probe(),
        };
        let reader = match runtime.io() {
            None => Reader::Inline(Box::new(ReadInline::new(files, state.file, state.at))),
            Some(threads) => {
                let (budget, num_cores) = (&runtime.budget, runtime.threads());
                Reader::Ahead(ReadAhead::new(files, state.file, state.at, budget, num_cores, threads))
            }
        };
        Ok(Box::new(Files {
            reader,
            first_id: scope.first_id(),
            behind: state,
            rest: None,
            debt: SkipDebt::default(),
            paths: Arc::clone(&self.paths),
            current: None,
            touched: Arc::clone(&scope.files),
            budget: Arc::clone(&runtime.budget),
        }))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        self.starts.origin(sought, self.kind)
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        starts.push_files(&self.starts);
    }
}

const SMALL_BLOCK_BYTES: usize = 4096;
/// Of a piece and of a request.
const SMALL_SIZES: (usize, usize) = (64, 40);

enum Reader {
    Inline(Box<ReadInline>),
    Ahead(ReadAhead),
}

impl Reader {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Event, ExecError>>> {
        match self {
            Reader::Inline(reader) => Poll::Ready(reader.next().map(Ok)),
            Reader::Ahead(reader) => reader.poll_next(cx),
        }
    }
}

struct Files {
    reader: Reader,
    first_id: u64,
    /// The place behind what has come out of the reader.
    behind: FilesState,
    /// What was left of a piece when fewer rows were asked for, and its buffer's charge.
    rest: Option<(Block, Charge)>,
    debt: SkipDebt,
    paths: Arc<Vec<PathBuf>>,
    /// The file of the last rows.
    current: Option<usize>,
    /// Where files are noted that were read.
    touched: Arc<TouchedFiles>,
    budget: Arc<Budget>,
}

impl Files {
    fn note(&mut self, file: usize) {
        if self.current != Some(file) {
            self.current = Some(file);
            self.touched.add(&self.paths[file]);
        }
    }

    fn block_of(&mut self, file: usize, piece: Piece) -> Block {
        let Piece { rows, places, damaged, .. } = piece;
        let count = places.len();
        self.behind = FilesState { file, at: places.at(count as u64) };
        let first = first_id_of_file(self.first_id, file).wrapping_add(places.first_row());
        let damaged = damaged.into_iter().map(|(row, error)| {
            let FilePlace { offset: byte, row: record } = places.at(row as u64);
            let place = RecordPlace { file: self.paths[file].clone(), record, byte };
            // One that is larger than all the memory there is has no bytes to show.
            let is_there = error.kind() != ExecErrorKind::Resource;
            let error = if is_there { error.of_record(place, rows.get(row)) } else { error };
            (row, error.into_row_error())
        });
        let damaged: Vec<(usize, RowError)> = damaged.collect();
        let state = move |rows: u64| FilesState { file, at: places.at(rows) };
        let column = Column::from_strings(vec![], count, rows);
        Block::new(vec![column], Ids::run(first, count), Position::at(Token::new(state))).fail(&damaged)
    }

    /// An error of a file, which is its last row: behind it is the next file.
    fn block_of_error(&mut self, file: usize, at: FilePlace, error: ExecError) -> Block {
        self.behind = FilesState { file: file + 1, at: FilePlace::default() };
        self.error_at(FilesState { file, at }, error)
    }

    /// An error before what is now behind; restored before it, reading goes on at `state`.
    fn error_at(&self, state: FilesState, error: ExecError) -> Block {
        let behind = self.behind;
        let id = first_id_of_file(self.first_id, state.file);
        let token = Token::new(move |rows: u64| if rows == 0 { state } else { behind });
        Block::of_error(id, error.into_row_error(), Position::at(token))
    }
}

impl Operator for Files {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if let Some((block, charge)) = self.rest.take() {
                let mut behind = None;
                let block = cut(block, limit, &mut behind);
                self.rest = behind.map(|behind| (behind, charge));
                return Poll::Ready(Some(block));
            }
            let mut held_bytes = 0;
            let block = match ready!(self.reader.poll_next(cx)) {
                None => return Poll::Ready(None),
                Some(Ok(Event::Rows { file, piece })) => {
                    self.note(file);
                    held_bytes = piece.held_bytes;
                    self.block_of(file, piece)
                }
                Some(Ok(Event::Error { file, at, error })) => self.block_of_error(file, at, error),
                Some(Err(error)) => {
                    // Not of a file: nothing can be read any more. Restored, it is tried again.
                    return Poll::Ready(Some(self.error_at(self.behind, error.that_ends_stream())));
                }
            };
            let Some(block) = self.debt.pay(block) else { continue };
            let mut behind = None;
            let block = cut(block, limit, &mut behind);
            self.rest = behind.map(|behind| (behind, self.budget.charge(held_bytes)));
            return Poll::Ready(Some(block));
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
        self.rest = self.rest.take().and_then(|(block, charge)| Some((self.debt.pay(block)?, charge)));
    }
}
