//! Elements of several datasets: of which one each, says another.
//!
//! Out comes, for each choice, the next row of the input of that number. An error among the choices passes, and a number that no input has
//! is one; an error of an input comes in the place of its element. When an input that is chosen has ended, that is the end, or the choice
//! is passed over, and the end is when all have; when none of those that are left is chosen any more, that is an error, and the end. Ids are salted by input. Holds at most one block of each input, charged to the budget; only the
//! input that is chosen needs memory, the others run ahead ([`crate::turn`]). Saves the position of each, and which have ended. Skipping
//! has to look.
//!
//! A block of the output has rows of one block of each input at most: so the place of an input behind any of them is known by how many of
//! its rows came.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row, Token};
use serde::{Deserialize, Serialize};

use super::concatenate::salt_of_input;
use super::interleave::assemble::{Assembly, PartKey};
use crate::budget::Charge;
use crate::error::ExecError;
use crate::keeping::held_bytes;
use crate::operator::{Operator, SkipDebt};
use crate::origin::{KnownStarts, Origin, Sought};
use crate::runtime::Runtime;
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template, load_state};
use crate::turn::Turn;

#[derive(Debug)]
pub(crate) struct ChooseTemplate {
    /// The choices, then what is chosen from.
    pub(crate) inputs: Vec<Arc<dyn Template>>,
    pub(crate) stop_on_empty_dataset: bool,
    /// How many steps like it lie one before the other up to this one.
    pub(crate) join: u32,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChooseState {
    /// Of each input where its next row is; `None`: at the beginning.
    inputs: Vec<Option<Position>>,
    /// Those that have ended.
    ended: Vec<usize>,
}

impl Template for ChooseTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state = match at {
            None => ChooseState { inputs: vec![None; self.inputs.len()], ended: Vec::new() },
            Some(at) => load_state(at, "choose_from_datasets")?,
        };
        if state.inputs.len() != self.inputs.len()
            || state.ended.iter().any(|&index| index >= self.inputs.len())
        {
            return Err(ExecError::state("choose_from_datasets: the state has another number of inputs"));
        }
        let mut sides = Vec::new();
        for (index, (input, at)) in self.inputs.iter().zip(&state.inputs).enumerate() {
            let scope = scope.of_input(self.inputs.len());
            sides.push(Side {
                input: SparingInput::new(input.start(&scope, at.as_ref())?, &**input),
                runtime: Arc::clone(&scope.runtime),
                turn: Arc::clone(&scope.turn),
                block: None,
                charge: None,
                taken: 0,
                part: PartKey::default(),
                behind: at.clone(),
                has_ended: state.ended.contains(&index),
            });
        }
        Ok(Box::new(Choose {
            choices: sides.remove(0),
            sides,
            join: self.join,
            stop_on_empty_dataset: self.stop_on_empty_dataset,
            num_blocks: 0,
            block_bytes: scope.runtime.block_bytes,
            has_ended: false,
            num_passed: 0,
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
        }))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        let mut inputs = self.inputs[1..].iter().enumerate();
        inputs.find_map(|(index, input)| {
            input.origin(sought.before_salt(salt_of_input(index, SALT, self.join))?)
        })
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        self.inputs[1..].iter().for_each(|input| input.add_starts(starts));
    }
}

/// An input.
struct Side {
    input: SparingInput,
    runtime: Arc<Runtime>,
    turn: Arc<Turn>,
    /// Rows pulled, of which `taken` have been used.
    block: Option<Block>,
    charge: Option<Charge>,
    taken: usize,
    part: PartKey,
    /// Where its next row is, as far as its rows came out.
    behind: Option<Position>,
    has_ended: bool,
}

impl Side {
    /// Pulls a block if there is none; whether there is a row. So many rows are `needed` at least.
    fn poll_row(&mut self, cx: &mut Context<'_>, limit: usize, needed: u64) -> Poll<bool> {
        if self.has_ended {
            return Poll::Ready(false);
        }
        if self.block.is_none() {
            // What is not chosen next is held until it is.
            let budget = &self.runtime.budget;
            let is_room = budget.has_room(self.runtime.block_bytes as u64);
            // Each time it is asked: who gives a block ends it.
            self.turn.begin();
            let next = ready!(self.input.poll_block(cx, if is_room { limit } else { 1 }, needed));
            self.turn.served();
            self.has_ended = next.is_none();
            self.charge = next.as_ref().map(|block| budget.charge(held_bytes(block)));
            (self.block, self.taken, self.part) = (next, 0, PartKey::default());
        }
        Poll::Ready(self.block.is_some())
    }

