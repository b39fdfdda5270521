//! All rows of a source in random order, without a buffer to fill.
//!
//! Row `i` of the new order is row [`Permutation::at`]`(i)` of the old one, read where it lies. Numbers and tensors in memory are
//! computed or copied ([`NumbersTemplate`]); records are read by their index ([`files`]). Rows keep the ids they have
//! unshuffled. Saves how many rows came; skipping is an addition.

mod files;
mod open_files;
mod permutation;
mod source;

use std::task::{Context, Poll};

use feedline_data::block::{Block, Column, Ids, Position};
use feedline_plan::SeedPair;

pub(crate) use self::files::GlobalFilesTemplate;
use self::permutation::Permutation;
use super::range::{Ordinal, next_ordinal};
use crate::error::ExecError;
use crate::operator::Operator;
use crate::origin::{KnownStarts, NumberedStarts, Origin, Sought};
use crate::template::{Scope, Template};

/// What makes an order: the seeds, and whether each iteration has its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) seeds: SeedPair,
    pub(crate) reshuffle_each_iteration: bool,
}

impl Order {
    fn permutation(self, count: u64, scope: &Scope) -> Permutation {
        let iteration = if self.reshuffle_each_iteration { scope.iteration } else { 0 };
        Permutation::new(count, self.seeds, iteration)
    }
}

/// The numbers `start, start + step, …`, `count` of them, in random order.
#[derive(Debug)]
pub(crate) struct NumbersTemplate {
    pub(crate) start: i64,
    pub(crate) step: i64,
    pub(crate) count: u64,
    pub(crate) order: Order,
    pub(crate) starts: NumberedStarts,
}

impl Template for NumbersTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        self.starts.add(scope);
        Ok(Box::new(Numbers {
            start: self.start,
            step: self.step,
            count: self.count,
            permutation: self.order.permutation(self.count, scope),
            next: next_ordinal(at, "global_shuffle")?,
            first_id: scope.first_id(),
            block_rows: scope.runtime.block_rows(size_of::<i64>()),
        }))
    }

    fn origin(&self, sought: Sought) -> Option<Origin> {
        self.starts.origin(sought, self.count)
    }

    fn add_starts(&self, starts: &mut KnownStarts) {
        starts.push_numbered(&self.starts);
    }
}

struct Numbers {
    start: i64,
    step: i64,
    count: u64,
    permutation: Permutation,
    next: u64,
    first_id: u64,
    block_rows: usize,
}

impl Operator for Numbers {
    fn poll_block(&mut self, _: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let rows = self.count.saturating_sub(self.next).min(limit.min(self.block_rows) as u64);
        if rows == 0 {
            return Poll::Ready(None);
        }
        let places: Vec<u64> = (self.next..self.next + rows).map(|row| self.permutation.at(row)).collect();
        let value = |&place: &u64| self.start.wrapping_add(self.step.wrapping_mul(place as i64));
        let values: Vec<i64> = places.iter().map(value).collect();
        let ids = places.iter().map(|&place| self.first_id.wrapping_add(place)).collect();
        let column = Column::from_vec(vec![], rows as usize, values);
        let block = Block::new(vec![column], Ids::list(ids), Ordinal::position(self.next));
        self.next += rows;
        Poll::Ready(Some(block))
    }

    fn skip(&mut self, rows: u64) {
        self.next = self.next.saturating_add(rows).min(self.count);
    }
}
