//! Hands out tensors in memory, slice by slice.
//!
//! Out come views of the tensors; nothing is copied and nothing held that was not there before. Saves the ordinal of the
//! next row. Skipping is an addition.

use std::task::{Context, Poll};

use feedline_data::block::{Block, Column, Ids, Position};

use super::range::{Ordinal, next_ordinal};
use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::{KnownStarts, NumberedStarts, Origin, Sought};
use crate::template::{Scope, Template};

#[derive(Debug)]
pub(crate) struct TensorSlicesTemplate {
    /// At least one, all with the same number of rows.
    pub(crate) columns: Vec<Column>,
    pub(crate) starts: NumberedStarts,
}

impl Template for TensorSlicesTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let count = self.columns[0].rows();
        self.starts.add(scope);
        let bytes: usize = self.columns.iter().map(Column::byte_size).sum();
        let next = next_ordinal(at, "from_tensor_slices")?.min(count as u64) as usize;
        Ok(Box::new(TensorSlices {
            columns: self.columns.clone(),
            next,
            count,
            first_id: scope.first_id(),
            block_rows: scope.runtime.block_rows(bytes / count.max(1)),
        }))
    }

    fn never_fails(&self, _: &Scope) -> bool {
        true
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        let origin = self.starts.origin(sought, self.columns[0].rows() as u64)?;
        Some(origin.described_by(&self.columns))
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        starts.push_numbered(&self.starts);
    }
}

struct TensorSlices {
    columns: Vec<Column>,
    next: usize,
    count: usize,
    first_id: u64,
    block_rows: usize,
}

impl Operator for TensorSlices {
    fn poll_block(&mut self, _: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let rows = (self.count - self.next).min(limit.min(self.block_rows));
        if rows == 0 {
            return Poll::Ready(None);
        }
        let columns = self.columns.iter().map(|column| column.slice(self.next..self.next + rows)).collect();
        let ids = Ids::run(self.first_id.wrapping_add(self.next as u64), rows);
        let block = Block::new(columns, ids, Ordinal::position(self.next as u64));
        self.next += rows;
        Poll::Ready(Some(block))
    }

    fn skip(&mut self, rows: u64) {
        self.next = (self.next as u64).saturating_add(rows).min(self.count as u64) as usize;
    }
}