    /// One row was used; whether it was the last of its block.
    fn take_row(&mut self) -> bool {
        let block = self.block.as_ref().expect("a row was there");
        self.taken += 1;
        self.behind = Some(block.position().plus(self.taken as u64));
        let is_last = self.taken == block.rows();
        if is_last {
            (self.block, self.charge) = (None, None);
        }
        is_last
    }

    /// Where its next row is: in the block it has, if it has one.
    fn position(&self) -> Option<Position> {
        match &self.block {
            Some(block) => Some(block.position().plus(self.taken as u64)),
            None => self.behind.clone(),
        }
    }
}

/// What the ids of rows of its inputs are salted with.
const SALT: u64 = 0xc400_5b1e_d829_76f3;

struct Choose {
    choices: Side,
    sides: Vec<Side>,
    join: u32,
    stop_on_empty_dataset: bool,
    num_blocks: u64,
    block_bytes: usize,
    has_ended: bool,
    /// Choices passed over since the last row.
    num_passed: u64,
    asked: RowsAsked,
    debt: SkipDebt,
}

/// So many choices in a row, all of datasets that have ended, mean that the others are not chosen any more. (An input of a millionth of the weight is missed
/// with a chance of one in ten million.) Otherwise weights that come to be 0 for all that is left would have it look for ever.
const MAX_PASSED: u64 = 1 << 24;

/// What happened to make the rows of a block.
enum Event {
    /// A choice came out as a row: an error, its own or of what it chose from nothing.
    ChoiceRow,
    /// A row of this input came out.
    Row(usize),
    /// A choice was passed over: the input has no more.
    Passed,
    /// The input was found to have no more.
    Ended(usize),
    /// A block of this input was begun.
    Began(usize, Position),
}

impl Choose {
    /// Rows of this input among those asked for, as far as the choices are known.
    fn needed_of(&self, index: usize, asked: RowsAsked) -> u64 {
        let Some(block) = self.choices.block.as_ref().filter(|_| asked.rows() < u64::MAX) else {
            return u64::MAX;
        };
        let rows = usize::try_from(asked.rows()).unwrap_or(usize::MAX);
        let known =
            block.slice(self.choices.taken..block.rows().min(self.choices.taken.saturating_add(rows)));
        let choices = known.columns().first().map_or(&[][..], |column| column.as_slice::<i64>());
        choices.iter().filter(|&&choice| choice == index as i64).count() as u64
    }

    /// One choice; whether the block is to end behind it. `None`: there is nothing more.
    fn poll_choice(
        &mut self,
        cx: &mut Context<'_>,
        limit: usize,
        assembly: &mut Assembly,
        events: &mut Vec<Event>,
    ) -> Poll<Option<bool>> {
        let mut asked = self.asked;
        asked.pass(assembly.rows());
        let is_new = self.choices.block.is_none();
        if !ready!(self.choices.poll_row(cx, limit, asked.rows())) {
            return Poll::Ready(None);
        }
        let block = self.choices.block.as_ref().expect("there is a row");
        if is_new {
            events.push(Event::Began(0, block.position().clone()));
        }
        let (id, chosen) = match block.row(self.choices.taken) {
            Row::Error(error) => (error.id, Err(Arc::clone(&error.error))),
            Row::Element(element) => {
                let number = block.columns()[0].as_slice::<i64>()[element];
                let index = usize::try_from(number).ok().filter(|&index| index < self.sides.len());
                let chosen = index.ok_or_else(|| {
                    let message = format!(
                        "choose_from_datasets: {number} was chosen, there are datasets 0 to {}",
                        self.sides.len() - 1
                    );
                    ExecError::value(
                        message,
                        "`clip_by_value` or `%` keep the choices among the datasets there are",
                    )
                    .into_row_error()
                });
                (block.ids().get(element), chosen)
            }
        };
        let index = match chosen {
            Ok(index) => index,
            Err(error) => {
                assembly.push_error(id, error);
                events.push(Event::ChoiceRow);
                return Poll::Ready(Some(self.choices.take_row()));
            }
        };
        let is_new = self.sides[index].block.is_none();
        let is_told = is_new && self.sides[index].input.runs_user_code();
        let needed = if is_told { self.needed_of(index, asked) } else { u64::MAX };
        let side = &mut self.sides[index];
        if !ready!(side.poll_row(cx, limit, needed)) {
            return Poll::Ready(self.pass_over(id, index, assembly, events));
        }
        self.num_passed = 0;
        let block = side.block.as_ref().expect("there is a row");
        if is_new {
            events.push(Event::Began(index + 1, block.position().clone()));
        }
        let salt = salt_of_input(index, SALT, self.join);
        match block.row(side.taken) {
            Row::Error(error) => assembly.push_error(error.id.wrapping_add(salt), Arc::clone(&error.error)),
            Row::Element(element) => {
                let id = block.ids().get(element).wrapping_add(salt);
                assembly.push_elements(block, &mut side.part, element..element + 1, std::iter::once(id));
            }
        }
        events.push(Event::Row(index));
        let is_last = side.take_row();
        Poll::Ready(Some(self.choices.take_row() || is_last))
    }

