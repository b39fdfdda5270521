//! Whose turn it is, and what happened since the last block, so that the state after any of its rows can be told.

use std::sync::Arc;

use feedline_data::block::{Position, Token};
use feedline_plan::Turns;
use serde::{Deserialize, Serialize};

use super::stream::Stream;
use crate::budget::Budget;

/// What is saved of an interleave.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InterleaveState {
    /// Where the next element is to be read; `None`: none was.
    pub(super) input: Option<Position>,
    /// Whose turn it is.
    pub(super) place: usize,
    /// Elements the turn has had.
    pub(super) turn_elements: u64,
    /// The place whose stream's element is the last before `input`; `None` if that one has ended, or was an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newest: Option<usize>,
    /// The open streams.
    pub(super) streams: Vec<StreamState>,
}

/// What is saved of a stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamState {
    pub(super) place: usize,
    /// The element it was made of.
    pub(super) element: Position,
    /// Its own position; `None`: nothing was read.
    pub(super) nested: Option<Position>,
    /// The number of its next row.
    pub(super) next_row: u64,
    /// Rows to be skipped behind that position.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) skipped: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Streams opened in a block. Of one row each they take 200 KB, and for every step of that kind before this one as much again. (80 such steps one
/// behind the other took 760 MB where a block had as many rows as fit.)
const MAX_OPENED: usize = 512;

/// And anything else that happened in it: streams that have nothing are none of these, but take their turns.
const MAX_EVENTS: usize = 16 << 10;

/// A place that is no larger is not worth counting: a few are kept, one for each step.
const SMALL_BYTES: usize = 16 << 10;

/// Something that happened at the place whose turn it is.
#[derive(Debug)]
pub(super) enum Event {
    /// The stream there began a block at this position of its own.
    Block(Position),
    /// So many elements were taken of the block.
    Elements(u64),
    /// So many errors were taken of the block.
    Errors(u64),
    /// The stream of the element at this position was opened there.
    Opened(Position),
    /// The next element, at this position, was an error, and was handed out.
    ElementError(Position),
    /// The stream ended; the turn is over.
    Closed,
    /// There is nothing to open; the turn is over. So many times, one behind the other.
    Passed(u64),
    /// The turn goes to another place before it is over.
    MovedTo(usize),
    /// So many turns, one behind the other, each had all of its elements and nothing else: how most of them are.
    Turns(u64),
}

impl InterleaveState {
    /// The stream whose element is the last before `input`, if it is open.
    pub(super) fn newest_stream(&self, turns: Turns) -> Option<&StreamState> {
        // With one place nothing is read before its stream has ended: so it is in states, too, from before this was saved.
        let place = if turns.cycle_length == 1 { Some(0) } else { self.newest };
        self.streams.iter().find(|stream| Some(stream.place) == place)
    }

    /// Goes through an event, or the first `limit` rows of it; how many rows it had.
    fn apply(&mut self, event: &Event, limit: u64, turns: Turns) -> u64 {
        if let Event::Turns(count) = event {
            let rows = count.saturating_mul(turns.block_length).min(limit);
            let mut left = rows;
            while left > 0 {
                left -= self.apply(&Event::Elements(turns.block_length), left, turns);
            }
            return rows;
        }
        let place = self.place;
        let rows = match event {
            Event::Elements(rows) | Event::Errors(rows) => (*rows).min(limit),
            Event::ElementError(_) => 1,
            _ => 0,
        };
        match event {
            Event::Block(position) => {
                let stream = self.stream();
                (stream.nested, stream.skipped) = (Some(position.clone()), 0);
            }
            Event::Elements(_) | Event::Errors(_) => {
                let stream = self.stream();
                stream.nested = stream.nested.as_ref().map(|position| position.plus(rows));
                stream.next_row += rows;
                if matches!(event, Event::Elements(_)) {
                    self.turn_elements += rows;
                }
            }
            Event::Opened(element) => {
                self.input = Some(element.plus(1));
                let element = element.clone();
                let before = self.streams.partition_point(|stream| stream.place < place);
                self.streams
                    .insert(before, StreamState { place, element, nested: None, next_row: 0, skipped: 0 });
            }
            Event::ElementError(element) => self.input = Some(element.plus(1)),
            Event::Closed => self.streams.retain(|stream| stream.place != place),
            Event::Passed(_) | Event::MovedTo(_) | Event::Turns(_) => {}
        }
        self.newest = newest_after(event, place, self.newest);
        (self.place, self.turn_elements) = turn_after(turns, event, place, self.turn_elements);
        rows
    }

    fn stream(&mut self) -> &mut StreamState {
        let place = self.place;
        let found = self.streams.iter_mut().find(|stream| stream.place == place);
        found.expect("rows come from open streams")
    }
}

