//! Everything again and again.
//!
//! Out comes the input's stream, started anew each time it ends. Order is kept. Holds nothing. Saves which epoch it is and
//! the input's position. An input that is empty from its start ends an endless repeat: there is nothing to wait for.
//!
//! Where the epochs come from is behind [`Epochs`]: an input started for each, or a shuffle that begins to fill its buffer
//! with the next epoch's rows while this one's are handed out ([`ShuffledEpochs`]).

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::{Operator, SkipDebt};
use crate::operators::shuffle::{ShuffleTemplate, ShuffledEpochs};
use crate::origin::Passing;
use crate::sparing::RowsAsked;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct RepeatTemplate {
    pub(crate) epochs: EpochsTemplate,
    /// `None`: without end.
    pub(crate) count: Option<u64>,
    /// Rows of one epoch, errors counted, where that is certain: then skipping jumps over whole epochs.
    pub(crate) epoch_rows: Option<u64>,
}

/// Where the epochs come from.
#[derive(Debug)]
pub(crate) enum EpochsTemplate {
    /// The input, started for each.
    Plain(Arc<dyn Template>),
    /// A shuffle that fills ahead.
    Shuffled(Arc<ShuffleTemplate>),
}

impl EpochsTemplate {
    fn start(&self) -> Box<dyn Epochs> {
        match self {
            EpochsTemplate::Plain(input) => {
                Box::new(PlainEpochs { template: Arc::clone(input), input: None })
            }
            EpochsTemplate::Shuffled(shuffle) => Box::new(ShuffledEpochs::new(Arc::clone(shuffle))),
        }
    }
}

/// The epochs of a repeat, one after the other.
pub(crate) trait Epochs: Send {
    /// Begins the epoch of `scope`, or goes on with it at `at`.
    fn begin(&mut self, scope: &Scope, at: Option<&Position>) -> Result<(), ExecError>;

    /// The next rows of the epoch begun last; `None` is its end.
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>>;

    /// Drops rows of the epoch begun last.
    fn skip(&mut self, rows: u64);

    /// Of the epoch begun last no more than `rows` rows will be asked for.
    fn bound(&mut self, _rows: u64) {}

    /// Does what can be done now for the epoch of `scope`, which begins when this one ends. Called after each block.
    fn prepare_next(&mut self, _: &mut Context<'_>, _: &Scope) {}

    /// The epoch begun last is over, or given up.
    fn end(&mut self);

    /// There is no other: memory goes now, not when the iterator does.
    fn close(&mut self) {}
}

/// An input started for each epoch.
struct PlainEpochs {
    template: Arc<dyn Template>,
    input: Option<Box<dyn Operator>>,
}

impl Epochs for PlainEpochs {
    fn begin(&mut self, scope: &Scope, at: Option<&Position>) -> Result<(), ExecError> {
        self.input = Some(self.template.start(scope, at)?);
        Ok(())
    }

    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        self.input.as_mut().map_or(Poll::Ready(None), |input| input.poll_block(cx, limit))
    }

    fn skip(&mut self, rows: u64) {
        if let Some(input) = &mut self.input {
            input.skip(rows);
        }
    }

    fn bound(&mut self, rows: u64) {
        if let Some(input) = &mut self.input {
            input.bound(rows);
        }
    }

    fn end(&mut self) {
        self.input = None;
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepeatState {
    epoch: u64,
    input: Position,
}

impl Template for RepeatTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state: Option<RepeatState> = at.map(|at| load_state(at, "repeat")).transpose()?;
        let mut repeat = Repeat {
            epochs: self.epochs.start(),
            has_begun: false,
            scope: scope.clone(),
            count: self.count,
            epoch_rows: self.epoch_rows,
            epoch: state.as_ref().map_or(0, |state| state.epoch),
            passed: 0,
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
            has_yielded: false,
        };
        if let Some(state) = state {
            repeat.epochs.begin(&repeat.scope_of(repeat.epoch), Some(&state.input))?;
            repeat.has_begun = true;
            // How far into the epoch that is, is not known.
            repeat.epoch_rows = None;
            repeat.has_yielded = true;
        } else if !repeat.is_over() {
            // At once, as other steps start theirs: what cannot start is refused before anything runs.
            repeat.epochs.begin(&repeat.scope_of(0), None)?;
            repeat.has_begun = true;
        }
        Ok(Box::new(repeat))
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        matches!(&self.epochs, EpochsTemplate::Plain(input) if input.never_fails(scope))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        let input = match &self.epochs {
            EpochsTemplate::Plain(input) => input,
            EpochsTemplate::Shuffled(shuffle) => &shuffle.input,
        };
        Some((input, Passing::Some))
    }
}

