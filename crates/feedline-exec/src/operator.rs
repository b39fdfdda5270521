//! What every operator is: something to be asked for the next rows.

use std::task::{Context, Poll};

use feedline_data::block::Block;

/// The running form of a step of a plan: a stream of blocks, polled.
///
/// An operator never waits. It answers with rows, with the end, or with "not yet", and then it has seen to it that
/// the waker is called when asking again may help. So one thread can run a whole tree of them (the reference), and
/// many threads can run parts of it without ever standing still.
///
/// What comes out is fixed by the plan and the seeds: how large the blocks are, how often "not yet" is said and on
/// which thread it runs never shows in the rows, their order, ids, errors, or in positions taken after each row.
pub(crate) trait Operator: Send {
    /// The next rows: at least one, at most `limit`. `None` is the end, and stays it. What is ready is handed on:
    /// nobody waits to fill a block.
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>>;

    /// Drops the next `rows` rows, errors included, doing as little for them as possible: sources move on, one-to-one
    /// steps pass it on without computing anything. Skipping past the end is being at the end.
    fn skip(&mut self, rows: u64);

    /// From now on `rows` rows are certain to be asked for, those skipped included, and no others, as far as is known. Whoever
    /// runs ahead stops there: code of the user's is not called for elements behind a `take`. It may be told again, of more rows or of fewer; who
    /// asks for a row without having said so gets it, without anything being done ahead. Steps of which it is not known how many rows of their
    /// input make so many of their own tell it what they need on the way ([`SparingInput`](crate::sparing::SparingInput)).
    fn bound(&mut self, _rows: u64) {}

    /// Told before anything is asked for: these rows will not be wanted. Whether it leaves them out by itself, also where it runs ahead;
    /// else who asks has to skip each of them when it is time.
    fn leave_out(&mut self, _gaps: &[Gap]) -> bool {
        false
    }
}

/// Rows that are not wanted, among others that are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap {
    /// Rows wanted between the gap before and this one.
    pub(crate) after: u64,
    pub(crate) rows: u64,
}

impl Operator for Box<dyn Operator> {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        (**self).poll_block(cx, limit)
    }

    fn skip(&mut self, rows: u64) {
        (**self).skip(rows);
    }

    fn bound(&mut self, rows: u64) {
        (**self).bound(rows);
    }

    fn leave_out(&mut self, gaps: &[Gap]) -> bool {
        (**self).leave_out(gaps)
    }
}

/// At most `limit` rows of `block`; the others go to `rest`, for the next time.
pub(crate) fn cut(block: Block, limit: usize, rest: &mut Option<Block>) -> Block {
    let rows = block.rows();
    if rows <= limit {
        return block;
    }
    *rest = Some(block.slice(limit..rows));
    block.slice(0..limit)
}

/// Rows an operator has promised to drop but can only drop by looking at them.
#[derive(Debug, Default)]
pub(crate) struct SkipDebt(u64);

impl SkipDebt {
    /// Adds `rows`.
    pub(crate) fn add(&mut self, rows: u64) {
        self.0 = self.0.saturating_add(rows);
    }

    /// What is left of `block` after paying as much as possible; `None` if nothing is.
    pub(crate) fn pay(&mut self, block: Block) -> Option<Block> {
        if self.0 == 0 {
            return Some(block);
        }
        let paid = self.0.min(block.rows() as u64);
        self.0 -= paid;
        let rows = block.rows();
        (paid < rows as u64).then(|| block.slice(paid as usize..rows))
    }

    /// So many rows were dropped otherwise, no more than are owed.
    pub(crate) fn paid(&mut self, rows: u64) {
        self.0 -= rows;
    }

    /// Rows still owed.
    pub(crate) fn rows(&self) -> u64 {
        self.0
    }
}