/// Whose turn it is after `event`, and how many elements it has had.
fn turn_after(turns: Turns, event: &Event, place: usize, turn_elements: u64) -> (usize, u64) {
    let next_place = (place + 1) % turns.cycle_length;
    match event {
        Event::MovedTo(place) => (*place, 0),
        Event::Closed => (next_place, 0),
        Event::Passed(count) => {
            ((place + (count % turns.cycle_length as u64) as usize) % turns.cycle_length, 0)
        }
        Event::Elements(_) if turn_elements >= turns.block_length => (next_place, 0),
        _ => (place, turn_elements),
    }
}

/// The place whose stream's element is the last that was read, after `event` at `place`.
fn newest_after(event: &Event, place: usize, newest: Option<usize>) -> Option<usize> {
    match event {
        Event::Opened(_) => Some(place),
        Event::ElementError(_) => None,
        Event::Closed => newest.filter(|&newest| newest != place),
        _ => newest,
    }
}

/// Whose turn it is, and what happened since the block at hand was begun.
pub(super) struct Log {
    place: usize,
    turn_elements: u64,
    /// The place whose stream's element is the last that was read.
    newest: Option<usize>,
    turns: Turns,
    /// The state when the block was begun.
    start: InterleaveState,
    events: Vec<Event>,
    /// Streams opened since.
    num_opened: usize,
    budget: Arc<Budget>,
}

impl Log {
    pub(super) fn new(turns: Turns, budget: &Arc<Budget>) -> Log {
        let start =
            InterleaveState { input: None, place: 0, turn_elements: 0, newest: None, streams: Vec::new() };
        let budget = Arc::clone(budget);
        Log {
            place: 0,
            turn_elements: 0,
            newest: None,
            turns,
            start,
            events: Vec::new(),
            num_opened: 0,
            budget,
        }
    }

    /// Goes on where `state` was saved.
    pub(super) fn restore(&mut self, state: &InterleaveState) {
        self.place = state.place % self.turns.cycle_length;
        self.turn_elements = state.turn_elements.min(self.turns.block_length - 1);
        self.newest = state.newest_stream(self.turns).map(|stream| stream.place);
        self.start.input.clone_from(&state.input);
    }

    /// Whose turn it is.
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// Elements the turn has had.
    pub(super) fn turn_elements(&self) -> u64 {
        self.turn_elements
    }

    /// A new block begins: `input` is where the next element is to be read.
    pub(super) fn begin(&mut self, input: Option<&Position>, streams: &[Option<Stream>]) {
        self.forget();
        if input.is_some() {
            self.start.input = input.cloned();
        }
        (self.start.place, self.start.turn_elements) = (self.place, self.turn_elements);
        self.start.newest = self.newest;
        self.start.streams.clear();
        for (place, stream) in streams.iter().enumerate() {
            self.start.streams.extend(stream.as_ref().map(|stream| stream.state(place)));
        }
    }

    /// Whether so much happened, above all so many streams were opened, that the block should end: as long as anybody has a place in the block, the place of each of their
    /// elements is kept, with all that the steps before it keep for that.
    pub(super) fn is_long(&self) -> bool {
        self.num_opened >= MAX_OPENED || self.events.len() >= MAX_EVENTS
    }

    /// Notes what happened at the place whose turn it is.
    pub(super) fn push(&mut self, event: Event) {
        if let Event::Elements(rows) = event {
            self.turn_elements += rows;
        }
        let is_whole_turn = matches!(event, Event::Elements(rows) if rows == self.turns.block_length);
        self.newest = newest_after(&event, self.place, self.newest);
        (self.place, self.turn_elements) = turn_after(self.turns, &event, self.place, self.turn_elements);
        self.num_opened += usize::from(matches!(event, Event::Opened(_)));
        let event = if is_whole_turn { Event::Turns(1) } else { event };
        match (self.events.last_mut(), &event) {
            (Some(Event::Turns(count)), Event::Turns(more))
            | (Some(Event::Passed(count)), Event::Passed(more)) => {
                *count += more;
            }
            _ => self.events.push(event),
        }
    }

    /// Forgets what happened: it was skipped, and no state of it will be asked for.
    pub(super) fn forget(&mut self) {
        self.events.clear();
        self.num_opened = 0;
    }

    /// The position of the block that was begun: the state after so many rows of it. It may be larger than the rows (of many streams, a row each); then it
    /// is charged as long as anybody has it.
    pub(super) fn end(&mut self) -> Position {
        let (start, events) = (self.start.clone(), self.events.drain(..).collect::<Box<[Event]>>());
        let held_bytes = size_of_val(&*events) + start.streams.len() * size_of::<StreamState>();
        let charge = (held_bytes > SMALL_BYTES).then(|| self.budget.charge(held_bytes as u64));
        let turns = self.turns;
        Position::at(Token::new(move |rows| {
            let _ = &charge;
            let (mut state, mut left) = (start.clone(), rows);
            for event in &events {
                if left == 0 {
                    break;
                }
                left -= state.apply(event, left, turns);
            }
            state
        }))
    }
}
