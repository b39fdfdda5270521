//! Only the elements of which a predicate is true.
//!
//! Out come, in order, the elements that pass, and errors, also those of the predicate. Holds nothing. Saves nothing of its
//! own: the place behind a row is the place behind it in the input. Skipping has to look: which rows pass is not known
//! before.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row, RowError};

use crate::error::ExecError;
use crate::eval::{Allowance, Part, Program};
use crate::operator::{Operator, SkipDebt};
use crate::origin::{Locator, Passing};
use crate::runtime::Runtime;
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct FilterTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// One bool.
    pub(crate) predicate: Arc<Program>,
}

impl Template for FilterTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let judge = Judge::new(&self.input, &self.predicate, scope, at)?;
        Ok(Box::new(Filter { judge, asked: RowsAsked::default(), debt: SkipDebt::default() }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }

    fn locator(&self) -> Option<Locator> {
        Some(Locator::new(&self.input, None))
    }
}

struct Filter {
    judge: Judge,
    asked: RowsAsked,
    debt: SkipDebt,
}

/// Rows of an input, with what a predicate says of them.
pub(super) struct Judge {
    input: SparingInput,
    predicate: Arc<Program>,
    runtime: Arc<Runtime>,
    /// Rows still to be looked at: there was no memory for what the predicate makes of them on the way.
    left: Option<Block>,
}

impl Judge {
    pub(super) fn new(
        template: &Arc<dyn Template>,
        predicate: &Arc<Program>,
        scope: &Scope,
        at: Option<&Position>,
    ) -> Result<Judge, ExecError> {
        let input = SparingInput::new(template.start(scope, at)?, &**template);
        let (predicate, runtime) = (predicate.bind(scope), Arc::clone(&scope.runtime));
        Ok(Judge { input, predicate, runtime, left: None })
    }

    /// The next rows, at most `limit`, and of each element among them whether it passes. What the predicate failed for is an error. As many as
    /// are `asked` for are needed at least.
    pub(super) fn poll_rows(
        &mut self,
        cx: &mut Context<'_>,
        limit: usize,
        asked: RowsAsked,
    ) -> Poll<Option<(Block, Vec<bool>)>> {
        let block = match self.left.take() {
            Some(block) => block,
            None => match ready!(self.input.poll_block(cx, limit, asked.rows())) {
                Some(block) => block,
                None => return Poll::Ready(None),
            },
        };
        Poll::Ready(Some(self.judged(&block, limit)))
    }

    /// Of the first rows; the others are left.
    fn judged(&mut self, block: &Block, limit: usize) -> (Block, Vec<bool>) {
        let mut allowance = Allowance::new(self.runtime.budget.charge(0), true);
        let first = block.slice(0..block.rows().min(limit));
        let Part { done, .. } = self.predicate.run_within(first, &mut allowance);
        let judged = done.expect("the first row is needed");
        self.left = (judged.rows() < block.rows()).then(|| block.slice(judged.rows()..block.rows()));
        let block = block.slice(0..judged.rows());
        // What the predicate failed for fails here: then both blocks have the same rows.
        let failed: Vec<(usize, RowError)> = judged
            .errors()
            .iter()
            .filter_map(|error| match block.row(error.row) {
                Row::Element(element) => Some((element, Arc::clone(&error.error))),
                Row::Error(_) => None,
            })
            .collect();
        let passes = judged.columns().first().map_or(&[][..], |bools| bools.as_slice::<u8>());
        (block.fail(&failed), passes.iter().map(|&passes| passes != 0).collect())
    }
}

impl Operator for Filter {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        while let Some((block, passes)) = ready!(self.judge.poll_rows(cx, limit, self.asked)) {
            let kept = (0..block.rows()).filter(|&row| match block.row(row) {
                Row::Element(element) => passes[element],
                Row::Error(_) => true,
            });
            let block = block.select(kept.collect());
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
