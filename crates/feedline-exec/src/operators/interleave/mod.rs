//! Datasets made of elements, some at a time in turn: `interleave`, and `flat_map`, which is one at a time to its end.
//!
//! Out come the rows of nested streams. There are `cycle_length` places; each has its turn of `block_length` elements, in
//! order. A stream that ends leaves its place, and the place's next turn opens the next element's stream. An error takes
//! its place among the rows and does not count to the turn; an element that is an error gives no stream, and the place
//! tries again with the next. Ids are the element's mixed with the row's number in its stream.
//!
//! Holds what is left of a block of each open stream. Saves, for each open stream, the position of the element it was made of and the
//! stream's own; and whose turn it is. Restoring reads those elements again, the last of them with those to come ([`shared_reader`]). Skipping passes over rows uncomputed where the plan
//! is certain how many each stream has ([`InterleaveTemplate::stream_rows`]); else it has to look.
//!
//! # How it runs
//! The thread that polls takes turns through the streams. Where there are workers, streams whose turn is yet to come are
//! asked too, and streams of elements to come are opened and asked, so that files are being read and maps are being
//! computed when their turn comes. That is charged to the budget and is done only where it fits, which is why operators of streams know
//! whether it is their [`Turn`](crate::turn::Turn); streams that reserve memory are
//! opened before their turn only if all that the plan could reserve then fits ([`Opening`]). How many elements to come
//! have their streams opened follows from whether more of them help ([`Depth`]).
//! A state is what a reader of the rows would say of it, whatever was begun ahead: turns are kept in a [`Log`], from which a
//! state is worked out only if somebody saves one.

pub(crate) mod assemble;
mod log;
mod opening;
mod outer_rows;
mod shared_reader;
mod shares;
mod stream;

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, RowError};
use feedline_plan::Turns;

use self::assemble::Assembly;
use self::log::{Event, InterleaveState, Log};
use self::opening::Opening;
use self::outer_rows::OuterRows;
use self::shared_reader::FirstRow;
use self::shares::Shares;
use self::stream::Stream;
use crate::error::ExecError;
use crate::eval::Program;
use crate::fits::over_budget;
use crate::metrics::QueuePart;
use crate::operator::{Operator, SkipDebt};
use crate::origin::{KnownStarts, Locator, Origin, Sought, StreamStarts};
use crate::reserved::Reserved;
use crate::runtime::Runtime;
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template, load_state};
use crate::tune::{Depth, Learned, Limits, Taken, now_ns};

/// Elements beyond those in the cycle whose streams are opened, so that the next is under way when one ends: to begin with, and
/// between what it moves. Each of 64 that take 30 ms to open and hold one element is one every half millisecond.
const FIRST_AHEAD: usize = 2;
const MIN_AHEAD: usize = 1;
pub(crate) const MAX_AHEAD: usize = 64;
/// The part of the budget that they may fill: others want to run ahead as well.
const AHEAD_PART_OF_BUDGET: u64 = 4;

#[derive(Debug)]
pub(crate) struct InterleaveTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) nesting: Arc<Nesting>,
    pub(crate) turns: Turns,
    /// Rows of each stream, where that is certain, and none of them is an error that does not count to its turn.
    pub(crate) stream_rows: Option<u64>,
    /// What shuffles of the whole plan may reserve; nothing where the streams' own reserve nothing.
    pub(crate) reserved: Reserved,
    /// What is known about how many streams to open ahead; kept here so that a new epoch does not start from nothing.
    pub(crate) learned: Arc<Learned>,
}

/// How a stream is made of an element.
#[derive(Debug)]
pub(crate) struct Nesting {
    /// What the nested plan is started with, of each element.
    pub(crate) prelude: Arc<Program>,
    pub(crate) nested: Arc<dyn Template>,
    /// Where it is noted of which elements.
    pub(crate) starts: StreamStarts,
}

