//! Going on where a state was saved: the picks are made over with numbers instead of rows ([`replay`]), which tells which rows
//! are in the buffer; those are fetched, in the order of the input, and the others are skipped unevaluated.

use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position};

use super::anchors::Anchors;
use super::ring::replay;
use super::storage::Storage;
use super::{Epoch, ShuffleState, ShuffleTemplate};
use crate::error::ExecError;
use crate::operator::Gap;
use crate::seed::PhiloxWords;
use crate::state::EDITED;
use crate::template::{Scope, load_state};

/// Rows of the input to skip, and the slots for those that follow.
#[derive(Debug)]
pub(super) struct Run {
    skip: u64,
    slots: Vec<u32>,
}

impl ShuffleTemplate {
    /// The pass over the input that was at `at`.
    pub(super) fn restore(
        &self,
        scope: &Scope,
        at: &Position,
        words: PhiloxWords,
        storage: &mut Storage,
    ) -> Result<Epoch, ExecError> {
        let state: ShuffleState = load_state(at, "shuffle")?;
        state.check(self.buffer_size, self.num_elements)?;
        let held = replay(self.buffer_size, words.clone(), state.picks, state.received);
        // An element's row in the input: its number, plus the errors before it.
        let row_of = |element: u64| element + state.errors.before(element);
        let mut wanted: Vec<(u64, usize)> =
            held.iter().zip(0..).map(|(element, place)| (row_of(element), place)).collect();
        wanted.sort_unstable();
        let resume_row = state.received + state.errors.len() as u64;
        let first_row = wanted.first().map_or(resume_row, |&(row, _)| row);
        let anchor =
            state.anchors.iter().rev().find(|anchor| anchor.elements + anchor.errors <= first_row).cloned();

        let input = self.input.start(scope, anchor.as_ref().map(|anchor| &anchor.position))?;
        let mut epoch = self.epoch(scope, input, words.starting_at(state.picks));
        epoch.picks = state.picks;
        epoch.received = state.received;
        epoch.has_input_ended = state.has_input_ended;
        epoch.errors = state.errors;
        epoch.anchors = Anchors::new(self.buffer_size, &state.anchors);
        epoch.saved_anchors = state.anchors;
        // The slot of each place is decided now; the rows come when polled.
        let slots: Vec<u32> = held.iter().map(|_| storage.allocate()).collect();
        slots.iter().for_each(|&slot| epoch.ring.push(slot));
        let anchor_row = anchor.map_or(0, |anchor| anchor.elements + anchor.errors);
        let mut at_row = anchor_row;
        for (row, place) in wanted {
            match epoch.to_fetch.back_mut() {
                Some(run) if row == at_row => run.slots.push(slots[place]),
                _ => epoch.to_fetch.push_back(Run { skip: row - at_row, slots: vec![slots[place]] }),
            }
            at_row = row + 1;
        }
        epoch.last_skip = resume_row - at_row;
        epoch.rows_to_fetch = Some(resume_row - anchor_row);
        epoch.leave_out_the_others();
        Ok(epoch)
    }
}

impl ShuffleState {
    /// Refuses numbers that do not go together, of a buffer of that size over so many elements, where that is known.
    fn check(&self, buffer_size: usize, num_elements: Option<u64>) -> Result<(), ExecError> {
        let ShuffleState { picks, received, errors, anchors, .. } = self;
        let refused = |reason: String| {
            Err(ExecError::state(format!("shuffle: the saved state cannot be used: {reason}"))
                .with_hint(EDITED))
        };
        if num_elements.is_some_and(|count| *received > count) {
            return refused(format!(
                "{received} elements were received of {}",
                num_elements.unwrap_or_default()
            ));
        }
        if picks > received || received - picks > buffer_size as u64 {
            return refused(format!(
                "{picks} of {received} elements were picked, from a buffer of {buffer_size}"
            ));
        }
        if !errors.are_of(*received) {
            return refused("its errors are not in the order they came".to_owned());
        }
        let places: Vec<(u64, u64)> = anchors.iter().map(|anchor| (anchor.elements, anchor.errors)).collect();
        let is_within =
            |&(elements, num_errors): &(u64, u64)| elements <= *received && num_errors <= errors.len() as u64;
        if !places.is_sorted() || !places.iter().all(is_within) {
            return refused("its places in the input are not in their order".to_owned());
        }
        Ok(())
    }
}

impl Epoch {
    /// Tells the input which rows are not wanted, so that nothing is computed for them where it runs ahead.
    fn leave_out_the_others(&mut self) {
        let mut after = 0;
        let mut gaps: Vec<Gap> = Vec::with_capacity(self.to_fetch.len() + 1);
        for run in &self.to_fetch {
            gaps.push(Gap { after, rows: run.skip });
            after = run.slots.len() as u64;
        }
        gaps.push(Gap { after, rows: self.last_skip });
        if self.input.leave_out(&gaps) {
            self.to_fetch.iter_mut().for_each(|run| run.skip = 0);
            self.last_skip = 0;
        }
    }

    /// What is asked for is known now: the input needs to come so far behind what is fetched first.
    pub(super) fn tell_of_rows_to_fetch(&mut self) {
        if let Some(rows) = self.rows_to_fetch {
            let needed = self.needed();
            self.input.tell(needed.saturating_add(rows));
        }
    }

    /// Fetches the rows that were in the buffer when the state was saved.
    pub(super) fn poll_fetch(&mut self, cx: &mut Context<'_>, storage: &mut Storage) -> Poll<Option<Block>> {
        // From now on it was told, or nobody knew.
        self.rows_to_fetch = None;
        while let Some(run) = self.to_fetch.front_mut() {
            if let Err(error) = ready!(storage.poll_room(cx)) {
                return Poll::Ready(Some(self.broken(error)));
            }
            self.input.skip(std::mem::take(&mut run.skip));
            let block = match ready!(self.input.poll_as_told(cx, run.slots.len())) {
                Some(block) if block.errors().is_empty() => block,
                other => return Poll::Ready(Some(self.broken_fetch(other))),
            };
            let run = self.to_fetch.front_mut().expect("looked at above");
            let fetched: Vec<u32> = run.slots.drain(..block.rows()).collect();
            if run.slots.is_empty() {
                self.to_fetch.pop_front();
            }
            if let Err(error) = storage.admit(&block) {
                return Poll::Ready(Some(self.broken(error)));
            }
            storage.put(&block, &fetched);
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
}
