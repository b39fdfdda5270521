//! Counts.
//!
//! Out comes one int64 after the other. Holds nothing. Saves the ordinal of the next row. Skipping is an addition.

use std::task::{Context, Poll};

use feedline_data::block::{Block, Column, Ids, Position, Token};
use serde::{Deserialize, Serialize};

use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::{KnownStarts, NumberedStarts, Origin, Sought};
use crate::template::{Scope, Template, load_state};

#[derive(Debug)]
pub(crate) struct RangeTemplate {
    pub(crate) start: i64,
    pub(crate) step: i64,
    /// How many there are; `None`: no end of them.
    pub(crate) count: Option<u64>,
    pub(crate) starts: NumberedStarts,
}

impl Template for RangeTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let next = next_ordinal(at, "range")?;
        self.starts.add(scope);
        Ok(Box::new(Range {
            start: self.start,
            step: self.step,
            count: self.count,
            next,
            first_id: scope.first_id(),
            block_rows: scope.runtime.block_rows(size_of::<i64>()),
        }))
    }

    fn never_fails(&self, _: &Scope) -> bool {
        true
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        self.starts.origin(sought, self.count.unwrap_or(u64::MAX))
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        starts.push_numbered(&self.starts);
    }
}

/// The state of a source whose rows are numbered: which comes next.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ordinal {
    next: u64,
}

impl Ordinal {
    /// The place before row number `next`.
    pub(super) fn position(next: u64) -> Position {
        Position::at(Token::new(move |rows| Ordinal { next: next.wrapping_add(rows) }))
    }
}

/// The row number saved in `at`.
pub(super) fn next_ordinal(at: Option<&Position>, operator: &str) -> Result<u64, ExecError> {
    let Some(at) = at else { return Ok(0) };
    Ok(load_state::<Ordinal>(at, operator)?.next)
}

struct Range {
    start: i64,
    step: i64,
    count: Option<u64>,
    next: u64,
    first_id: u64,
    block_rows: usize,
}

impl Operator for Range {
    fn poll_block(&mut self, _: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let left = self.count.map_or(u64::MAX, |count| count.saturating_sub(self.next));
        let rows = left.min(limit.min(self.block_rows) as u64) as usize;
        if rows == 0 {
            return Poll::Ready(None);
        }
        // Wrapping: the numbers fit, products and sums on the way to them need not.
        let mut value = self.start.wrapping_add(self.step.wrapping_mul(self.next as i64));
        let mut values = Vec::with_capacity(rows);
        for _ in 0..rows {
            values.push(value);
            value = value.wrapping_add(self.step);
        }
        let ids = Ids::run(self.first_id.wrapping_add(self.next), rows);
        let block =
            Block::new(vec![Column::from_vec(vec![], rows, values)], ids, Ordinal::position(self.next));
        self.next = self.next.wrapping_add(rows as u64);
        Poll::Ready(Some(block))
    }

    fn skip(&mut self, rows: u64) {
        self.next = match self.count {
            Some(count) => self.next.saturating_add(rows).min(count),
            None => self.next.wrapping_add(rows),
        };
    }
}