impl Template for InterleaveTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state: Option<InterleaveState> = at.map(|at| load_state(at, "interleave")).transpose()?;
        let nesting = Arc::new(Nesting {
            prelude: self.nesting.prelude.bind(scope),
            nested: Arc::clone(&self.nesting.nested),
            starts: self.nesting.starts.clone(),
        });
        let num_streams = scope.num_streams.saturating_mul(self.turns.cycle_length);
        let nested_scope = Scope { num_streams, ..scope.clone() };
        let newest = state.as_ref().and_then(|state| state.newest_stream(self.turns));
        let (first_row, input): (_, Box<dyn Operator>) = if let Some(newest) = newest {
            let input = self.input.start(scope, Some(&newest.element))?;
            let (first_row, rows_behind) = shared_reader::share(input, &scope.runtime.budget);
            (Some((newest.place, first_row)), Box::new(rows_behind))
        } else {
            (None, self.input.start(scope, state.as_ref().and_then(|state| state.input.as_ref()))?)
        };
        let mut interleave = Interleave {
            outer_rows: OuterRows::new(
                SparingInput::new(input, &*self.input),
                Arc::clone(&nesting),
                &nested_scope,
            ),
            streams: Vec::new(),
            num_open: 0,
            log: Log::new(self.turns, &scope.runtime.budget),
            turns: self.turns,
            stream_rows: self.stream_rows,
            most_rows: self.stream_rows.unwrap_or(0),
            num_closed: 0,
            runtime: Arc::clone(&scope.runtime),
            asked: RowsAsked::default(),
            runs_user_code: self.input.runs_user_code() || self.nesting.nested.runs_user_code(),
            debt: SkipDebt::default(),
            open_streams: scope.probe().hold("streams", 0),
            opening: Opening::within(scope.runtime.budget.reservable_bytes(), self.reserved),
            ahead: Depth::tuned(Limits {
                min: MIN_AHEAD,
                start: self.learned.depth_or(FIRST_AHEAD),
                max: MAX_AHEAD,
                max_bytes: scope.runtime.budget.limit_bytes() / AHEAD_PART_OF_BUDGET,
            }),
            learned: Arc::clone(&self.learned),
            is_ahead_full: false,
            num_blocks: 0,
            closed_bytes: 0,
        };
        if let Some(state) = state {
            interleave.restore(&state, &nested_scope, &self.input, first_row, &nesting)?;
        }
        Ok(Box::new(interleave))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        let in_stream = sought.in_stream().and_then(|sought| self.nesting.nested.origin(sought));
        in_stream.or_else(|| self.nesting.starts.origin(sought, &*self.input))
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        self.input.add_starts(starts);
        self.nesting.nested.add_starts(starts);
        starts.push_streams(&self.nesting.starts);
    }

    fn locator(&self) -> Option<Locator> {
        Some(Locator::of_streams(&self.input, &self.nesting.starts))
    }
}

struct Interleave {
    outer_rows: OuterRows,
    /// The places of the cycle, as far as they were reached.
    streams: Vec<Option<Stream>>,
    num_open: usize,
    /// Whose turn it is, and how it came to that.
    log: Log,
    turns: Turns,
    stream_rows: Option<u64>,
    /// The most rows that a stream had so far, of as many as have ended.
    most_rows: u64,
    num_closed: u64,
    runtime: Arc<Runtime>,
    asked: RowsAsked,
    /// Whether the elements or their streams are made by code of the user's: who runs ahead is told how far.
    runs_user_code: bool,
    debt: SkipDebt,
    /// Streams open, as others see it.
    open_streams: QueuePart,
    opening: Opening,
    /// Elements beyond those in the cycle whose streams are opened.
    ahead: Depth,
    learned: Arc<Learned>,
    /// Whether as many are as may be.
    is_ahead_full: bool,
    /// Blocks begun.
    num_blocks: u64,
    /// Bytes of what the streams were made of that ended in the block at hand: its rows may be views of it.
    closed_bytes: usize,
}

/// What a turn came to.
enum Turn {
    /// Rows, or at least something changed.
    Moved,
    /// There is nothing more.
    End,
}

impl Interleave {
    /// Goes on where `state` was saved. What reads the element of the stream at that place is there already, if `first_row` is.
    fn restore(
        &mut self,
        state: &InterleaveState,
        scope: &Scope,
        input: &Arc<dyn Template>,
        mut first_row: Option<(usize, FirstRow)>,
        nesting: &Arc<Nesting>,
    ) -> Result<(), ExecError> {
        for open in &state.streams {
            let is_free = self.streams.get(open.place).is_none_or(Option::is_none);
            if open.place >= self.turns.cycle_length || !is_free {
                return Err(ExecError::state(format!(
                    "interleave: the state has a stream at place {} of {}",
                    open.place, self.turns.cycle_length
                )));
            }
            if self.streams.len() <= open.place {
                self.streams.resize_with(open.place + 1, || None);
            }
            let elements: Box<dyn Operator> =
                if let Some((_, first_row)) = first_row.take_if(|(place, _)| *place == open.place) {
                    Box::new(first_row)
                } else {
                    let mut elements = input.start(scope, Some(&open.element))?;
                    // The one it was made of: nothing behind it is computed twice.
                    elements.bound(1);
                    elements
                };
            self.streams[open.place] = Some(Stream::restore(open, elements, nesting, scope));
            self.num_open += 1;
        }
        self.open_streams.set(self.num_open as u64);
        self.log.restore(state);
        Ok(())
    }

