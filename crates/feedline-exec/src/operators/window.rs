//! Runs of elements, each as a dataset: `window`, and `collect`, which is one of all of them.
//!
//! Out comes, for each window, one row: the tensors that hold its elements ([`feedline_data::rows`]). An error comes out at once and is no
//! element of a window. Order is kept. Holds copies of the elements from the next window's first on, charged to the budget; more than all
//! of that is an error, and the end. Saves where the first element of the next window is, and how many errors have come out
//! behind it: restoring reads its elements again. Skipping has to look.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::ElementSpec;
use feedline_data::block::{Block, Column, Ids, Position, Row, Token};
use feedline_data::rows::{join_rows, no_rows};
use feedline_plan::Windows;
use serde::{Deserialize, Serialize};

use crate::budget::Growing;
use crate::error::ExecError;
use crate::fits::no_room;
use crate::operator::{Operator, SkipDebt};
use crate::origin::Passing;
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct WindowTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// `None`: all elements are one.
    pub(crate) windows: Option<Windows>,
    /// What each dataset has of an element: the places of its leaves, and their spec.
    pub(crate) datasets: Vec<(Range<usize>, ElementSpec)>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WindowState {
    /// The first element of the next window, or what is to be read next; `None`: the first of all.
    input: Option<Position>,
    /// Elements from there on that belong to no window.
    skipped: u64,
    /// Errors from there on that came out.
    errors_passed: u64,
    /// Whether the one that is all of them came.
    has_ended: bool,
}

impl Template for WindowTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state = match at {
            None => WindowState::default(),
            Some(at) => load_state(at, "window")?,
        };
        Ok(Box::new(Window {
            input: SparingInput::new(self.input.start(scope, state.input.as_ref())?, &*self.input),
            windows: self.windows,
            datasets: self.datasets.clone(),
            staged: None,
            elements: VecDeque::new(),
            held: scope.growing(),
            to_skip: state.skipped,
            errors_to_pass: state.errors_passed,
            num_errors: 0,
            has_ended: state.has_ended,
            first_id: scope.first_id(),
            behind: state.input.clone(),
            last: state,
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
        }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Windows))
    }
}

/// An element of a window to come.
struct Held {
    columns: Vec<Column>,
    id: u64,
    position: Position,
    bytes: u64,
    /// Errors met before it.
    errors_before: u64,
}

struct Window {
    input: SparingInput,
    windows: Option<Windows>,
    datasets: Vec<(Range<usize>, ElementSpec)>,
    /// Rows pulled and not yet looked at.
    staged: Option<Block>,
    /// From the first element of the next window on.
    elements: VecDeque<Held>,
    held: Growing,
    /// Elements to be left out before the next window.
    to_skip: u64,
    /// Errors that came out before the state was saved: not to come out again.
    errors_to_pass: u64,
    /// Errors met.
    num_errors: u64,
    has_ended: bool,
    /// Of a window without elements.
    first_id: u64,
    /// Where the rows looked at end.
    behind: Option<Position>,
    /// The state behind the last row that came out.
    last: WindowState,
    asked: RowsAsked,
    debt: SkipDebt,
}

impl Window {
    /// Looks at rows until one comes out; `None` if more has to be pulled.
    fn advance(&mut self) -> Option<Block> {
        loop {
            if let Some(windows) = self.windows
                && self.elements.len() >= reach(windows)
            {
                return Some(self.emit());
            }
            let block = self.staged.take()?;
            let position = block.position().clone();
            self.behind = Some(position.plus(1));
            if block.rows() > 1 {
                self.staged = Some(block.slice(1..block.rows()));
            }
            match block.row(0) {
                Row::Error(_) => {
                    self.num_errors += 1;
                    if self.errors_to_pass > 0 {
                        self.errors_to_pass -= 1;
                        continue;
                    }
                    return Some(self.at_next(block.slice(0..1)));
                }
                Row::Element(_) if self.to_skip > 0 => self.to_skip -= 1,
                Row::Element(element) => {
                    if let Some(error) = self.hold(&block, element) {
                        self.has_ended = true;
                        let id = block.ids().get(element);
                        let failed = Block::of_error(id, error.that_ends_stream().into_row_error(), position);
                        return Some(self.at_next(failed));
                    }
                }
            }
        }
    }

