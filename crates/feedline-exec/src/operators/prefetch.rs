//! A place where work runs ahead of whoever asks.
//!
//! Out comes the input's stream, unchanged. Holds a queue of blocks, charged to the budget; running ahead stops when the
//! queue is full or the budget refuses, but one block is always allowed. Saves nothing of its own: positions pass.
//! Skipping passes on while nobody has asked yet, and drops rows as they arrive after that.
//!
//! # How it runs
//! The input belongs to a task on the workers, which polls it and puts blocks into the queue; the one who asks takes
//! them out. The task sleeps when the queue is full and is woken when something was taken; the one who asks is told
//! "not yet" when the queue is empty and woken when something was put. Each side stores its waker under the lock before
//! it gives up, and the other looks for it under the lock after its change, so no wake-up is lost. Dropping this drops
//! the task.
//!
//! When the budget refuses, the queue is not empty, so the one who asks has something to take, and taking wakes the
//! task: nobody waits for memory that others hold.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use async_task::Task;
use feedline_data::block::{Block, Position, Token};

use crate::budget::Charge;
use crate::error::{ExecError, panic_message};
use crate::hand_over::HandOver;
use crate::metrics::{HeldBack, Probe, QueuePart};
use crate::operator::{Operator, SkipDebt};
use crate::runtime::Runtime;
use crate::template::{Scope, Template};
use crate::workers::Level;

#[derive(Debug)]
pub(crate) struct PrefetchTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// At most so many rows; `None`: as many as serve.
    pub(crate) buffer_size: Option<usize>,
    pub(crate) level: Level,
}

impl Template for PrefetchTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let input = self.input.start(scope, at)?;
        // Without workers nobody could run ahead.
        if scope.runtime.pool.is_none() || self.buffer_size == Some(0) {
            return Ok(input);
        }
        Ok(Box::new(Prefetch {
            side: Side::NotStarted(input),
            runtime: Arc::clone(&scope.runtime),
            max_rows: self.buffer_size.unwrap_or(usize::MAX),
            level: self.level,
            probe: scope.probe(),
            rest: None,
            debt: SkipDebt::default(),
        }))
    }
}

/// The blocks between the two sides.
type Queue = HandOver<QueueState>;

#[derive(Debug, Default)]
struct QueueState {
    blocks: VecDeque<(Block, Charge, QueuePart)>,
    rows: usize,
    has_ended: bool,
}

struct Producer {
    input: Box<dyn Operator>,
    queue: Arc<Queue>,
    runtime: Arc<Runtime>,
    max_rows: usize,
    probe: Probe,
}

/// Blocks held where the user does not say how many: enough that neither side notices the other's hiccups. Bytes are
/// what the budget bounds.
const MAX_BLOCKS: usize = 16;
/// Blocks put in one turn, so that other tasks of the same worker get theirs.
const BLOCKS_A_TURN: usize = 16;

impl Producer {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        for _ in 0..BLOCKS_A_TURN {
            let room = ready!(self.queue.poll_room(cx, |queue| {
                let is_full = queue.blocks.len() >= MAX_BLOCKS || queue.rows >= self.max_rows;
                let is_refused = !queue.blocks.is_empty()
                    && self.runtime.budget.used_bytes() >= self.runtime.budget.limit_bytes();
                if is_full || is_refused {
                    self.probe.hold_back(Some(if is_full { HeldBack::Full } else { HeldBack::Budget }));
                    return None;
                }
                self.probe.hold_back(None);
                Some(self.max_rows - queue.rows)
            }));
            let polled =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.input.poll_block(cx, room)));
            let block = match polled {
                Ok(polled) => ready!(polled),
                Err(panic) => {
                    self.end_with_panic(&panic_message(&*panic));
                    return Poll::Ready(());
                }
            };
            let has_ended = block.is_none();
            self.queue.give(|queue| {
                if let Some(block) = block {
                    let charge = self.runtime.budget.charge(block.byte_size() as u64);
                    queue.rows += block.rows();
                    queue.blocks.push_back((block, charge, self.probe.hold("blocks", 1)));
                }
                queue.has_ended = has_ended;
            });
            if has_ended {
                return Poll::Ready(());
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// A panic in an operator is a bug; it surfaces once, as an error, and ends the stream.
    fn end_with_panic(&self, message: &str) {
        let error = ExecError::internal(format!("a step panicked: {message}")).into_row_error();
        let position = Position::at(Token::new(|_| ()));
        let (charge, held) = (self.runtime.budget.charge(0), self.probe.hold("blocks", 1));
        self.queue.give(|queue| {
            queue.blocks.push_back((Block::of_error(0, error, position), charge, held));
            queue.rows += 1;
            queue.has_ended = true;
        });
    }
}

struct Prefetch {
    side: Side,
    runtime: Arc<Runtime>,
    max_rows: usize,
    level: Level,
    probe: Probe,
    /// What was left of a block when fewer rows were asked for.
    rest: Option<(Block, Charge)>,
    /// Rows to drop as they arrive: once running, the producer may be in the middle of any of them.
    debt: SkipDebt,
}

enum Side {
    /// Nobody has asked yet: the input is here, and can still be told to skip.
    NotStarted(Box<dyn Operator>),
    /// The input is on the workers. Dropping the task ends it.
    Running { queue: Arc<Queue>, _task: Task<()> },
    /// Never seen from outside: while the one becomes the other.
    Starting,
}

impl Prefetch {
    /// The queue, with somebody at work to fill it.
    fn queue(&mut self) -> &Queue {
        if matches!(self.side, Side::NotStarted(_)) {
            let Side::NotStarted(input) = std::mem::replace(&mut self.side, Side::Starting) else {
                unreachable!("looked at above")
            };
            let queue = Arc::new(Queue::default());
            let mut producer = Producer {
                input,
                queue: Arc::clone(&queue),
                runtime: Arc::clone(&self.runtime),
                max_rows: self.max_rows,
                probe: self.probe.clone(),
            };
            let pool = self.runtime.pool.as_ref().expect("a prefetch without workers is its input");
            let task = pool.spawn(self.level, poll_fn(move |cx| producer.poll(cx)));
            self.side = Side::Running { queue, _task: task };
        }
        match &self.side {
            Side::Running { queue, .. } => queue,
            _ => unreachable!("running since above"),
        }
    }

    /// The next block of the queue.
    fn poll_queue(&mut self, cx: &mut Context<'_>) -> Poll<Option<(Block, Charge)>> {
        self.queue().poll_take(cx, |queue| {
            let Some((block, charge, _)) = queue.blocks.pop_front() else {
                return queue.has_ended.then_some(None);
            };
            queue.rows -= block.rows();
            Some(Some((block, charge)))
        })
    }
}

impl Operator for Prefetch {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            let (block, charge) = match self.rest.take() {
                Some(rest) => rest,
                None => match ready!(self.poll_queue(cx)) {
                    Some(next) => next,
                    None => return Poll::Ready(None),
                },
            };
            let Some(block) = self.debt.pay(block) else { continue };
            let rows = block.rows();
            if rows <= limit {
                return Poll::Ready(Some(block));
            }
            self.rest = Some((block.slice(limit..rows), charge));
            return Poll::Ready(Some(block.slice(0..limit)));
        }
    }

    fn skip(&mut self, rows: u64) {
        match &mut self.side {
            Side::NotStarted(input) => input.skip(rows),
            _ => self.debt.add(rows),
        }
    }
}
