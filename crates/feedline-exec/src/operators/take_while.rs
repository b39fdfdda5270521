//! The elements before the first of which a predicate is false.
//!
//! Out come the elements up to there, and errors, also those of the predicate: what it fails for is not false. Order is kept, nothing held.
//! Saves nothing of its own: the place behind a row is the place behind it in the input, and whoever goes on from there looks at the
//! next again. Skipping has to look.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row};

use super::filter::Judge;
use crate::error::ExecError;
use crate::eval::Program;
use crate::operator::{Operator, SkipDebt};
use crate::origin::{Locator, Passing};
use crate::sparing::RowsAsked;
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct TakeWhileTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// One bool.
    pub(crate) predicate: Arc<Program>,
}

impl Template for TakeWhileTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let judge = Judge::new(&self.input, &self.predicate, scope, at)?;
        let (asked, debt) = (RowsAsked::default(), SkipDebt::default());
        Ok(Box::new(TakeWhile { judge, has_ended: false, asked, debt }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }

    fn locator(&self) -> Option<Locator> {
        Some(Locator::new(&self.input, None))
    }
}

struct TakeWhile {
    judge: Judge,
    has_ended: bool,
    asked: RowsAsked,
    debt: SkipDebt,
}

impl Operator for TakeWhile {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while !self.has_ended {
            let Some((block, passes)) = ready!(self.judge.poll_rows(cx, limit, self.asked)) else {
                return Poll::Ready(None);
            };
            let end = (0..block.rows()).find(|&row| match block.row(row) {
                Row::Element(element) => !passes[element],
                Row::Error(_) => false,
            });
            self.has_ended = end.is_some();
            let block = block.slice(0..end.unwrap_or(block.rows()));
            self.asked.pass(block.rows());
            if block.rows() > 0
                && let Some(block) = self.debt.pay(block)
            {
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
