//! Elements drawn at random from a buffer.
//!
//! Out comes every element of the input once, in the order tf.data gives for the same seeds, bit for bit. Errors come out
//! when they are met, before the element that would have been picked next. Holds up to `buffer_size` elements, in
//! memory of its own (strings where they lie, see [`texts`]), charged to the budget; a buffer that cannot fit goes to the spill
//! folder in part ([`segments`]), or, without one, is an error: before the start where the spec tells, else when the budget is
//! reached.
//!
//! Saves how many picks were made, how much was received, the places of errors, and a few positions of the input
//! ([`anchors`]): no data. Restored, it makes the picks over with numbers instead of rows ([`ring`]), and then fetches the
//! rows that are in the buffer, skipping the others unevaluated. Skipping makes picks without copying rows out.

mod anchors;
mod epochs;
mod errors;
mod pick;
mod read_back;
mod restore;
mod ring;
mod segments;
mod slots;
mod spilling;
mod storage;
mod texts;
mod write_behind;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token};
use feedline_plan::SeedPair;
use serde::{Deserialize, Serialize};

use self::anchors::{Anchor, Anchors, short_enough};
pub(crate) use self::epochs::ShuffledEpochs;
use self::errors::Errors;
use self::pick::Pick;
use self::restore::Run;
use self::ring::Ring;
use self::spilling::Fetch;
use self::storage::Storage;
pub(crate) use self::storage::buffer_bytes;
use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::Passing;
use crate::runtime::Runtime;
use crate::seed::{PhiloxWords, seeds_of_iteration};
use crate::sparing::SparingInput;
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct ShuffleTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) buffer_size: usize,
    pub(crate) seeds: SeedPair,
    pub(crate) reshuffle_each_iteration: bool,
    /// Bytes of an element, if the spec says.
    pub(crate) row_bytes: Option<usize>,
    /// How many elements there are, if the plan knows.
    pub(crate) num_elements: Option<u64>,
}

/// What is saved: enough to make the picks over.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShuffleState {
    picks: u64,
    /// Elements received.
    received: u64,
    has_input_ended: bool,
    /// For each error met, how many elements came before it.
    errors: Errors,
    anchors: Arc<Vec<Anchor>>,
}

impl ShuffleState {
    /// It as it is saved, of a buffer of that size.
    fn into_saved(self, buffer_size: usize) -> ShuffleState {
        ShuffleState { anchors: short_enough(&self.anchors, buffer_size, self.received), ..self }
    }
}

impl Template for ShuffleTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        // In a dataset made of an element it is that dataset that is missing, not the element that failed.
        let mut storage = Storage::new(self, scope).map_err(ExecError::that_ends_stream)?;
        let epoch = self.start_epoch(scope, at, &mut storage)?;
        Ok(Box::new(Shuffle { epoch, storage }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }
}

impl ShuffleTemplate {
    /// One pass over the input, its rows kept in `storage`.
    fn start_epoch(
        &self,
        scope: &Scope,
        at: Option<&Position>,
        storage: &mut Storage,
    ) -> Result<Epoch, ExecError> {
        let (seed, seed2) = if self.reshuffle_each_iteration {
            seeds_of_iteration(self.seeds.seed, self.seeds.seed2, scope.iteration)
        } else {
            (self.seeds.seed, self.seeds.seed2)
        };
        let words = PhiloxWords::new(seed, seed2);
        match at {
            None => Ok(self.epoch(scope, self.input.start(scope, None)?, words)),
            Some(at) => self.restore(scope, at, words, storage),
        }
    }

    fn epoch(&self, scope: &Scope, input: Box<dyn Operator>, words: PhiloxWords) -> Epoch {
        Epoch {
            input: SparingInput::new(input, &*self.input),
            asked_picks: u64::MAX,
            ring: Ring::new(self.buffer_size),
            words,
            runtime: Arc::clone(&scope.runtime),
            row_bytes: self.row_bytes,
            buffer_size: self.buffer_size,
            picks: 0,
            received: 0,
            has_input_ended: false,
            staged: None,
            errors: Errors::default(),
            anchors: Anchors::new(self.buffer_size, &[]),
            saved_anchors: Arc::default(),
            to_fetch: VecDeque::new(),
            last_skip: 0,
            rows_to_fetch: None,
            to_skip: 0,
            is_broken: false,
            fetching: None,
            fetched: None,
        }
    }
}

struct Shuffle {
    epoch: Epoch,
    storage: Storage,
}

