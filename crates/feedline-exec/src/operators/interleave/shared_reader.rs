//! One reader of the input for the two who go on from a state: the stream that was opened last, which its element is read again for, and
//! who reads the elements behind that one.
//!
//! With a reader for each of them, all steps before this one would be started twice, and of n such steps one behind the other the first 2^n
//! times. So the first row goes to the stream, and all others to who reads on.
//!
//! # Nobody waits for the other
//! Whoever asks reads. Who reads on and finds that nobody has read the first row reads it, keeps it for the stream, and goes on; the stream takes it
//! from there. What is kept is one row, charged without asking: the stream cannot begin without it. So both are told "not yet" only where the
//! input says it.
//!
//! Both are parts of one operator, which asks both with its own waker: whoever was told "not yet", it is asked again when there is something, and asks the
//! one that it needs. The input runs in the turn of that operator, as those do that read for one alone. And the lock is free whenever
//! it is wanted: one thread at a time polls an operator.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use feedline_data::block::Block;

use crate::budget::{Budget, Charge};
use crate::keeping::held_bytes;
use crate::operator::Operator;

/// What gives the first row of `input` and then ends, and what gives the rows behind it.
pub(super) fn share(input: Box<dyn Operator>, budget: &Arc<Budget>) -> (FirstRow, RowsBehind) {
    let shared = Shared { input, first: First::Unread, owed: 0, budget: Arc::clone(budget) };
    let shared = Arc::new(Mutex::new(shared));
    (FirstRow(Arc::clone(&shared)), RowsBehind(shared))
}

/// The first row, for the stream that is made of it.
pub(super) struct FirstRow(Arc<Mutex<Shared>>);

/// The rows behind it.
pub(super) struct RowsBehind(Arc<Mutex<Shared>>);

struct Shared {
    input: Box<dyn Operator>,
    first: First,
    /// Rows behind the first that are to be skipped once it was read.
    owed: u64,
    budget: Arc<Budget>,
}

/// What became of the first row.
enum First {
    Unread,
    /// Nobody read it, and nobody wants it.
    Unwanted,
    /// Read by who reads on, for the stream.
    Kept {
        block: Block,
        _charge: Charge,
    },
    /// The stream has it, or there is none.
    Gone,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn poll_first(&mut self, cx: &mut Context<'_>) -> Poll<Option<Block>> {
        let block = ready!(self.input.poll_block(cx, 1));
        self.first = First::Gone;
        Poll::Ready(block)
    }

    /// Rows of the input that are read or skipped before those behind the first that somebody asks for.
    fn rows_before(&self) -> u64 {
        self.owed.saturating_add(u64::from(matches!(self.first, First::Unread | First::Unwanted)))
    }
}

impl Operator for FirstRow {
    fn poll_block(&mut self, cx: &mut Context<'_>, _: usize) -> Poll<Option<Block>> {
        let mut shared = lock(&self.0);
        if matches!(shared.first, First::Unread) {
            return shared.poll_first(cx);
        }
        Poll::Ready(match std::mem::replace(&mut shared.first, First::Gone) {
            First::Kept { block, .. } => Some(block),
            unread_or_gone => {
                shared.first = unread_or_gone;
                None
            }
        })
    }

    fn skip(&mut self, rows: u64) {
        let mut shared = lock(&self.0);
        if rows > 0 {
            shared.first = match shared.first {
                First::Unread | First::Unwanted => First::Unwanted,
                First::Kept { .. } | First::Gone => First::Gone,
            };
        }
    }
}

impl Drop for FirstRow {
    fn drop(&mut self) {
        self.skip(1);
    }
}

