//! The slices of each element as elements.
//!
//! Out come, for each element, its slices along the first dimension ([`super::slices`]); errors pass. Order is kept. Where all elements have
//! the same number of slices they are the same memory, not copied. Holds what is left of one block, charged to the budget. Ids are the parent's
//! mixed with the slice's number. Saves the parent's position and the slice's number. Skipping has to look: how many
//! slices an element has is not known before.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::ElementSpec;
use feedline_data::block::{Block, Column, ErrorRow, Ids, Position, Row, RowError, Tensor, Token, mix};
use serde::{Deserialize, Serialize};

use super::slices::{num_slices, slices_of};
use crate::budget::Charge;
use crate::error::ExecError;
use crate::keeping::Keeper;
use crate::operator::{Operator, SkipDebt, cut};
use crate::origin::{KnownStarts, Locator, Origin, Passing, Sought, StreamStarts};
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct UnbatchTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// Of what is taken apart.
    pub(crate) spec: ElementSpec,
    /// What was.
    pub(crate) starts: StreamStarts,
}

impl UnbatchTemplate {
    pub(crate) fn new(input: Arc<dyn Template>, spec: ElementSpec) -> UnbatchTemplate {
        UnbatchTemplate { input, spec, starts: StreamStarts::of_slices() }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnbatchState {
    /// The element being taken apart.
    input: Position,
    /// Its slices already handed out.
    slices: u64,
}

impl Template for UnbatchTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let mut debt = SkipDebt::default();
        let input = match at {
            None => self.input.start(scope, None)?,
            Some(at) => {
                let state: UnbatchState = load_state(at, "unbatch")?;
                debt.add(state.slices);
                self.input.start(scope, Some(&state.input))?
            }
        };
        let input = SparingInput::new(input, &*self.input);
        let (spec, starts, scope) = (self.spec.clone(), self.starts.clone(), scope.clone());
        let (rest, asked) = (None, RowsAsked::default());
        let mut first_sizes = spec.leaves().into_iter().map(|leaf| leaf.shape.dims()?.first().copied()?);
        let first = first_sizes.next().flatten();
        let num_slices = first.filter(|_| first_sizes.all(|size| size == first)).map(|slices| slices as u64);
        Ok(Box::new(Unbatch {
            input,
            spec,
            starts,
            scope,
            rest,
            num_slices,
            num_elements: 0,
            most_slices: 0,
            asked,
            debt,
        }))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        // In a stream its rows are numbered anew: which they were before is not known.
        let in_stream = || self.input.origin(sought.before(Passing::Some));
        self.starts.origin(sought, &*self.input).or_else(|| sought.is_of_stream().then(in_stream)?)
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        self.input.add_starts(starts);
        starts.push_streams(&self.starts);
    }

    fn locator(&self) -> Option<Locator> {
        Some(Locator::new(&self.input, None))
    }
}

struct Unbatch {
    input: SparingInput,
    spec: ElementSpec,
    starts: StreamStarts,
    scope: Scope,
    /// What is left of a block, and what it is charged as: all the memory it keeps, until the last of it is handed on.
    rest: Option<(Block, Charge)>,
    /// Slices of each element, if the spec says.
    num_slices: Option<u64>,
    /// Elements so far, and the most slices that one had.
    num_elements: u64,
    most_slices: usize,
    asked: RowsAsked,
    debt: SkipDebt,
}

/// All rows of `block` taken apart, and the most slices that one of them had.
fn take_apart(spec: &ElementSpec, block: &Block) -> (Block, usize) {
    let failed: Vec<(usize, RowError)> = (0..block.num_elements())
        .filter_map(|element| {
            let reason = num_slices(spec, block.columns(), element).err()?;
            let hint = "all tensors of an element need the same first size: map to those that have, or filter others";
            let tensors = block.columns().iter().map(|column| Tensor::of_row(column, element)).collect();
            let error = ExecError::value(format!("unbatch: {reason}"), hint);
            Some((element, error.with_element(tensors, &spec.leaf_paths().into()).into_row_error()))
        })
        .collect();
    let block = block.clone().fail(&failed);
    let slices: Vec<usize> = (0..block.num_elements())
        .map(|element| num_slices(spec, block.columns(), element).unwrap_or(0))
        .collect();

    let total: usize = slices.iter().sum();
    let columns: Vec<Column> = if total == 0 { Vec::new() } else { slices_of(spec, block.columns(), total) };
    let ids = block
        .ids()
        .iter()
        .zip(&slices)
        .flat_map(|(id, &slices)| (0..slices as u64).map(move |slice| mix(id, slice)));
    let ids = Ids::list(ids.collect());

    // Where each input row begins among the rows that come out.
    let mut errors = Vec::new();
    let mut ends = Vec::with_capacity(block.rows());
    let mut end = 0;
    for row in 0..block.rows() {
        match block.row(row) {
            Row::Element(element) => end += slices[element],
            Row::Error(error) => {
                errors.push(ErrorRow { row: end, ..error.clone() });
                end += 1;
            }
        }
        ends.push(end as u64);
    }
    let start = block.position().clone();
    let state = move |passed: u64| {
        // The first input row that is not used up; behind the last, the place behind it.
        let parent = ends.partition_point(|&end| end <= passed);
        let begins = parent.checked_sub(1).map_or(0, |before| ends[before]);
        UnbatchState { input: start.plus(parent as u64), slices: passed - begins }
    };
    let most = slices.iter().copied().max().unwrap_or(0);
    (Block::with_errors(columns, ids, errors, Position::at(Token::new(state))), most)
}

impl Operator for Unbatch {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if let Some((block, charge)) = self.rest.take() {
                let mut behind = None;
                let first = cut(block, limit, &mut behind);
                self.rest = behind.map(|behind| (behind, charge));
                return Poll::Ready(Some(first));
            }
            let needed = match self.num_slices {
                Some(slices) => self.asked.made_of(slices),
                None => self.asked.made_of_such(self.most_slices as u64, self.num_elements),
            };
            let Some(block) = ready!(self.input.poll_block(cx, limit, needed)) else {
                return Poll::Ready(None);
            };
            self.starts.add_taken_apart(&self.scope, block.ids());
            let num_elements = block.num_elements();
            let (block, most_slices) = take_apart(&self.spec, &block);
            self.most_slices = self.most_slices.max(most_slices);
            self.num_elements += num_elements as u64;
            self.asked.pass(block.rows());
            let rest = if block.rows() == 0 { None } else { self.debt.pay(block) };
            self.rest = rest.map(|block| {
                let budget = &self.scope.runtime.budget;
                let (block, bytes) = Keeper::new(budget).keep(block);
                (block, budget.charge(bytes))
            });
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
        self.rest = self.rest.take().and_then(|(block, charge)| Some((self.debt.pay(block)?, charge)));
    }

    fn bound(&mut self, rows: u64) {
        let here = self.rest.as_ref().map_or(0, |(block, _)| block.rows()) as u64;
        self.asked.set(rows.saturating_add(self.debt.rows()).saturating_sub(here));
    }
}