    /// An input was chosen, by the row with this id, that has no more.
    fn pass_over(
        &mut self,
        id: u64,
        index: usize,
        assembly: &mut Assembly,
        events: &mut Vec<Event>,
    ) -> Option<bool> {
        if self.stop_on_empty_dataset {
            return None;
        }
        events.push(Event::Ended(index));
        if self.sides.iter().all(|side| side.has_ended) {
            return None;
        }
        self.num_passed += 1;
        if self.num_passed >= MAX_PASSED {
            assembly.push_error(id, self.never_chosen().that_ends_stream().into_row_error());
            events.extend((0..self.sides.len()).map(Event::Ended));
            events.push(Event::ChoiceRow);
            return None;
        }
        events.push(Event::Passed);
        Some(self.choices.take_row())
    }

    /// What is left does not come.
    fn never_chosen(&self) -> ExecError {
        let left = self.sides.iter().enumerate().filter(|(_, side)| !side.has_ended);
        let left: Vec<String> = left.map(|(index, _)| index.to_string()).collect();
        let message = format!(
            "choose_from_datasets: the last {MAX_PASSED} choices are all of datasets that have ended, none of those that have not ({})",
            left.join(", ")
        );
        ExecError::value(
            message,
            "are the weights (or choices) of what is left 0? Give it some, or stop with the first dataset that ends (`stop_on_empty_dataset`)",
        )
    }

    /// The state after so many rows of a block that began at `start`.
    fn position(start: ChooseState, events: Vec<Event>) -> Position {
        let moved = |place: &mut Option<Position>| *place = place.as_ref().map(|place| place.plus(1));
        Position::at(Token::new(move |rows| {
            let (mut state, mut left) = (start.clone(), rows);
            for event in &events {
                if left == 0 {
                    break;
                }
                match event {
                    Event::Began(input, position) => state.inputs[*input] = Some(position.clone()),
                    Event::Ended(index) if !state.ended.contains(&(index + 1)) => state.ended.push(index + 1),
                    Event::Ended(_) => {}
                    Event::Passed => moved(&mut state.inputs[0]),
                    Event::ChoiceRow => {
                        moved(&mut state.inputs[0]);
                        left -= 1;
                    }
                    Event::Row(index) => {
                        moved(&mut state.inputs[0]);
                        moved(&mut state.inputs[index + 1]);
                        left -= 1;
                    }
                }
            }
            state
        }))
    }
}

impl Operator for Choose {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while !self.has_ended {
            let ended = self.sides.iter().enumerate().filter(|(_, side)| side.has_ended);
            let start = ChooseState {
                inputs: std::iter::once(&self.choices).chain(&self.sides).map(Side::position).collect(),
                ended: ended.map(|(index, _)| index + 1).collect(),
            };
            self.num_blocks += 1;
            let mut assembly = Assembly::new(self.num_blocks);
            let mut events = Vec::new();
            while assembly.rows() < limit && assembly.byte_size() < self.block_bytes {
                match self.poll_choice(cx, limit, &mut assembly, &mut events) {
                    Poll::Pending if assembly.rows() == 0 => return Poll::Pending,
                    Poll::Pending | Poll::Ready(Some(true)) => break,
                    Poll::Ready(Some(false)) => {}
                    Poll::Ready(None) => {
                        self.has_ended = true;
                        break;
                    }
                }
            }
            if assembly.rows() == 0 {
                continue;
            }
            let block = assembly.finish(Choose::position(start, events));
            self.asked.pass(block.rows());
            if let Some(block) = self.debt.pay(block) {
                return Poll::Ready(Some(block));
            }
        }
        Poll::Ready(None)
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.asked.set(rows.saturating_add(self.debt.rows()));
    }
}