impl Operator for RowsBehind {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        let mut shared = lock(&self.0);
        if matches!(shared.first, First::Unread)
            && let Some(block) = ready!(shared.poll_first(cx))
        {
            let charge = shared.budget.charge(held_bytes(&block));
            shared.first = First::Kept { block, _charge: charge };
        }
        let to_skip = shared.rows_before();
        if to_skip > 0 {
            shared.input.skip(to_skip);
            shared.owed = 0;
        }
        if matches!(shared.first, First::Unwanted) {
            shared.first = First::Gone;
        }
        shared.input.poll_block(cx, limit)
    }

    fn skip(&mut self, rows: u64) {
        let mut shared = lock(&self.0);
        shared.owed = shared.owed.saturating_add(rows);
    }

    fn bound(&mut self, rows: u64) {
        let mut shared = lock(&self.0);
        let rows = rows.saturating_add(shared.rows_before());
        shared.input.bound(rows);
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use feedline_data::block::{Column, Ids, Position, Token};

    use super::*;

    /// The numbers from 0 to `end`, each other time "not yet".
    struct Numbers {
        next: i64,
        end: i64,
        is_ready: bool,
        bound: Arc<Mutex<Option<u64>>>,
    }

    impl Operator for Numbers {
        fn poll_block(&mut self, _: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
            self.is_ready = !self.is_ready;
            if !self.is_ready {
                return Poll::Pending;
            }
            let numbers: Vec<i64> = (self.next..self.end).take(limit).collect();
            if numbers.is_empty() {
                return Poll::Ready(None);
            }
            self.next += numbers.len() as i64;
            let (ids, rows) = (Ids::run(numbers[0] as u64, numbers.len()), numbers.len());
            let column = Column::from_vec(vec![], rows, numbers);
            Poll::Ready(Some(Block::new(vec![column], ids, Position::at(Token::new(|_| ())))))
        }

        fn skip(&mut self, rows: u64) {
            self.next = (self.next + rows as i64).min(self.end);
        }

        fn bound(&mut self, rows: u64) {
            *self.bound.lock().expect("nobody panicked") = Some(rows);
        }
    }

    fn shared(end: i64) -> (FirstRow, RowsBehind, Arc<Mutex<Option<u64>>>) {
        let bound = Arc::default();
        let input = Numbers { next: 0, end, is_ready: true, bound: Arc::clone(&bound) };
        let (first, behind) = share(Box::new(input), &Budget::new(1 << 20));
        (first, behind, bound)
    }

    /// What it has, asked as often as it says "not yet".
    fn all(operator: &mut dyn Operator) -> Vec<i64> {
        let (mut numbers, mut cx) = (Vec::new(), Context::from_waker(Waker::noop()));
        loop {
            match operator.poll_block(&mut cx, 3) {
                Poll::Pending => {}
                Poll::Ready(None) => return numbers,
                Poll::Ready(Some(block)) => numbers.extend_from_slice(block.columns()[0].as_slice::<i64>()),
            }
        }
    }

    #[test]
    fn whoever_asks_first_each_gets_his_rows() {
        let (mut first, mut behind, _) = shared(9);
        assert_eq!((all(&mut first), all(&mut behind)), (vec![0], (1..9).collect()));
        let (mut first, mut behind, _) = shared(9);
        assert_eq!((all(&mut behind), all(&mut first)), ((1..9).collect(), vec![0]));
        let (mut first, mut behind, _) = shared(0);
        assert_eq!((all(&mut behind), all(&mut first)), (vec![], vec![]));
    }

    #[test]
    fn a_first_row_that_nobody_wants_is_skipped() {
        let (first, mut behind, _) = shared(9);
        drop(first);
        assert_eq!(all(&mut behind), (1..9).collect::<Vec<_>>());
        let (mut first, mut behind, _) = shared(9);
        first.skip(1);
        assert_eq!((all(&mut first), all(&mut behind)), (vec![], (1..9).collect()));
        // What was kept for it goes with who wanted it, and nothing else.
        let (first, mut behind, _) = shared(9);
        let mut cx = Context::from_waker(Waker::noop());
        while behind.poll_block(&mut cx, 1).is_pending() {}
        drop(first);
        assert_eq!(all(&mut behind), (2..9).collect::<Vec<_>>());
    }

    #[test]
    fn rows_behind_it_are_counted_from_behind_it() {
        for asks_first in [false, true] {
            let (mut first, mut behind, bound) = shared(9);
            if asks_first {
                assert_eq!(all(&mut first), [0]);
            }
            behind.skip(2);
            behind.bound(4);
            let expected = if asks_first { 6 } else { 7 };
            assert_eq!(*bound.lock().expect("nobody panicked"), Some(expected));
            assert_eq!(all(&mut behind), (3..9).collect::<Vec<_>>());
            assert_eq!(all(&mut first), if asks_first { vec![] } else { vec![0] });
        }
    }
}