    /// Keeps an element; an error if there is no memory for it.
    fn hold(&mut self, block: &Block, element: usize) -> Option<ExecError> {
        let own = |column: &Column| column.slice(element..element + 1).to_owned_rows();
        let columns: Vec<Column> = block.columns().iter().map(own).collect();
        let bytes = columns.iter().map(|column| column.byte_size() as u64).sum();
        let all = self.held.bytes() + bytes;
        if let Err(refusal) = self.held.try_grow(bytes) {
            return Some(no_room("window", all, refusal));
        }
        let (id, position) = (block.ids().get(element), block.position().clone());
        self.elements.push_back(Held { columns, id, position, bytes, errors_before: self.num_errors });
        None
    }

    /// The next window, of what there is.
    fn emit(&mut self) -> Block {
        let (size, stride) = self.windows.map_or((usize::MAX, 1), |windows| (windows.size, windows.stride));
        let rows: Vec<&Held> = self.elements.iter().step_by(stride).take(size).collect();
        let id = rows.first().map_or(self.first_id, |first| first.id);
        let mut columns = Vec::new();
        for (leaves, spec) in &self.datasets {
            let whole = if rows.is_empty() {
                no_rows(spec)
            } else {
                let of_leaf = |leaf: usize| {
                    let parts: Vec<Column> = rows.iter().map(|row| row.columns[leaf].clone()).collect();
                    Column::concat(&parts)
                };
                leaves.clone().map(of_leaf).collect()
            };
            columns.extend(join_rows(spec, &whole));
        }
        let shift = self.windows.map_or(self.elements.len(), |windows| windows.shift);
        let dropped = shift.min(self.elements.len());
        let bytes = self.elements.drain(..dropped).map(|held| held.bytes).sum();
        self.held.shrink(bytes);
        self.to_skip = (shift - dropped) as u64;
        self.at_next(Block::new(columns, Ids::run(id, 1), Position::at(Token::new(|_| ()))))
    }

    /// A block of one row that comes out now.
    fn at_next(&mut self, block: Block) -> Block {
        let next = match self.elements.front() {
            Some(first) => WindowState {
                input: Some(first.position.clone()),
                skipped: 0,
                errors_passed: self.num_errors - first.errors_before,
                has_ended: self.has_ended,
            },
            None => WindowState {
                input: self.behind.clone(),
                skipped: self.to_skip,
                errors_passed: 0,
                has_ended: self.has_ended,
            },
        };
        let before = std::mem::replace(&mut self.last, next.clone());
        let state = move |rows: u64| if rows == 0 { before.clone() } else { next.clone() };
        block.at(Position::at(Token::new(state)))
    }

    /// How many rows of the input make `limit` windows, if none of them is an error.
    fn wanted(&self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        usize::try_from(self.needed(limit)).unwrap_or(usize::MAX).clamp(1, ROWS_AT_A_TIME)
    }

    /// The same, of as many windows as one likes.
    fn needed(&self, windows: u64) -> u64 {
        let Some(Windows { shift, .. }) = self.windows else { return u64::MAX };
        let first = self.windows.map_or(0, reach).saturating_sub(self.elements.len()) as u64;
        windows
            .saturating_sub(1)
            .saturating_mul(shift as u64)
            .saturating_add(first)
            .saturating_add(self.to_skip)
            .saturating_add(self.errors_to_pass)
    }

    /// What comes when the input has ended.
    fn finish(&mut self) -> Option<Block> {
        match self.windows {
            None => {
                self.has_ended = true;
                Some(self.emit())
            }
            Some(windows) => (!windows.drop_remainder && !self.elements.is_empty()).then(|| self.emit()),
        }
    }
}

/// Rows asked for at a time, at most.
const ROWS_AT_A_TIME: usize = 1024;

/// Elements from a window's first to its last.
fn reach(windows: Windows) -> usize {
    (windows.size - 1).saturating_mul(windows.stride).saturating_add(1)
}

impl Operator for Window {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while !self.has_ended {
            let next = match self.advance() {
                Some(block) => Some(block),
                None => match ready!(self.input.poll_block(
                    cx,
                    self.wanted(limit),
                    self.needed(self.asked.rows())
                )) {
                    Some(block) => {
                        self.staged = Some(block);
                        continue;
                    }
                    None => self.finish(),
                },
            };
            let Some(block) = next else { return Poll::Ready(None) };
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
