//! Elements drawn at random from a buffer.
//!
//! Out comes every element of the input once, in the order tf.data gives for the same seeds, bit for bit. Errors come out
//! when they are met, before the element that would have been picked next. Holds up to `buffer_size` elements, copied into
//! memory of its own and charged to the budget; a buffer that cannot fit is an error before the start where the spec
//! tells, else when the budget is reached.
//!
//! Saves how many picks were made, how much was received, the places of errors, and a few positions of the input
//! ([`anchors`]): no data. Restored, it makes the picks over with numbers instead of rows ([`ring`]), and then fetches the
//! rows that are in the buffer, skipping the others unevaluated. Skipping makes picks without copying rows out.

mod anchors;
mod ring;
mod slots;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token};
use feedline_plan::SeedPair;
use serde::{Deserialize, Serialize};

use self::anchors::{Anchor, Anchors};
use self::ring::{Ring, replay};
use self::slots::{STORED_OVERHEAD_BYTES, Slots, stored_bytes};
use crate::budget::Charge;
use crate::error::ExecError;
use crate::operator::Operator;
use crate::runtime::Runtime;
use crate::seed::{PhiloxWords, seeds_of_iteration};
use crate::template::{Scope, Template, load_state};

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
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShuffleState {
    picks: u64,
    /// Elements received.
    received: u64,
    has_input_ended: bool,
    /// For each error met, how many elements came before it.
    errors: Arc<Vec<u64>>,
    anchors: Arc<Vec<Anchor>>,
    /// Whether the row behind this state is an error.
    is_error: bool,
}

impl Template for ShuffleTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let (seed, seed2) = if self.reshuffle_each_iteration {
            seeds_of_iteration(self.seeds.seed, self.seeds.seed2, scope.iteration)
        } else {
            (self.seeds.seed, self.seeds.seed2)
        };
        let words = PhiloxWords::new(seed, seed2);
        match at {
            None => {
                let input = self.input.start(scope, None)?;
                Ok(Box::new(self.operator(scope, input, words)?))
            }
            Some(at) => self.restore(scope, at, words),
        }
    }
}

impl ShuffleTemplate {
    /// Charges a full buffer where its size can be told before anything runs, so that nothing that runs ahead takes the
    /// memory away. `None`: elements are charged as they come.
    fn reserve(&self, runtime: &Runtime) -> Result<Option<Charge>, ExecError> {
        let Some(row_bytes) = self.row_bytes else { return Ok(None) };
        let held =
            self.num_elements.map_or(self.buffer_size as u64, |count| count.min(self.buffer_size as u64));
        let row_bytes = (row_bytes + STORED_OVERHEAD_BYTES) as u64;
        let wanted = held.saturating_mul(row_bytes);
        runtime.budget.try_charge(wanted).map(Some).ok_or_else(|| {
            let left = runtime.budget.limit_bytes().saturating_sub(runtime.budget.used_bytes());
            too_large(self.buffer_size, wanted, left, left / row_bytes)
        })
    }

    fn operator(
        &self,
        scope: &Scope,
        input: Box<dyn Operator>,
        words: PhiloxWords,
    ) -> Result<Shuffle, ExecError> {
        let runtime = Arc::clone(&scope.runtime);
        let reserved = self.reserve(&runtime)?;
        Ok(Shuffle {
            input,
            ring: Ring::new(self.buffer_size),
            slots: Slots::default(),
            words,
            chunk_rows: runtime.block_rows(self.row_bytes.unwrap_or(1024)).min(MAX_CHUNK_ROWS),
            is_reserved: reserved.is_some(),
            charge: reserved.unwrap_or_else(|| runtime.budget.charge(0)),
            buffer_size: self.buffer_size,
            picks: 0,
            received: 0,
            has_input_ended: false,
            staged: None,
            errors: Arc::default(),
            anchors: Anchors::new(self.buffer_size),
            saved_anchors: Arc::default(),
            to_fetch: VecDeque::new(),
            last_skip: 0,
            to_skip: 0,
            is_broken: false,
        })
    }