    /// One step of the turn at hand: a run of rows, or a place opened or closed.
    fn poll_turn(&mut self, cx: &mut Context<'_>, limit: usize, assembly: &mut Assembly) -> Poll<Turn> {
        let place = self.log.place();
        if self.streams.len() <= place {
            self.streams.resize_with(place + 1, || None);
        }
        let shares = self.shares(assembly.rows());
        let Some(stream) = &mut self.streams[place] else { return self.poll_open(cx, limit, assembly) };
        let is_new = stream.is_new();
        let left = self.turns.block_length - self.log.turn_elements();
        let wanted = limit.min(usize::try_from(left).unwrap_or(usize::MAX));
        // What the turn does not take is held until the next one.
        let is_room = self.runtime.budget.has_room(self.runtime.block_bytes as u64);
        stream.turn().begin();
        let polled = stream.poll_rows(cx, if is_room { limit } else { wanted }, shares.of(0));
        if is_new {
            self.note_new_stream(polled.is_ready());
        }
        let Some(stream) = &mut self.streams[place] else { unreachable!("looked at above") };
        match polled {
            Poll::Pending if self.turns.keeps_order() => Poll::Pending,
            Poll::Pending => self.poll_any(cx, limit, shares),
            Poll::Ready(false) => {
                self.close(place);
                Poll::Ready(Turn::Moved)
            }
            Poll::Ready(true) => {
                stream.take_rows(wanted, &mut self.log, assembly);
                if self.log.place() != place {
                    stream.turn().end();
                }
                Poll::Ready(Turn::Moved)
            }
        }
    }

    /// The stream whose turn it is has ended.
    fn close(&mut self, place: usize) {
        let closed = self.streams[place].take();
        self.most_rows = self.most_rows.max(closed.as_ref().map_or(0, Stream::next_row));
        self.closed_bytes += closed.map_or(0, |stream| stream.values_bytes());
        self.num_open -= 1;
        self.num_closed += 1;
        self.open_streams.set(self.num_open as u64);
        self.log.push(Event::Closed);
    }

    /// Pays what is to be skipped turn by turn, without asking streams for rows that they are certain to have.
    fn poll_skip(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(stream_rows) = self.stream_rows else { return Poll::Ready(()) };
        while self.debt.rows() > 0 {
            self.log.forget();
            let place = self.log.place();
            let Some(stream) = self.streams.get_mut(place).and_then(Option::as_mut) else {
                let mut errors = Assembly::new(1);
                if self.streams.len() <= place {
                    self.streams.resize_with(place + 1, || None);
                }
                match ready!(self.poll_open(cx, 1, &mut errors)) {
                    Turn::Moved => {
                        self.asked.pass(errors.rows());
                        self.debt.paid(errors.rows() as u64);
                    }
                    Turn::End => break,
                }
                continue;
            };
            let left = stream_rows.saturating_sub(stream.next_row());
            if left == 0 {
                self.close(place);
                continue;
            }
            let rows = left.min(self.turns.block_length - self.log.turn_elements()).min(self.debt.rows());
            stream.skip(rows);
            self.log.push(Event::Elements(rows));
            self.asked.pass(usize::try_from(rows).unwrap_or(usize::MAX));
            self.debt.paid(rows);
        }
        Poll::Ready(())
    }

    /// A stream that has not given anything yet is asked because it is its turn: whether it has something.
    fn note_new_stream(&mut self, is_ready: bool) {
        let now_ns = now_ns();
        if !is_ready {
            if self.is_ahead_full {
                self.ahead.parked();
            }
            self.ahead.waits(now_ns);
            return;
        }
        let is_half_ready = self.outer_rows.is_ready(self.ahead.get() / 2);
        self.ahead.taken(Taken { now_ns, rows: 1, bytes: self.runtime.block_bytes as u64, is_half_ready });
    }

