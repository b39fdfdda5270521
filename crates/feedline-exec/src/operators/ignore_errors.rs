//! Elements without the errors among them.
//!
//! Out come the input's elements in order, and errors behind which rows are missing ([`ends_stream`]). Other errors are dropped, and counted. Holds
//! nothing, saves nothing of its own. Skipping has to look: which rows are errors is not known before.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position, Row};

use crate::error::{ExecError, ends_stream};
use crate::metrics::Probe;
use crate::operator::{Operator, SkipDebt};
use crate::origin::Passing;
use crate::sparing::{RowsAsked, SparingInput};
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct IgnoreErrorsTemplate {
    pub(crate) input: Arc<dyn Template>,
}

impl Template for IgnoreErrorsTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let input = SparingInput::new(self.input.start(scope, at)?, &*self.input);
        let (asked, debt) = (RowsAsked::default(), SkipDebt::default());
        Ok(Box::new(IgnoreErrors { input, probe: scope.probe(), asked, debt }))
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Some))
    }
}

struct IgnoreErrors {
    input: SparingInput,
    probe: Probe,
    asked: RowsAsked,
    debt: SkipDebt,
}

impl Operator for IgnoreErrors {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            let polled = self.input.poll_block(cx, limit, self.asked.rows());
            let Some(mut block) = ready!(polled) else { return Poll::Ready(None) };
            if !block.errors().is_empty() {
                let is_kept = |row: &usize| match block.row(*row) {
                    Row::Element(_) => true,
                    Row::Error(error) => ends_stream(&error.error),
                };
                let kept: Vec<usize> = (0..block.rows()).filter(is_kept).collect();
                self.probe.add_handled_errors((block.rows() - kept.len()) as u64);
                block = block.select(kept);
            }
            self.asked.pass(block.rows());
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

    fn bound(&mut self, rows: u64) {
        self.asked.set(rows.saturating_add(self.debt.rows()));
    }
}