    fn restore(
        &self,
        scope: &Scope,
        at: &Position,
        words: PhiloxWords,
    ) -> Result<Box<dyn Operator>, ExecError> {
        let mut state: ShuffleState = load_state(&at.token, "shuffle")?;
        if at.rows > 0 {
            if state.is_error {
                Arc::make_mut(&mut state.errors).push(state.received);
            } else {
                // A block of picks has no errors, and each pick but the first was preceded by one element received.
                state.picks += at.rows;
                if !state.has_input_ended {
                    state.received += at.rows - 1;
                }
            }
        }
        let held = replay(self.buffer_size, words.clone(), state.picks, state.received);
        // An element's row in the input: its number, plus the errors before it.
        let row_of =
            |element: u64| element + state.errors.partition_point(|&before| before <= element) as u64;
        let mut wanted: Vec<(u64, usize)> =
            held.iter().zip(0..).map(|(element, place)| (row_of(element), place)).collect();
        wanted.sort_unstable();
        let resume_row = state.received + state.errors.len() as u64;
        let first_row = wanted.first().map_or(resume_row, |&(row, _)| row);
        let anchor =
            state.anchors.iter().rev().find(|anchor| anchor.elements + anchor.errors <= first_row).cloned();

        let input = self.input.start(scope, anchor.as_ref().map(|anchor| &anchor.position))?;
        let mut shuffle = self.operator(scope, input, words.starting_at(state.picks))?;
        shuffle.picks = state.picks;
        shuffle.received = state.received;
        shuffle.has_input_ended = state.has_input_ended;
        shuffle.errors = state.errors;
        shuffle.anchors = Anchors::restored(self.buffer_size, &state.anchors);
        shuffle.saved_anchors = state.anchors;
        // The slot of each place is decided now; the rows come when polled.
        let slots: Vec<u32> = held.iter().map(|_| shuffle.slots.allocate()).collect();
        slots.iter().for_each(|&slot| shuffle.ring.push(slot));
        let mut at_row = anchor.map_or(0, |anchor| anchor.elements + anchor.errors);
        for (row, place) in wanted {
            match shuffle.to_fetch.back_mut() {
                Some(run) if row == at_row => run.slots.push(slots[place]),
                _ => shuffle.to_fetch.push_back(Run { skip: row - at_row, slots: vec![slots[place]] }),
            }
            at_row = row + 1;
        }
        shuffle.last_skip = resume_row - at_row;
        Ok(Box::new(shuffle))
    }
}

fn too_large(buffer_size: usize, wanted: u64, limit: u64, fits: u64) -> ExecError {
    ExecError::resource(format!(
        "shuffle: a buffer of {buffer_size} elements needs {wanted} bytes, the memory budget has {limit}"
    ))
    .with_hint(format!(
        "about {fits} elements fit; shuffle before decoding, use global_shuffle, or raise the memory budget"
    ))
}

/// Rows of the input to skip, and the slots for those that follow.
#[derive(Debug)]
struct Run {
    skip: u64,
    slots: Vec<u32>,
}

/// Rows picked at a time at most: their numbers stay in the nearest cache.
const MAX_CHUNK_ROWS: usize = 4096;

struct Shuffle {
    input: Box<dyn Operator>,
    ring: Ring<u32>,
    slots: Slots,
    words: PhiloxWords,
    chunk_rows: usize,
    /// For everything in the slots: what they can hold, where that was known, else what they do hold.
    charge: Charge,
    is_reserved: bool,
    buffer_size: usize,
    picks: u64,
    received: u64,
    has_input_ended: bool,
    /// Rows pulled and not yet received.
    staged: Option<Block>,
    errors: Arc<Vec<u64>>,
    anchors: Anchors,
    /// `anchors` as states share them; made anew when they change.
    saved_anchors: Arc<Vec<Anchor>>,
    /// Restoring: rows still to be fetched, and what to skip behind them.
    to_fetch: VecDeque<Run>,
    last_skip: u64,
    to_skip: u64,
    /// Something went wrong that cannot be gone on from.
    is_broken: bool,
}

impl Shuffle {
    fn position(&self, is_error: bool) -> Position {
        Position::at(Token::new(ShuffleState {
            picks: self.picks,
            received: self.received,
            has_input_ended: self.has_input_ended,
            errors: Arc::clone(&self.errors),
            anchors: Arc::clone(&self.saved_anchors),
            is_error,
        }))
    }

    /// Fetches the rows that were in the buffer when the state was saved.
    fn poll_fetch(&mut self, cx: &mut Context<'_>) -> Poll<Option<Block>> {
        while let Some(run) = self.to_fetch.front_mut() {
            self.input.skip(std::mem::take(&mut run.skip));
            let block = match ready!(self.input.poll_block(cx, run.slots.len())) {
                Some(block) if block.errors().is_empty() => block,
                other => return Poll::Ready(Some(self.broken_fetch(other))),
            };
            let run = self.to_fetch.front_mut().expect("looked at above");
            let fetched: Vec<u32> = run.slots.drain(..block.rows()).collect();
            if run.slots.is_empty() {
                self.to_fetch.pop_front();
            }
            if let Err(error) = self.store(&block, &fetched) {
                return Poll::Ready(Some(self.broken(error)));
            }
        }
        if self.last_skip > 0 {
            self.input.skip(std::mem::take(&mut self.last_skip));
        }
        Poll::Ready(None)
    }

    /// A row that was an element when the state was saved is none now.
    fn broken_fetch(&mut self, found: Option<Block>) -> Block {
        let error = ExecError::state(
            "shuffle: the input no longer has a row that was in the buffer when the state was saved",
        )
        .with_hint("the data must not change between saving and restoring");
        match found.and_then(|block| block.errors().first().cloned()) {
            Some(row) => self.broken(error.with_source(row.error)),
            None => self.broken(error),
        }
    }

    /// An error after which there is nothing more.
    fn broken(&mut self, error: ExecError) -> Block {
        self.is_broken = true;
        let position = self.position(true);
        Block::of_error(0, error.into_row_error(), position)
    }