struct Repeat {
    epochs: Box<dyn Epochs>,
    /// Whether this epoch has been begun: the first is at the start, others when their first row is asked for.
    has_begun: bool,
    scope: Scope,
    count: Option<u64>,
    epoch_rows: Option<u64>,
    epoch: u64,
    /// Rows of this epoch handed out or skipped.
    passed: u64,
    /// Rows of all epochs to come.
    asked: RowsAsked,
    debt: SkipDebt,
    /// Whether this epoch had a row.
    has_yielded: bool,
}

/// So many iterations are set aside for each time that a repeat without end is itself iterated: more than anybody comes to.
const ITERATIONS_OF_ENDLESS: u64 = 1 << 40;

impl Repeat {
    fn scope_of(&self, epoch: u64) -> Scope {
        // A repeat takes `count` iterations each time it is itself iterated, so the second time counts on behind the first: no order
        // comes twice, and, of a finite one, it is what tf.data's shared seed generator gives.
        let first = self.scope.iteration.wrapping_mul(self.count.unwrap_or(ITERATIONS_OF_ENDLESS));
        Scope { iteration: first.wrapping_add(epoch), ..self.scope.clone() }
    }

    fn is_over(&self) -> bool {
        self.count.is_some_and(|count| self.epoch >= count)
    }

    /// Tells the epoch that was begun what is asked for, behind the next `skipped` rows.
    fn tell_epoch(&mut self, skipped: u64) {
        if self.asked.rows() < u64::MAX {
            self.epochs.bound(self.asked.rows().saturating_add(skipped));
        }
    }

    fn next_epoch(&mut self) {
        self.epoch = self.epoch.saturating_add(1);
        self.epochs.end();
        self.has_begun = false;
        self.passed = 0;
        self.has_yielded = false;
    }
}

impl Operator for Repeat {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while !self.is_over() {
            if !self.has_begun {
                if let Err(error) = self.epochs.begin(&self.scope_of(self.epoch), None) {
                    // It could be started once; that it cannot now is this row's error, and the end.
                    self.count = Some(self.epoch);
                    let position = Position::at(Token::lost());
                    return Poll::Ready(Some(Block::of_error(
                        0,
                        error.that_ends_stream().into_row_error(),
                        position,
                    )));
                }
                self.has_begun = true;
                self.tell_epoch(self.debt.rows());
            }
            let Some(block) = ready!(self.epochs.poll_block(cx, limit)) else {
                if !self.has_yielded && self.count.is_none() {
                    self.count = Some(self.epoch);
                    break;
                }
                self.next_epoch();
                continue;
            };
            if self.count.is_none_or(|count| self.epoch.saturating_add(1) < count) {
                self.epochs.prepare_next(cx, &self.scope_of(self.epoch.saturating_add(1)));
            }
            self.has_yielded = true;
            self.passed += block.rows() as u64;
            let Some(block) = self.debt.pay(block) else { continue };
            self.asked.pass(block.rows());
            // A block that lost its first rows to a skip starts further on: its own position says so.
            let (epoch, start) = (self.epoch, block.position().clone());
            let state = move |rows| RepeatState { epoch, input: start.plus(rows) };
            return Poll::Ready(Some(block.at(Position::at(Token::new(state)))));
        }
        self.epochs.close();
        Poll::Ready(None)
    }

    fn skip(&mut self, mut rows: u64) {
        self.asked.pass(usize::try_from(rows).unwrap_or(usize::MAX));
        // Rows owed come first, and they can only be dropped by looking at them.
        let Some(epoch_rows) = self.epoch_rows.filter(|&epoch_rows| epoch_rows > 0 && self.debt.rows() == 0)
        else {
            self.debt.add(rows);
            return;
        };
        while rows > 0 && !self.is_over() {
            let left = epoch_rows - self.passed.min(epoch_rows);
            if rows < left {
                if !self.has_begun {
                    self.has_begun = self.epochs.begin(&self.scope_of(self.epoch), None).is_ok();
                    self.tell_epoch(rows);
                }
                if self.has_begun {
                    self.epochs.skip(rows);
                    self.passed += rows;
                    self.has_yielded = true;
                } else {
                    // It fails again when polled, where the error can be told.
                    self.debt.add(rows);
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

    fn bound(&mut self, rows: u64) {
        self.asked.set(rows);
        if self.has_begun {
            self.tell_epoch(self.debt.rows());
        }
    }
}
