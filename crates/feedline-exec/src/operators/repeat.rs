//! Everything again and again.
//!
//! Out comes the input's stream, started anew each time it ends. Order is kept. Holds nothing. Saves which epoch it is and
//! the input's position. An input that is empty from its start ends an endless repeat: there is nothing to wait for.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::{Operator, SkipDebt};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct RepeatTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// `None`: without end.
    pub(crate) count: Option<u64>,
    /// Rows of one epoch, where the plan knows: then skipping jumps over whole epochs.
    pub(crate) epoch_rows: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepeatState {
    epoch: u64,
    input: Position,
}

impl Template for RepeatTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state: Option<RepeatState> = at.map(|at| load_state(&at.token, "repeat")).transpose()?;
        let mut repeat = Repeat {
            template: Arc::clone(&self.input),
            scope: scope.clone(),
            count: self.count,
            epoch_rows: self.epoch_rows,
            epoch: state.as_ref().map_or(0, |state| state.epoch),
            input: None,
            passed: 0,
            debt: SkipDebt::default(),
            has_yielded: false,
        };
        if let (Some(state), Some(at)) = (state, at) {
            // Blocks are the input's, so rows of one are rows of the other.
            repeat.input =
                Some(self.input.start(&repeat.scope_of_epoch(), Some(&state.input.plus(at.rows)))?);
            // How far into the epoch that is, is not known.
            repeat.epoch_rows = None;
            repeat.has_yielded = true;
        }
        Ok(Box::new(repeat))
    }
}

struct Repeat {
    template: Arc<dyn Template>,
    scope: Scope,
    count: Option<u64>,
    epoch_rows: Option<u64>,
    epoch: u64,
    /// This epoch's; `None` before its first row is asked for.
    input: Option<Box<dyn Operator>>,
    /// Rows of this epoch handed out or skipped.
    passed: u64,
    debt: SkipDebt,
    /// Whether this epoch had a row.
    has_yielded: bool,
}

impl Repeat {
    fn scope_of_epoch(&self) -> Scope {
        // A finite repeat takes `count` iterations each time it is itself iterated, so the second time counts on behind
        // the first: no order comes twice, and it is what tf.data's shared seed generator gives.
        let first = self.count.map_or(self.scope.iteration, |count| self.scope.iteration.wrapping_mul(count));
        Scope { iteration: first.wrapping_add(self.epoch), ..self.scope.clone() }
    }

    fn is_over(&self) -> bool {
        self.count.is_some_and(|count| self.epoch >= count)
    }

    fn next_epoch(&mut self) {
        self.epoch += 1;
        self.input = None;
        self.passed = 0;
        self.has_yielded = false;
    }
}

impl Operator for Repeat {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while !self.is_over() {
            if self.input.is_none() {
                match self.template.start(&self.scope_of_epoch(), None) {
                    Ok(input) => self.input = Some(input),
                    Err(error) => {
                        // It could be started once; that it cannot now is this row's error, and the end.
                        self.count = Some(self.epoch);
                        let position = Position::at(Token::new(self.epoch));
                        return Poll::Ready(Some(Block::of_error(0, error.into_row_error(), position)));
                    }
                }
            }
            let input = self.input.as_mut().expect("started above");
            let Some(block) = ready!(input.poll_block(cx, limit)) else {
                if !self.has_yielded && self.count.is_none() {
                    self.count = Some(self.epoch);
                    break;
                }
                self.next_epoch();
                continue;
            };
            self.has_yielded = true;
            self.passed += block.rows() as u64;
            let Some(block) = self.debt.pay(block) else { continue };
            // A block that lost its first rows to a skip starts further on: its own position says so.
            let state = RepeatState { epoch: self.epoch, input: block.position().clone() };
            return Poll::Ready(Some(block.at(Position::at(Token::new(state)))));
        }
        Poll::Ready(None)
    }

    fn skip(&mut self, mut rows: u64) {
        // Rows owed come first, and they can only be dropped by looking at them.
        let Some(epoch_rows) = self.epoch_rows.filter(|&epoch_rows| epoch_rows > 0 && self.debt.rows() == 0)
        else {
            self.debt.add(rows);
            return;
        };
        while rows > 0 && !self.is_over() {
            let left = epoch_rows - self.passed.min(epoch_rows);
            if rows < left {
                if self.input.is_none() {
                    self.input = self.template.start(&self.scope_of_epoch(), None).ok();
                }
                match &mut self.input {
                    Some(input) => {
                        input.skip(rows);
                        self.passed += rows;
                        self.has_yielded = true;
                    }
                    // It fails again when polled, where the error can be told.
                    None => self.debt.add(rows),
                }
                return;
            }
            rows -= left;
            self.next_epoch();
            // Whole epochs at once: a skip of a million epochs is no loop of a million turns.
            let whole = rows / epoch_rows;
            self.epoch = self.epoch.saturating_add(whole);
            rows -= whole * epoch_rows;
        }
    }
}