    /// Gives the empty place at hand the next element's stream.
    fn poll_open(&mut self, cx: &mut Context<'_>, limit: usize, assembly: &mut Assembly) -> Poll<Turn> {
        let shares = self.shares(assembly.rows());
        let next = match self.outer_rows.poll_next(cx, self.elements_needed(shares)) {
            Poll::Pending if self.turns.keeps_order() || self.num_open == 0 => return Poll::Pending,
            Poll::Pending => return self.poll_any(cx, limit, shares),
            Poll::Ready(next) => next,
        };
        match next {
            None if self.num_open == 0 => return Poll::Ready(Turn::End),
            None => self.log.push(Event::Passed(1)),
            Some(row) => match row.stream.and_then(|stream| self.check_values(stream)) {
                Ok(stream) => {
                    self.log.push(Event::Opened(row.position));
                    let place = self.log.place();
                    self.streams[place] = Some(stream);
                    self.num_open += 1;
                    self.open_streams.set(self.num_open as u64);
                }
                Err(error) => {
                    self.log.push(Event::ElementError(row.position));
                    assembly.push_error(row.id, error);
                }
            },
        }
        Poll::Ready(Turn::Moved)
    }

    /// An error if what the open streams were started with is more than there is memory with what this one was: all of it is needed, for
    /// as long as they are read in turn.
    fn check_values(&self, stream: Stream) -> Result<Stream, RowError> {
        if stream.values_bytes() == 0 {
            return Ok(stream);
        }
        let open = self.streams.iter().flatten().map(Stream::values_bytes).sum::<usize>();
        let (bytes, limit_bytes) = ((open + stream.values_bytes()) as u64, self.runtime.budget.limit_bytes());
        if bytes <= limit_bytes {
            return Ok(stream);
        }
        let what = format!(
            "interleave: the elements that {} open datasets are made of have {bytes} bytes",
            self.num_open + 1
        );
        Err(over_budget(&what, limit_bytes).into_row_error())
    }

    /// The turn goes to any stream that has rows now: what `deterministic=false` asks for.
    fn poll_any(&mut self, cx: &mut Context<'_>, limit: usize, shares: Shares) -> Poll<Turn> {
        for (place, distance) in behind(self.log.place(), self.streams.len(), self.turns.cycle_length) {
            if let Some(stream) = &mut self.streams[place]
                && stream.poll_rows(cx, limit, shares.of(distance).max(1)).is_ready()
            {
                self.log.push(Event::MovedTo(place));
                return Poll::Ready(Turn::Moved);
            }
        }
        Poll::Pending
    }

    /// Whose the rows are that are asked for, without the first `passed` of them.
    fn shares(&self, passed: usize) -> Shares {
        let mut asked = if self.runs_user_code { self.asked } else { RowsAsked::default() };
        asked.pass(passed);
        Shares {
            asked: asked.rows(),
            num_places: self.turns.cycle_length,
            left_of_turn: self.turns.block_length - self.log.turn_elements(),
            turns: self.turns,
        }
    }

    /// How many elements will be opened for the rows that are asked for, at least: those whose places have a share, or, where streams are
    /// short, so many that together they have enough.
    fn elements_needed(&self, shares: Shares) -> u64 {
        if shares.asked == u64::MAX || self.outer_rows.has_ended() {
            return u64::MAX;
        }
        let with_share = free_places(&self.streams, self.log.place(), self.turns.cycle_length)
            .take(MAX_PLACES_COUNTED)
            .take_while(|&distance| shares.of(distance) > 0)
            .count() as u64;
        if self.most_rows == 0 {
            return with_share;
        }
        let together = shares.asked.div_ceil(self.most_rows).saturating_sub(self.num_open as u64);
        // The next may be longer than all before it: as in `RowsAsked::made_of_such`.
        let sure = if self.stream_rows.is_some() { u64::MAX } else { self.num_closed };
        with_share.max(together.min(sure))
    }

