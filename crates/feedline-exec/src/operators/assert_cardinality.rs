//! The elements, if there are as many as the user says.
//!
//! Out come the rows of the input, errors counted as rows: an error takes the place of an element. One too many, or the end too early,
//! is an error, and then the end. Order is kept, nothing held. Saves how many came. Skipping has to look: whether
//! there are so many is told either way.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::{Operator, SkipDebt};
use crate::origin::Passing;
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct AssertCardinalityTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// `None`: no end.
    pub(crate) expected: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AssertState {
    /// Rows that came.
    rows: u64,
    /// Whether the error came.
    has_failed: bool,
    input: Option<Position>,
}

impl Template for AssertCardinalityTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let state = match at {
            None => AssertState { rows: 0, has_failed: false, input: None },
            Some(at) => load_state(at, "assert_cardinality")?,
        };
        Ok(Box::new(AssertCardinality {
            input: self.input.start(scope, state.input.as_ref())?,
            expected: self.expected,
            rows: state.rows,
            has_more: false,
            debt: SkipDebt::default(),
            has_failed: state.has_failed,
            behind: state.input,
        }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Each))
    }
}

struct AssertCardinality {
    input: Box<dyn Operator>,
    expected: Option<u64>,
    rows: u64,
    /// Whether there were more in the block that the last rows came in.
    has_more: bool,
    has_failed: bool,
    behind: Option<Position>,
    debt: SkipDebt,
}

impl AssertCardinality {
    fn failure(&mut self, found: &str) -> Block {
        self.has_failed = true;
        let expected = self.expected.map_or_else(|| "no end".to_owned(), |count| format!("{count} elements"));
        let error = ExecError::value(
            format!("assert_cardinality: the dataset was expected to have {expected}, and has {found}"),
            "say how many there are, or look at what comes before: files that are missing, filters, errors left out",
        );
        let (rows, input) = (self.rows, self.behind.clone());
        let state = move |passed: u64| AssertState { rows, has_failed: passed > 0, input: input.clone() };
        Block::of_error(0, error.into_row_error(), Position::at(Token::new(state)))
    }

    fn poll_rows(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        if self.has_failed {
            return Poll::Ready(None);
        }
        let left = self.expected.map_or(u64::MAX, |expected| expected.saturating_sub(self.rows));
        let next = if self.has_more { None } else { Some(ready!(self.input.poll_block(cx, limit))) };
        let block = match next {
            Some(None) if self.expected == Some(self.rows) => return Poll::Ready(None),
            Some(None) => {
                let found = format!("only {}", self.rows);
                return Poll::Ready(Some(self.failure(&found)));
            }
            Some(Some(block)) if left > 0 => block,
            None | Some(Some(_)) => {
                let found = format!("at least {}", self.rows + 1);
                return Poll::Ready(Some(self.failure(&found)));
            }
        };
        let rows = (block.rows() as u64).min(left) as usize;
        self.has_more = rows < block.rows();
        let block = block.slice(0..rows);
        let (start, before) = (block.position().clone(), self.rows);
        self.rows += rows as u64;
        self.behind = Some(start.plus(rows as u64));
        let state = move |passed: u64| AssertState {
            rows: before + passed,
            has_failed: false,
            input: Some(start.plus(passed)),
        };
        Poll::Ready(Some(block.at(Position::at(Token::new(state)))))
    }
}

impl Operator for AssertCardinality {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while let Some(block) = ready!(self.poll_rows(cx, limit)) {
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
        self.input.bound(rows.saturating_add(self.debt.rows()));
    }
}
