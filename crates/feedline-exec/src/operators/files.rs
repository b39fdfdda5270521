//! The rows of files, file after file.
//!
//! Out come the records (or lines) of all files as strings, in the order of the files; several files are read ahead at the
//! same time. A file that is damaged or missing gives one error, and the next file goes on. Rows are views into the read
//! buffers; what is read ahead is charged to the budget, one piece of the current file is always allowed. Ids are (file,
//! row). Saves the file and the place of the next row in it: restoring opens that file at that byte (compressed files are
//! read over up to there). Skipping reads: where rows end is written only in the files.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Column, Ids, Position, Token, mix};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::files::{Buffers, FileCursor, FilePlace, FileStream, Piece, RowKind};
use crate::operator::{Operator, SkipDebt, cut};
use crate::runtime::Runtime;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct FilesTemplate {
    pub(crate) paths: Arc<Vec<PathBuf>>,
    pub(crate) kind: RowKind,
    /// Read buffers, shared by all epochs.
    pub(crate) buffers: Buffers,
}

#[derive(Serialize, Deserialize)]
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
        // Blocks as large as a piece that stays in the cache; smaller only where tests ask for it.
        let chunk_bytes =
            if scope.runtime.block_bytes < SMALL_BLOCK_BYTES { SMALL_CHUNK_BYTES } else { CHUNK_BYTES };
        Ok(Box::new(Files {
            paths: Arc::clone(&self.paths),
            kind: self.kind,
            buffers: self.buffers.clone(),
            chunk_bytes,
            runtime: Arc::clone(&scope.runtime),
            first_id: scope.first_id(),
            file: state.file,
            start: state.at,
            streams: VecDeque::new(),
            rest: None,
            debt: SkipDebt::default(),
        }))
    }
}

/// 256 KiB stays in the core's cache between the copy and the checksum; see `Access::LOCAL`.
const CHUNK_BYTES: usize = 256 << 10;
const SMALL_BLOCK_BYTES: usize = 4096;
const SMALL_CHUNK_BYTES: usize = 64;

struct Files {
    paths: Arc<Vec<PathBuf>>,
    kind: RowKind,
    buffers: Buffers,
    chunk_bytes: usize,
    runtime: Arc<Runtime>,
    first_id: u64,
    /// The file of the first stream.
    file: usize,
    /// Where its first row begins.
    start: FilePlace,
    /// The current file and those being read ahead.
    streams: VecDeque<FileStream>,
    rest: Option<Block>,
    debt: SkipDebt,
}

impl Files {
    /// Opens as many files as are to be read at the same time, and keeps all of them reading.
    fn pump(&mut self, cx: &mut Context<'_>) {
        let threads = self.runtime.io();
        let budget = &self.runtime.budget;
        // A file for each worker, and one more so that the next is there when one ends.
        let wanted = if threads.is_some() { self.runtime.threads() + 1 } else { 1 };
        while self.streams.len() < wanted && self.file + self.streams.len() < self.paths.len() {
            let is_over = budget.used_bytes() >= budget.limit_bytes();
            if !self.streams.is_empty() && is_over {
                break;
            }
            let path = &self.paths[self.file + self.streams.len()];
            let at = if self.streams.is_empty() { self.start } else { FilePlace::default() };
            let cursor = FileCursor::new(path, self.kind, at, &self.buffers, self.chunk_bytes);
            self.streams.push_back(FileStream::new(cursor, budget));
        }
        if threads.is_some() {
            for stream in &mut self.streams {
                stream.pump(cx, threads);
            }
        }
    }

    fn block_of(&mut self, piece: &Piece) -> Block {
        let count = piece.rows.len();
        let first = mix(self.first_id, self.file as u64 + 1).wrapping_add(piece.first_row);
        let (file, first_row, offsets) = (self.file, piece.first_row, Arc::clone(&piece.offsets));
        let state = move |rows: u64| FilesState {
            file,
            at: FilePlace { offset: offsets[rows as usize], row: first_row + rows },
        };
        let column = Column::from_strings(vec![], count, piece.rows.clone());
        Block::new(vec![column], Ids::run(first, count), Position::at(Token::new(state)))
    }

    /// An error of the current file, which is its last row.
    fn block_of_error(&self, error: ExecError) -> Block {
        let file = self.file;
        let at = self.start;
        // Behind it is the next file; before it, the file is read again from where it was entered.
        let state = move |rows: u64| match rows {
            0 => FilesState { file, at },
            _ => FilesState { file: file + 1, at: FilePlace::default() },
        };
        Block::of_error(
            mix(self.first_id, file as u64 + 1),
            error.into_row_error(),
            Position::at(Token::new(state)),
        )
    }

    fn next_file(&mut self) {
        self.streams.pop_front();
        self.file += 1;
        self.start = FilePlace::default();
    }
}

impl Operator for Files {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if let Some(block) = self.rest.take() {
                return Poll::Ready(Some(cut(block, limit, &mut self.rest)));
            }
            if self.file >= self.paths.len() {
                return Poll::Ready(None);
            }
            self.pump(cx);
            let threads = self.runtime.io();
            let stream = self.streams.front_mut().expect("the current file is open");
            let block = match ready!(stream.poll(cx, threads)) {
                None => {
                    self.next_file();
                    continue;
                }
                Some(Ok(piece)) => {
                    let last = piece.rows.len();
                    self.start =
                        FilePlace { offset: piece.offsets[last], row: piece.first_row + last as u64 };
                    self.block_of(&piece)
                }
                Some(Err(error)) => {
                    let block = self.block_of_error(error);
                    self.next_file();
                    block
                }
            };
            self.rest = self.debt.pay(block);
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
        self.rest = self.rest.take().and_then(|block| self.debt.pay(block));
    }
}