    /// Sets streams to work whose turn is yet to come, as far as the budget has room.
    fn ask_ahead(&mut self, cx: &mut Context<'_>, limit: usize) {
        if self.runtime.pool.is_none() {
            return;
        }
        let shares = self.shares(0);
        let elements_needed = self.elements_needed(shares);
        let keeps_order = self.turns.keeps_order();
        let mut may_ask = self.turns.num_parallel_calls.unwrap_or(usize::MAX).saturating_sub(1);
        let mut is_refused = false;
        let mut ask = |stream: &mut Stream, needed: u64, cx: &mut Context<'_>| {
            stream.turn().end();
            // Where any may have the next turn, each may be the one whose row is wanted.
            let needed = if keeps_order { needed } else { needed.max(1) };
            if needed == 0 && stream.runs_user_code() {
                return;
            }
            let Some(left) = may_ask.checked_sub(1) else { return };
            if !self.runtime.budget.has_room(self.runtime.block_bytes as u64) {
                is_refused = true;
                return;
            }
            may_ask = left;
            let _ = stream.poll_rows(cx, limit, needed);
        };
        let here = self.log.place();
        for (place, distance) in behind(here, self.streams.len(), self.turns.cycle_length) {
            if let Some(stream) = &mut self.streams[place] {
                ask(stream, shares.of(distance), cx);
            }
        }
        let free = self.turns.cycle_length.saturating_sub(self.num_open);
        let wanted = match self.opening {
            Opening::InTurn => 0,
            Opening::InCycle => free,
            Opening::Ahead => free.saturating_add(self.ahead.get()),
        };
        let most = self.turns.num_parallel_calls.unwrap_or(usize::MAX);
        let mut num_ahead = 0;
        let mut free = free_places(&self.streams, here, self.turns.cycle_length);
        for stream in self.outer_rows.open_ahead(cx, wanted.min(most), elements_needed) {
            // Behind the places there are, what those before leave, if all of them are as long as the longest.
            let behind = ((self.num_open + num_ahead) as u64).saturating_mul(self.most_rows);
            let left = shares.asked.saturating_sub(behind).min(self.most_rows);
            let is_needed = (num_ahead as u64) < elements_needed;
            num_ahead += 1;
            let needed = match free.next() {
                _ if shares.asked == u64::MAX => u64::MAX,
                Some(distance) => shares.of(distance),
                None if is_needed => left,
                None => 0,
            };
            ask(stream, needed, cx);
        }
        // Where it may not be more, nothing is to be learned.
        self.is_ahead_full = num_ahead == wanted && self.opening == Opening::Ahead;
        if is_refused {
            self.ahead.refused();
        }
    }
}

impl Operator for Interleave {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            ready!(self.poll_skip(cx));
            self.ask_ahead(cx, limit);
            self.num_blocks += 1;
            let mut assembly = Assembly::new(self.num_blocks);
            self.log.begin(self.outer_rows.position(), &self.streams);
            self.closed_bytes = 0;
            let block_bytes = self.runtime.block_bytes;
            while assembly.rows() < limit
                && assembly.byte_size() < block_bytes
                && ((self.closed_bytes < block_bytes && !self.log.is_long()) || assembly.rows() == 0)
            {
                // Streams without elements: what was before them is told by where they end.
                if assembly.rows() == 0 && self.log.is_long() {
                    self.log.begin(self.outer_rows.position(), &self.streams);
                }
                match self.poll_turn(cx, limit - assembly.rows(), &mut assembly) {
                    Poll::Ready(Turn::Moved) => {}
                    Poll::Pending if assembly.rows() == 0 => return Poll::Pending,
                    Poll::Ready(Turn::End) | Poll::Pending => break,
                }
            }
            if assembly.rows() == 0 {
                return Poll::Ready(None);
            }
            let block = assembly.finish(self.log.end());
            self.asked.pass(block.rows());
            if let Some(block) = self.debt.pay(block) {
                return Poll::Ready(Some(block));
            }
            // All of it was to be skipped, and so may be what follows, for long: others get a turn, also to say that nobody
            // wants it any more.
            if self.runtime.pool.is_some() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.asked.set(rows.saturating_add(self.debt.rows()));
        // The stream that goes on with its own element may be the first who asks.
        self.outer_rows.tell(self.elements_needed(self.shares(0)));
    }
}

/// The places reached so far but that at hand, in the order of their turns, and how many turns each is behind that.
fn behind(here: usize, num_reached: usize, cycle_length: usize) -> impl Iterator<Item = (usize, usize)> {
    (here + 1..num_reached)
        .chain(0..here.min(num_reached))
        .map(move |place| (place, (place + cycle_length - here) % cycle_length))
}

/// Free places looked at to tell how many elements are needed: before those have theirs, it is asked again.
const MAX_PLACES_COUNTED: usize = 256;

/// The places that no stream has, from place `here` on: how many turns they are behind it.
fn free_places(
    streams: &[Option<Stream>],
    here: usize,
    cycle_length: usize,
) -> impl Iterator<Item = usize> + use<'_> {
    (0..cycle_length)
        .filter(move |distance| streams.get((here + distance) % cycle_length).is_none_or(Option::is_none))
}

impl Drop for Interleave {
    fn drop(&mut self) {
        self.learned.set(self.ahead.settled());
    }
}
