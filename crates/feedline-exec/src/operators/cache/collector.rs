//! What a cache that fills has so far.

use std::sync::Arc;

use feedline_data::block::Block;

use super::rows::Rows;
use crate::budget::{Budget, Charge, Filling};

/// Rows received, copied into blocks of about 64 KiB, and charged to the budget.
#[derive(Debug)]
pub(super) struct Collector<A> {
    /// As they came: views. Few, and soon copied.
    pending: Vec<Rows>,
    pending_bytes: u64,
    blocks: Vec<Rows>,
    num_rows: u64,
    account: A,
}

/// What rows are charged to.
pub(super) trait Account {
    /// Nothing, of `budget`.
    fn empty(budget: &Arc<Budget>) -> Self;

    /// Makes it larger by `bytes`; whether they fit.
    fn try_grow(&mut self, bytes: u64) -> bool;

    fn shrink(&mut self, bytes: u64);

    fn bytes(&self) -> u64;
}

/// Of what goes to a file soon: there is always room for it.
impl Account for Charge {
    fn empty(budget: &Arc<Budget>) -> Charge {
        budget.charge(0)
    }

    fn try_grow(&mut self, bytes: u64) -> bool {
        self.grow(bytes);
        true
    }

    fn shrink(&mut self, bytes: u64) {
        self.shrink(bytes);
    }

    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

/// Of what is to stay in memory.
impl Account for Filling {
    fn empty(budget: &Arc<Budget>) -> Filling {
        budget.fill()
    }

    fn try_grow(&mut self, bytes: u64) -> bool {
        self.try_grow(bytes)
    }

    fn shrink(&mut self, bytes: u64) {
        self.shrink(bytes);
    }

    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

/// Small blocks are joined to blocks of this size: a description for each row would be larger than the row.
const BLOCK_BYTES: u64 = 64 << 10;
/// Views that may wait to be copied: each may keep a whole read buffer alive.
const MAX_PENDING: usize = 64;

impl<A: Account> Collector<A> {
    /// An empty one.
    pub(super) fn new(budget: &Arc<Budget>) -> Collector<A> {
        Collector {
            pending: Vec::new(),
            pending_bytes: 0,
            blocks: Vec::new(),
            num_rows: 0,
            account: A::empty(budget),
        }
    }

    /// Takes in the rows of `block`, which has no errors; whether there is memory for them.
    pub(super) fn push(&mut self, block: &Block) -> bool {
        debug_assert!(block.errors().is_empty(), "errors are not kept");
        let rows = Rows { columns: block.columns().to_vec(), ids: block.ids().clone() };
        let bytes = rows.byte_size();
        if !self.account.try_grow(bytes) {
            return false;
        }
        self.num_rows += rows.len() as u64;
        self.pending_bytes += bytes;
        self.pending.push(rows);
        if self.pending_bytes >= BLOCK_BYTES || self.pending.len() >= MAX_PENDING {
            self.compact();
        }
        true
    }

    fn compact(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let rows = Rows::compact(&self.pending);
        // Joined they need fewer descriptions.
        let saved = self.pending_bytes.saturating_sub(rows.byte_size());
        self.account.shrink(saved);
        self.blocks.push(rows);
        self.pending.clear();
        self.pending_bytes = 0;
    }

    /// Rows so far.
    pub(super) fn num_rows(&self) -> u64 {
        self.num_rows
    }

    /// Bytes so far.
    pub(super) fn num_bytes(&self) -> u64 {
        self.account.bytes()
    }

    /// What rows are charged to.
    pub(super) fn account(&self) -> &A {
        &self.account
    }

    /// All of it, with what is charged for it, leaving nothing.
    pub(super) fn take(&mut self, budget: &Arc<Budget>) -> (Vec<Rows>, A) {
        self.compact();
        let all = std::mem::replace(self, Collector::new(budget));
        (all.blocks, all.account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::block::{Buffer, Column, Ids, Places, Position, Strings, Token};

    #[test]
    fn rows_are_copied_joined_and_charged() {
        let budget = Budget::new(1 << 20);
        let mut collector: Collector<Charge> = Collector::new(&budget);
        let large = Buffer::from_vec(vec![7_u8; 100_000]);
        for row in 0..100 {
            let mut places = Places::default();
            places.push(row * 10..row * 10 + 5);
            let strings = Strings::of_places(&large, &Arc::new(places));
            let column = Column::from_strings(vec![], 1, strings);
            let position = Position::at(Token::new(|_| 0));
            collector.push(&Block::new(vec![column], Ids::run(row as u64, 1), position));
        }
        let (blocks, charge) = collector.take(&budget);
        assert_eq!(blocks.iter().map(Rows::len).collect::<Vec<_>>(), [64, 36]);
        assert!(matches!(blocks[1].ids, Ids::Run { first: 64, len: 36 }));
        let kept: u64 = blocks.iter().map(Rows::byte_size).sum();
        assert_eq!((charge.bytes(), budget.used_bytes(), collector.num_rows()), (kept, kept, 0));
        assert!(kept < 3000, "{kept}");
        let first = blocks[0].columns[0].strings().expect("strings").get(0).as_ptr();
        assert!(!large.as_bytes().as_ptr_range().contains(&first), "a copy");
    }
}