/// One pass over the input: the order in which rows come and go, apart from the memory they are kept in.
struct Epoch {
    input: SparingInput,
    /// Picks that are asked for, those made included, as far as is known.
    asked_picks: u64,
    ring: Ring<u32>,
    words: PhiloxWords,
    runtime: Arc<Runtime>,
    /// Bytes of an element, if the spec says.
    row_bytes: Option<usize>,
    buffer_size: usize,
    picks: u64,
    received: u64,
    has_input_ended: bool,
    /// Rows pulled and not yet received.
    staged: Option<Block>,
    errors: Errors,
    anchors: Anchors,
    /// `anchors` as states share them; made anew when they change.
    saved_anchors: Arc<Vec<Anchor>>,
    /// Restoring: rows still to be fetched, and what to skip behind them.
    to_fetch: VecDeque<Run>,
    last_skip: u64,
    /// Rows of the input from where it began to what comes behind the last of these, as long as none was asked for.
    rows_to_fetch: Option<u64>,
    to_skip: u64,
    /// Something went wrong that cannot be gone on from.
    is_broken: bool,
    /// A pick whose rows are being read, and what is left of one whose rows are there.
    fetching: Option<(Fetch, Pick)>,
    fetched: Option<Block>,
}

impl Epoch {
    fn state(&self) -> ShuffleState {
        ShuffleState {
            picks: self.picks,
            received: self.received,
            has_input_ended: self.has_input_ended,
            errors: self.errors.clone(),
            anchors: Arc::clone(&self.saved_anchors),
        }
    }

    /// Whether nothing of it is left in the storage.
    fn is_drained(&self) -> bool {
        self.ring.len() == 0 && self.fetching.is_none() && !self.is_broken
    }

    /// The place before a block of picks. It has no errors, and while the input lasts each pick but the first is preceded
    /// by one element received.
    fn position_of_picks(&self) -> Position {
        let (state, buffer_size) = (self.state(), self.buffer_size);
        Position::at(Token::new(move |rows| {
            let more = if state.has_input_ended { 0 } else { rows.saturating_sub(1) };
            let (picks, received) = (state.picks + rows, state.received + more);
            ShuffleState { picks, received, ..state.clone() }.into_saved(buffer_size)
        }))
    }

    /// An error after which there is nothing more.
    fn broken(&mut self, error: ExecError) -> Block {
        self.is_broken = true;
        // It took the place of no row: what is restored from here tries again.
        let (state, buffer_size) = (self.state(), self.buffer_size);
        let position = Position::at(Token::new(move |_| state.clone().into_saved(buffer_size)));
        Block::of_error(0, error.that_ends_stream().into_row_error(), position)
    }

    /// Receives elements until the buffer is full or the input has no more now. A block that comes back is an error to hand
    /// on.
    fn poll_fill(&mut self, cx: &mut Context<'_>, storage: &mut Storage) -> Poll<Option<Block>> {
        while !self.has_input_ended && !self.ring.is_full() {
            if let Some(error) = self.take_error() {
                return Poll::Ready(Some(error));
            }
            if let Err(error) = ready!(self.poll_receive(cx, storage, self.buffer_size)) {
                return Poll::Ready(Some(self.broken(error)));
            }
        }
        Poll::Ready(None)
    }

    /// Receives ahead of its turn, until it holds `max_held` elements. What is no element to be received now (an error, one
    /// that the budget refuses) is left where it is, to be met again in its turn.
    fn fill_ahead(&mut self, cx: &mut Context<'_>, storage: &mut Storage, max_held: usize) {
        while !self.has_input_ended && self.ring.len() < max_held {
            let is_error = |block: &Block| block.errors().first().is_some_and(|error| error.row == 0);
            if self.staged.as_ref().is_some_and(is_error) {
                return;
            }
            if !matches!(self.poll_receive(cx, storage, max_held), Poll::Ready(Ok(()))) {
                return;
            }
        }
    }

    /// Elements to be received for what is asked for: the first pick needs a full buffer, each that follows one more.
    fn needed(&self) -> u64 {
        if self.asked_picks == u64::MAX {
            return u64::MAX;
        }
        let before_last = self.asked_picks.saturating_sub(1);
        before_last.saturating_add(self.buffer_size as u64).saturating_sub(self.received)
    }

    /// Rows that were picked, or are in the buffer, and are not to be skipped.
    fn rows_left(&self) -> u64 {
        let fetching = self.fetching.as_ref().map_or(0, |(_, pick)| pick.rows());
        let fetched = self.fetched.as_ref().map_or(0, Block::rows);
        ((self.ring.len() + fetching + fetched) as u64).saturating_sub(self.to_skip)
    }

