//! One file, read ahead on the I/O threads.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use feedline_io::IoThreads;

use super::{FileCursor, Piece};
use crate::budget::{Budget, Charge};
use crate::error::ExecError;

/// A file whose next pieces are read before they are asked for.
///
/// The cursor is either here or on an I/O thread, reading one piece; it comes back with it. So nobody ever waits for a lock,
/// and a stream that is dropped leaves at most one read behind, whose result nobody takes.
pub(crate) struct FileStream {
    side: Side,
    ready: VecDeque<(Piece, Charge)>,
    budget: Arc<Budget>,
    error: Option<ExecError>,
    has_ended: bool,
}

enum Side {
    Here(Box<FileCursor>),
    Away(Arc<Slot>),
}

/// Pieces read before the cursor comes back: one hand-over between threads (tens of microseconds here) for 2 MiB, where one
/// for each 256 KiB took longer than reading them.
const PIECES_A_JOB: usize = 8;

/// What reading on gave; `None` is the end.
type NextPiece = Result<Option<Piece>, ExecError>;

/// Where a cursor comes back to.
#[derive(Default)]
struct Slot(Mutex<SlotState>);

#[derive(Default)]
struct SlotState {
    returned: Option<(Box<FileCursor>, Vec<NextPiece>)>,
    is_lost: bool,
    waker: Option<Waker>,
}

impl Slot {
    fn change(&self, change: impl FnOnce(&mut SlotState)) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Tells the slot if the job ends without an answer: it panicked, or was never run.
struct Promise(Arc<Slot>);

impl Drop for Promise {
    fn drop(&mut self) {
        self.0.change(|state| state.is_lost = state.returned.is_none());
    }
}

impl FileStream {
    /// A stream of what `cursor` reads, charged to `budget` until it is taken.
    pub(crate) fn new(cursor: FileCursor, budget: &Arc<Budget>) -> FileStream {
        FileStream {
            side: Side::Here(Box::new(cursor)),
            ready: VecDeque::new(),
            budget: Arc::clone(budget),
            error: None,
            has_ended: false,
        }
    }

    /// Keeps reading ahead. `threads`: where to read; `None` reads here and now, one piece, which is the reference.
    pub(crate) fn pump(&mut self, cx: &mut Context<'_>, threads: Option<&IoThreads>) {
        if let Side::Away(slot) = &self.side {
            let mut state = slot.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((cursor, pieces)) = state.returned.take() {
                drop(state);
                self.side = Side::Here(cursor);
                pieces.into_iter().for_each(|piece| self.accept(piece));
            } else if state.is_lost {
                drop(state);
                self.error = Some(ExecError::internal("reading a file panicked"));
                self.has_ended = true;
            } else {
                state.waker = Some(cx.waker().clone());
            }
        }
        // Refused, it reads on when what lies ready has been taken, a piece at a time.
        let is_refused = self.budget.used_bytes() >= self.budget.limit_bytes();
        let is_enough = self.ready.len() >= PIECES_A_JOB || (is_refused && !self.ready.is_empty());
        if self.has_ended || is_enough {
            return;
        }
        let Some(threads) = threads else {
            if let Side::Here(cursor) = &mut self.side {
                let piece = cursor.next_piece();
                self.accept(piece);
            }
            return;
        };
        if matches!(self.side, Side::Away(_)) {
            return;
        }
        let slot =
            Arc::new(Slot(Mutex::new(SlotState { waker: Some(cx.waker().clone()), ..SlotState::default() })));
        let Side::Here(mut cursor) = std::mem::replace(&mut self.side, Side::Away(Arc::clone(&slot))) else {
            unreachable!("looked at above")
        };
        let num_pieces = if is_refused { 1 } else { PIECES_A_JOB };
        let job = move || {
            let promise = Promise(slot);
            let mut pieces = Vec::with_capacity(num_pieces);
            while pieces.len() < num_pieces && pieces.last().is_none_or(|last| matches!(last, Ok(Some(_)))) {
                pieces.push(cursor.next_piece());
            }
            promise.0.change(|state| state.returned = Some((cursor, pieces)));
        };
        if let Err(error) = threads.spawn(job) {
            self.error = Some(ExecError::resource(error.to_string()));
            self.has_ended = true;
        }
    }

    fn accept(&mut self, piece: NextPiece) {
        match piece {
            Ok(Some(piece)) => {
                let charge = self.budget.charge(piece.byte_size());
                self.ready.push_back((piece, charge));
            }
            Ok(None) => self.has_ended = true,
            Err(error) => {
                self.error = Some(error);
                self.has_ended = true;
            }
        }
    }

    /// The next piece; an error takes the place of one and is the last but the end.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        threads: Option<&IoThreads>,
    ) -> Poll<Option<Result<Piece, ExecError>>> {
        if self.ready.is_empty() {
            self.pump(cx, threads);
        }
        if let Some((piece, _)) = self.ready.pop_front() {
            // The next one is read while this one is used.
            if threads.is_some() {
                self.pump(cx, threads);
            }
            return Poll::Ready(Some(Ok(piece)));
        }
        if let Some(error) = self.error.take() {
            return Poll::Ready(Some(Err(error)));
        }
        if self.has_ended { Poll::Ready(None) } else { Poll::Pending }
    }
}
