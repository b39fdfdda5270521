//! The rows a map computes with.

use std::collections::VecDeque;
use std::task::{Context, Poll, ready};

use feedline_data::block::{Block, Position};

use super::gathering::side_by_side;
use crate::operator::{Gap, Operator, cut};

/// The rows of a task: a block of the input, or several to be joined.
pub(super) struct TaskRows {
    first: Block,
    /// Blocks that follow it; none, as a rule.
    others: Vec<Block>,
}

impl From<Block> for TaskRows {
    fn from(block: Block) -> TaskRows {
        TaskRows { first: block, others: Vec::new() }
    }
}

impl TaskRows {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.blocks().map(Block::rows).sum()
    }

    pub(super) fn byte_size(&self) -> usize {
        self.blocks().map(Block::byte_size).sum()
    }

    /// Where the first of them is in the input.
    pub(super) fn position(&self) -> &Position {
        self.first.position()
    }

    /// All of them side by side.
    pub(super) fn into_block(self) -> Block {
        if self.others.is_empty() {
            return self.first;
        }
        let blocks: Vec<Block> = std::iter::once(self.first).chain(self.others).collect();
        side_by_side(&blocks)
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// The input of a map, and how much of it is wanted.
pub(super) struct Intake {
    pub(super) input: Box<dyn Operator>,
    /// A block of the input that is not to be joined with those before it.
    held: Option<Block>,
    has_ended: bool,
    /// Rows to be pulled from the input, as long as nobody asks for more.
    wanted: u64,
    /// What is to be left out of the input.
    gaps: VecDeque<Gap>,
    /// Whether a task may be several blocks of the input.
    pub(super) joins_blocks: bool,
}

impl Intake {
    pub(super) fn new(input: Box<dyn Operator>) -> Intake {
        Intake {
            input,
            held: None,
            has_ended: false,
            wanted: u64::MAX,
            gaps: VecDeque::new(),
            joins_blocks: true,
        }
    }

    /// Whether there are no more rows.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended && self.held.is_none()
    }

    /// Whether rows are to be pulled.
    pub(super) fn is_open(&self) -> bool {
        self.wanted > 0 && !self.has_ended()
    }

    /// Somebody asks and there are none: one is wanted, whatever was said before.
    pub(super) fn want(&mut self) {
        self.wanted = self.wanted.max(1);
    }

    /// Nothing more is wanted.
    pub(super) fn end(&mut self) {
        self.held = None;
        self.has_ended = true;
    }

    /// The rows of the next task, at most `rows` of them: one block of the input, or several where joining them moves no
    /// values and more rows are wanted than the first has, but no more than come to about `max_bytes`. Never waits for more.
    pub(super) fn poll_rows(
        &mut self,
        cx: &mut Context<'_>,
        rows: usize,
        max_bytes: usize,
    ) -> Poll<Option<TaskRows>> {
        while let Some(gap) = self.gaps.pop_front_if(|gap| gap.after == 0) {
            self.skip(gap.rows);
        }
        let before_gap = self.gaps.front().map_or(u64::MAX, |gap| gap.after);
        let rows = rows.min(usize::try_from(self.wanted.min(before_gap)).unwrap_or(usize::MAX));
        let first = match self.held.take() {
            Some(block) => cut(block, rows, &mut self.held),
            None if self.has_ended => return Poll::Ready(None),
            None => {
                let Some(block) = ready!(self.input.poll_block(cx, rows)) else {
                    self.has_ended = true;
                    return Poll::Ready(None);
                };
                block
            }
        };
        let mut left = if self.joins_blocks { rows.saturating_sub(first.rows()) } else { 0 };
        let mut num_bytes = first.byte_size();
        let mut task = TaskRows::from(first);
        while left > 0
            && num_bytes < max_bytes
            && self.held.is_none()
            && !self.has_ended
            && is_joined_as_views(&task.first)
        {
            match self.input.poll_block(cx, left) {
                Poll::Pending => break,
                Poll::Ready(None) => self.has_ended = true,
                Poll::Ready(Some(block)) if is_joined_as_views(&block) => {
                    left = left.saturating_sub(block.rows());
                    num_bytes += block.byte_size();
                    task.others.push(block);
                }
                Poll::Ready(Some(block)) => self.held = Some(block),
            }
        }
        let num_rows = task.len();
        self.count(num_rows);
        if let Some(gap) = self.gaps.front_mut() {
            gap.after -= num_rows as u64;
        }
        Poll::Ready(Some(task))
    }

    /// Counts rows that were pulled or skipped. A held block counts when it is used.
    fn count(&mut self, rows: usize) {
        self.wanted = self.wanted.saturating_sub(rows as u64);
    }

    /// Leaves out the next `rows`.
    pub(super) fn skip(&mut self, mut rows: u64) {
        if let Some(block) = self.held.take() {
            let (dropped, count) = (rows.min(block.rows() as u64), block.rows());
            rows -= dropped;
            self.count(dropped as usize);
            self.held = (dropped < count as u64).then(|| block.slice(dropped as usize..count));
        }
        self.wanted = self.wanted.saturating_sub(rows);
        self.input.skip(rows);
    }

    /// Leaves out some of what is to come.
    pub(super) fn leave_out(&mut self, gaps: &[Gap]) {
        self.gaps.extend(gaps);
    }

    /// So many rows are to be pulled.
    pub(super) fn bound(&mut self, rows: u64) {
        self.wanted = rows;
        let held = self.held.as_ref().map_or(0, Block::rows);
        self.input.bound(rows.saturating_sub(held as u64));
    }
}

/// Whether joining it with others like it moves no values: strings are views.
fn is_joined_as_views(block: &Block) -> bool {
    let columns = block.columns();
    block.errors().is_empty()
        && !columns.is_empty()
        && columns.iter().all(|column| column.strings().is_some())
}