    /// Puts rows into their slots, if the budget allows.
    fn store(&mut self, block: &Block, slots: &[u32]) -> Result<(), ExecError> {
        if !self.is_reserved {
            // Compared with the whole budget, not with what is free: what runs ahead stops when the budget is reached, and
            // drains. An error is due only if this buffer alone is too large.
            let bytes = stored_bytes(block);
            let limit = self.charge.limit_bytes();
            if self.charge.bytes() + bytes > limit {
                let row_bytes = (self.charge.bytes() + bytes) / (self.ring.len() + slots.len()) as u64;
                let wanted = (self.buffer_size as u64).saturating_mul(row_bytes);
                return Err(too_large(self.buffer_size, wanted, limit, limit / row_bytes.max(1)));
            }
            self.charge.grow(bytes);
        }
        self.slots.put(block, slots);
        Ok(())
    }

    /// Receives elements until the buffer is full or the input has no more now. A block that comes back is an error to hand
    /// on.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Option<Block>> {
        while !self.has_input_ended && !self.ring.is_full() {
            let Some(block) = self.staged.take() else {
                match ready!(self.input.poll_block(cx, usize::MAX)) {
                    Some(block) => self.stage(block),
                    None => self.has_input_ended = true,
                }
                continue;
            };
            let rows = block.rows();
            let clear = block.errors().first().map_or(rows, |error| error.row);
            if clear == 0 {
                let position = self.position(true);
                Arc::make_mut(&mut self.errors).push(self.received);
                self.staged = (rows > 1).then(|| block.slice(1..rows));
                return Poll::Ready(Some(block.slice(0..1).at(position)));
            }
            let used = clear.min(self.buffer_size - self.ring.len());
            self.staged = (used < rows).then(|| block.slice(used..rows));
            let slots: Vec<u32> = (0..used).map(|_| self.slots.allocate()).collect();
            if let Err(error) = self.store(&block.slice(0..used), &slots) {
                return Poll::Ready(Some(self.broken(error)));
            }
            slots.iter().for_each(|&slot| self.ring.push(slot));
            self.received += used as u64;
        }
        Poll::Ready(None)
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

    /// Picks up to `limit` rows, receiving one between two picks as long as some are staged.
    fn pick(&mut self, limit: usize) -> Result<Option<Block>, Block> {
        let position = self.position(false);
        let available = match &self.staged {
            _ if self.has_input_ended => 0,
            Some(block) => block.errors().first().map_or(block.rows(), |error| error.row),
            None => 0,
        };
        // While the input lasts, every pick but the first needs an element received before it.
        let num_picks = if self.has_input_ended { self.ring.len() } else { available + 1 };
        let num_picks = num_picks.min(limit).min(self.chunk_rows);
        let num_received = if self.has_input_ended { 0 } else { num_picks - 1 };

        // Slots of picked rows are given back only below, so what they hold stays until it has been copied out.
        let mut received = Vec::with_capacity(num_received);
        let mut picked = Vec::with_capacity(num_picks);
        picked.push(self.ring.pick(self.words.next_word()));
        for _ in 1..num_picks {
            if num_received > 0 {
                let slot = self.slots.allocate();
                self.ring.push(slot);
                received.push(slot);
            }
            picked.push(self.ring.pick(self.words.next_word()));
        }
        if num_received > 0 {
            let block = self.staged.take().expect("rows were counted above");
            if let Err(error) = self.store(&block.slice(0..num_received), &received) {
                return Err(self.broken(error));
            }
            let rows = block.rows();
            self.staged = (num_received < rows).then(|| block.slice(num_received..rows));
        }
        self.received += num_received as u64;
        self.picks += num_picks as u64;

        let skipped = self.to_skip.min(num_picks as u64) as usize;
        self.to_skip -= skipped as u64;
        let (columns, ids) = self.slots.get(&picked[skipped..]);
        if !self.is_reserved {
            // Which bytes were whose is not kept: rows take what they take on average.
            let bytes = self.charge.bytes() * num_picks as u64 / (self.ring.len() + num_picks) as u64;
            self.charge.shrink(bytes);
        }
        self.slots.release(&picked);
        if skipped == num_picks {
            return Ok(None);
        }
        Ok(Some(Block::new(columns, ids, position.plus(skipped as u64))))
    }
}

impl Operator for Shuffle {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if self.is_broken {
                return Poll::Ready(None);
            }
            if let Some(error) = ready!(self.poll_fetch(cx)) {
                return Poll::Ready(Some(error));
            }
            if let Some(error) = ready!(self.poll_fill(cx)) {
                if self.to_skip > 0 {
                    self.to_skip -= 1;
                    continue;
                }
                return Poll::Ready(Some(error));
            }
            if self.ring.len() == 0 {
                // The memory goes now, not when the iterator does.
                self.slots = Slots::default();
                self.charge.shrink(self.charge.bytes());
                return Poll::Ready(None);
            }
            match self.pick(limit) {
                Ok(Some(block)) | Err(block) => return Poll::Ready(Some(block)),
                Ok(None) => {}
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.to_skip = self.to_skip.saturating_add(rows);
    }
}