    /// So many rows are going to be asked for.
    fn bound(&mut self, rows: u64) {
        let fetched = self.fetched.as_ref().map_or(0, Block::rows) as u64;
        let handed_out = self.picks.saturating_sub(fetched);
        self.asked_picks = handed_out.saturating_add(self.to_skip).saturating_add(rows);
        self.tell_of_rows_to_fetch();
    }

    /// The error that comes next, if one does.
    fn take_error(&mut self) -> Option<Block> {
        let block =
            self.staged.take_if(|block| block.errors().first().is_some_and(|error| error.row == 0))?;
        let (before, buffer_size) = (self.state(), self.buffer_size);
        self.errors.push(self.received);
        if self.asked_picks < u64::MAX {
            self.asked_picks = self.asked_picks.saturating_sub(1);
        }
        let behind = self.errors.clone();
        let position = Position::at(Token::new(move |rows| {
            let errors = if rows > 0 { &behind } else { &before.errors };
            ShuffleState { errors: errors.clone(), ..before.clone() }.into_saved(buffer_size)
        }));
        let rows = block.rows();
        self.staged = (rows > 1).then(|| block.slice(1..rows));
        Some(block.slice(0..1).at(position))
    }

    /// One step of receiving: takes a block of the input in, or its elements up to the first error into the buffer, which
    /// then holds at most `max_held`. The error is the budget's or the spill folder's; nothing has changed then.
    fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        storage: &mut Storage,
        max_held: usize,
    ) -> Poll<Result<(), ExecError>> {
        let Some(block) = &self.staged else {
            let needed = self.needed();
            match ready!(self.input.poll_block(cx, usize::MAX, needed)) {
                Some(block) => self.stage(block),
                None => self.has_input_ended = true,
            }
            return Poll::Ready(Ok(()));
        };
        if let Err(error) = ready!(storage.poll_room(cx)) {
            return Poll::Ready(Err(error));
        }
        let rows = block.rows();
        let clear = block.errors().first().map_or(rows, |error| error.row);
        let used = clear.min(max_held - self.ring.len());
        let elements = block.slice(0..used);
        storage.admit(&elements)?;
        let slots: Vec<u32> = (0..used).map(|_| storage.allocate()).collect();
        storage.put(&elements, &slots);
        self.staged = (used < rows).then(|| block.slice(used..rows));
        slots.iter().for_each(|&slot| self.ring.push(slot));
        self.received += used as u64;
        Poll::Ready(Ok(()))
    }

    /// Takes a block of the input in, and remembers its place.
    fn stage(&mut self, block: Block) {
        let (elements, errors) = (self.received, self.errors.len() as u64);
        let mut is_new = false;
        let anchor = || {
            is_new = true;
            Anchor { elements, errors, position: block.position().clone() }
        };
        self.anchors.offer(anchor, elements);
        if is_new {
            self.saved_anchors = Arc::new(self.anchors.to_vec());
        }
        self.staged = Some(block);
    }

    /// The next rows; `None` when there are no more.
    fn poll_block(
        &mut self,
        cx: &mut Context<'_>,
        storage: &mut Storage,
        limit: usize,
    ) -> Poll<Option<Block>> {
        storage.settle();
        loop {
            if self.is_broken {
                return Poll::Ready(None);
            }
            if let Some(block) = ready!(self.poll_fetched(cx, storage, limit)) {
                return Poll::Ready(Some(block));
            }
            if let Some(error) = ready!(self.poll_fetch(cx, storage)) {
                return Poll::Ready(Some(error));
            }
            if let Some(error) = ready!(self.poll_fill(cx, storage)) {
                if self.to_skip > 0 {
                    self.to_skip -= 1;
                    continue;
                }
                return Poll::Ready(Some(error));
            }
            if self.ring.len() == 0 {
                return Poll::Ready(None);
            }
            if !self.has_input_ended
                && let Err(error) = ready!(storage.poll_room(cx))
            {
                return Poll::Ready(Some(self.broken(error)));
            }
            match self.pick(storage, limit) {
                Ok(Some(block)) | Err(block) => return Poll::Ready(Some(block)),
                Ok(None) => {}
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.to_skip = self.to_skip.saturating_add(rows);
    }
}

impl Operator for Shuffle {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let answer = self.epoch.poll_block(cx, &mut self.storage, limit);
        if matches!(answer, Poll::Ready(None)) {
            // The memory goes now, not when the iterator does.
            self.storage.clear();
        }
        answer
    }

    fn skip(&mut self, rows: u64) {
        self.epoch.skip(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.epoch.bound(rows);
    }
}
