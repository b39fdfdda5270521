//! Only the elements of which a predicate is true.
//!
//! Out come, in order, the elements that pass, and errors, also those of the predicate. Holds nothing. Saves nothing of its
//! own: the place behind a row is the place behind it in the input. Skipping has to look: which rows pass is not known
//! before.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row, RowError};

use crate::error::ExecError;
use crate::eval::Program;
use crate::operator::{Operator, SkipDebt};
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct FilterTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// One bool.
    pub(crate) predicate: Arc<Program>,
}

impl Template for FilterTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        Ok(Box::new(Filter {
            input: self.input.start(scope, at)?,
            predicate: self.predicate.bind(scope),
            debt: SkipDebt::default(),
        }))
    }
}

struct Filter {
    input: Box<dyn Operator>,
    predicate: Arc<Program>,
    debt: SkipDebt,
}

impl Filter {
    fn passing(&self, block: Block) -> Block {
        let judged = self.predicate.run(block.clone());
        // What the predicate failed for fails here: then both blocks have the same rows.
        let failed: Vec<(usize, RowError)> = judged
            .errors()
            .iter()
            .filter_map(|error| match block.row(error.row) {
                Row::Element(element) => Some((element, Arc::clone(&error.error))),
                Row::Error(_) => None,
            })
            .collect();
        let block = block.fail(&failed);
        let passes = judged.columns().first().map_or(&[][..], |bools| bools.as_slice::<u8>());
        let kept = (0..block.rows()).filter(|&row| match block.row(row) {
            Row::Element(element) => passes[element] != 0,
            Row::Error(_) => true,
        });
        block.select(kept.collect())
    }
}

impl Operator for Filter {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            let Some(block) = ready!(self.input.poll_block(cx, limit)) else { return Poll::Ready(None) };
            let block = self.passing(block);
            if block.rows() > 0
                && let Some(block) = self.debt.pay(block)
            {
                return Poll::Ready(Some(block));
            }
        }
    }

    fn skip(&mut self, rows: u64) {
        self.debt.add(rows);
    }
}
