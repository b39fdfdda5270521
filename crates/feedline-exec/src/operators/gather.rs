//! Rows of tensors in memory, by their numbers.
//!
//! In come row numbers, out come the rows. It is how tensors in memory are shuffled: the shuffle holds 8 bytes a row instead
//! of the row, and each row is copied once, from where it always was to where it goes. Order is kept, nothing held,
//! nothing saved: a source of row numbers saves what a source of the rows would. Skipping passes on. A map behind it fetches
//! the rows itself, on its workers.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Column, Position};

use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::{KnownStarts, Origin, Sought};
use crate::template::{RowsByNumber, Scope, Template};

#[derive(Debug)]
pub(crate) struct GatherTemplate {
    /// Row numbers, int64.
    pub(crate) input: Arc<dyn Template>,
    /// At least one, all with the same number of rows.
    pub(crate) columns: Arc<Vec<Column>>,
}

impl Template for GatherTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let bytes: usize = self.columns.iter().map(Column::byte_size).sum();
        Ok(Box::new(Gather {
            input: self.input.start(scope, at)?,
            columns: Arc::clone(&self.columns),
            block_rows: scope.runtime.block_rows(bytes / self.columns[0].rows().max(1)),
        }))
    }

    fn as_gather(&self) -> Option<RowsByNumber> {
        Some((Arc::clone(&self.input), Arc::clone(&self.columns)))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        Some(self.input.origin(sought)?.described_by(&self.columns))
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        self.input.add_starts(starts);
    }
}

const MAX_BLOCKS: usize = 32;

struct Gather {
    input: Box<dyn Operator>,
    columns: Arc<Vec<Column>>,
    block_rows: usize,
}

impl Operator for Gather {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        // Who asks for a number of rows gets them in one piece, within reason; who takes what there is gets a block.
        let wanted =
            if limit == usize::MAX { self.block_rows } else { limit.min(self.block_rows * MAX_BLOCKS) };
        let Some(block) = ready!(self.input.poll_block(cx, wanted)) else { return Poll::Ready(None) };
        Poll::Ready(Some(fetch_rows(&self.columns, block)))
    }

    fn skip(&mut self, rows: u64) {
        self.input.skip(rows);
    }

    fn bound(&mut self, rows: u64) {
        self.input.bound(rows);
    }
}

/// The rows of `columns` whose numbers are in `block`.
pub(crate) fn fetch_rows(columns: &[Column], block: Block) -> Block {
    // A block of errors alone has no numbers.
    let numbers = block.columns().first().map_or(&[][..], |numbers| numbers.as_slice::<i64>());
    let rows: Vec<usize> = numbers.iter().map(|&number| number as usize).collect();
    let columns = columns.iter().map(|column| column.gather(&rows)).collect();
    block.with_columns(columns)
}
