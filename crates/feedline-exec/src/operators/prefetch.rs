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
//! Where it is known how many rows will be taken it runs no further; told of more, it goes on, as it does when somebody asks for one that it was
//! not told of.
//!
//! How many blocks make a full queue follows from whether more of them help ([`Depth`]), unless the user says how many
//! elements.
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
use crate::keeping::Keeper;
use crate::metrics::{HeldBack, Probe, QueuePart};
use crate::operator::{Gap, Operator, SkipDebt};
use crate::origin::Passing;
use crate::runtime::Runtime;
use crate::sparing::RowsAsked;
use crate::template::{Scope, Template};
use crate::tune::{Depth, Learned, Limits, Taken, now_ns};
use crate::turn::Turn;
use crate::workers::Level;

#[derive(Debug)]
pub(crate) struct PrefetchTemplate {
    pub(crate) input: Arc<dyn Template>,
    /// At most so many rows; `None`: as many as serve.
    pub(crate) buffer_size: Option<usize>,
    pub(crate) level: Level,
    /// What is known about how far to run ahead; kept here so that a new epoch does not start from nothing.
    pub(crate) learned: Arc<Learned>,
}

impl Template for PrefetchTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        // Without workers nobody could run ahead.
        if scope.runtime.pool.is_none() || self.buffer_size == Some(0) {
            return self.input.start(scope, at);
        }
        let turn = Turn::ahead_of_taker(&scope.turn);
        let input = self.input.start(&Scope { turn: Arc::clone(&turn), ..scope.clone() }, at)?;
        Ok(Box::new(Prefetch {
            side: Side::NotStarted(input),
            runtime: Arc::clone(&scope.runtime),
            turn,
            buffer_size: self.buffer_size,
            level: self.level,
            probe: scope.probe(),
            learned: Arc::clone(&self.learned),
            rest: None,
            asked: RowsAsked::default(),
            debt: SkipDebt::default(),
        }))
    }

    fn never_fails(&self, scope: &Scope) -> bool {
        self.input.never_fails(scope)
    }

    fn passes_on(&self) -> Option<(&Arc<dyn Template>, Passing)> {
        Some((&self.input, Passing::Each))
    }
}

/// The blocks between the two sides.
type Queue = HandOver<QueueState>;

#[derive(Debug)]
struct QueueState {
    /// Blocks that make it full.
    depth: Depth,
    blocks: VecDeque<(Block, Charge, QueuePart)>,
    /// Bytes of the last block put.
    last_bytes: u64,
    rows: usize,
    has_ended: bool,
    /// Rows of the queue and behind it that are to be taken, as long as nobody asks for more.
    asked: RowsAsked,
    /// Whether the input was not told yet.
    is_asked_new: bool,
}

impl QueueState {
    /// From here on so many rows are to be taken.
    fn ask(&mut self, rows: u64) {
        self.asked.set(rows);
        self.is_asked_new = true;
    }

    /// Rows that are wanted and not in the queue.
    fn missing(&self) -> usize {
        usize::try_from(self.asked.rows()).unwrap_or(usize::MAX).saturating_sub(self.rows)
    }
}

struct Producer {
    input: Box<dyn Operator>,
    queue: Arc<Queue>,
    runtime: Arc<Runtime>,
    turn: Arc<Turn>,
    max_rows: usize,
    probe: Probe,
    keeper: Keeper,
    /// How deep the queue may be, as long as it is not known how deep it should be at least: that depends on the size of blocks.
    first: Option<Limits>,
}

/// Blocks at least, where the user does not say how many: so many that neither side notices the other's hiccups, but no
/// more than so many bytes. Then two, one to be taken while the other is made.
const FIRST_BLOCKS: usize = 16;
const FIRST_BYTES: u64 = 1 << 20;
const MIN_BLOCKS: usize = 2;
/// A burst of a consumer is hardly longer; bytes are what the budget bounds.
const MAX_BLOCKS: usize = 1024;
/// The part of the budget that a queue may fill: others want to run ahead as well.
const QUEUE_PART_OF_BUDGET: u64 = 4;
/// Blocks put in one turn, so that other tasks of the same worker get theirs.
const BLOCKS_A_TURN: usize = 16;

impl Producer {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        for _ in 0..BLOCKS_A_TURN {
            let (room, wanted) = ready!(self.queue.poll_room(cx, |queue| {
                let missing = queue.missing();
                if missing == 0 {
                    self.probe.hold_back(Some(HeldBack::Full));
                    return None;
                }
                let is_full = queue.blocks.len() >= queue.depth.get() || queue.rows >= self.max_rows;
                // The next block is as large as the last, for all that is known.
                let is_refused = !queue.blocks.is_empty() && !self.runtime.budget.has_room(queue.last_bytes);
                if is_full || is_refused {
                    if is_full {
                        queue.depth.parked();
                    } else {
                        queue.depth.refused();
                    }
                    self.probe.hold_back(Some(if is_full { HeldBack::Full } else { HeldBack::Budget }));
                    return None;
                }
                self.probe.hold_back(None);
                let wanted = std::mem::take(&mut queue.is_asked_new).then_some(missing);
                Some((missing.min(self.max_rows - queue.rows), wanted))
            }));
            if let Some(wanted) = wanted {
                self.input.bound(wanted as u64);
            }
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
            let first = self.first.take_if(|_| !has_ended);
            let kept = block.map(|block| self.keeper.keep(block));
            // Of many streams each would have its next block, too, before its turn is over.
            self.turn.served();
            self.queue.give(|queue| {
                if let Some((block, bytes)) = kept {
                    if let Some(limits) = first {
                        let least =
                            (FIRST_BYTES / bytes.max(1)).clamp(MIN_BLOCKS as u64, FIRST_BLOCKS as u64);
                        queue.depth = Depth::tuned(Limits { min: least as usize, ..limits });
                    }
                    let charge = self.runtime.budget.charge(bytes);
                    queue.last_bytes = bytes;
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
        let error = ExecError::internal(format!("a step panicked: {message}")).that_ends_stream();
        let position = Position::at(Token::lost());
        let (charge, held) = (self.runtime.budget.charge(0), self.probe.hold("blocks", 1));
        self.queue.give(|queue| {
            queue.blocks.push_back((Block::of_error(0, error.into_row_error(), position), charge, held));
            queue.rows += 1;
            queue.has_ended = true;
        });
    }
}

struct Prefetch {
    side: Side,
    runtime: Arc<Runtime>,
    turn: Arc<Turn>,
    /// At most so many rows; `None`: as many as serve.
    buffer_size: Option<usize>,
    level: Level,
    probe: Probe,
    learned: Arc<Learned>,
    /// What was left of a block when fewer rows were asked for.
    rest: Option<(Block, Charge)>,
    /// Rows that will be asked for, as was said before it ran.
    asked: RowsAsked,
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
            let limits = Limits {
                min: 1,
                start: self.learned.depth_or(1),
                max: MAX_BLOCKS,
                max_bytes: self.runtime.budget.limit_bytes() / QUEUE_PART_OF_BUDGET,
            };
            let depth = match self.buffer_size {
                // Rows are what is counted then.
                Some(_) => Depth::fixed(usize::MAX),
                None => Depth::tuned(limits),
            };
            let queue = Arc::new(Queue::new(QueueState {
                depth,
                blocks: VecDeque::new(),
                last_bytes: 0,
                rows: 0,
                has_ended: false,
                asked: self.asked,
                // The input is here, and knows.
                is_asked_new: false,
            }));
            let mut producer = Producer {
                input,
                queue: Arc::clone(&queue),
                runtime: Arc::clone(&self.runtime),
                turn: Arc::clone(&self.turn),
                max_rows: self.buffer_size.unwrap_or(usize::MAX),
                first: self.buffer_size.is_none().then_some(limits),
                probe: self.probe.clone(),
                keeper: Keeper::new(&self.runtime.budget),
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
        let mut is_wanted = true;
        let polled = self.queue().poll_take(cx, |queue| {
            let Some((block, charge, _)) = queue.blocks.pop_front() else {
                if !queue.has_ended {
                    queue.depth.waits(now_ns());
                }
                is_wanted = queue.asked.rows() > 0;
                return queue.has_ended.then_some(None);
            };
            queue.rows -= block.rows();
            queue.asked.pass(block.rows());
            let is_half_ready = queue.blocks.len() >= queue.depth.get() / 2;
            let (rows, bytes) = (block.rows(), charge.bytes());
            queue.depth.taken(Taken { now_ns: now_ns(), rows, bytes, is_half_ready });
            Some(Some((block, charge)))
        });
        if polled.is_pending() {
            // If a block has come meanwhile, what comes behind that is charged without asking once more than need be.
            self.turn.begin();
            if !is_wanted {
                // Who asks wants one, whatever was said before.
                self.queue().ask(|queue| queue.ask(1));
            }
        }
        polled
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
            Side::NotStarted(input) => {
                self.asked.pass(usize::try_from(rows).unwrap_or(usize::MAX));
                input.skip(rows);
            }
            _ => self.debt.add(rows),
        }
    }

    fn bound(&mut self, rows: u64) {
        match &mut self.side {
            Side::NotStarted(input) => {
                self.asked.set(rows);
                input.bound(rows);
            }
            Side::Running { queue, .. } => {
                let here = self.rest.as_ref().map_or(0, |(block, _)| block.rows()) as u64;
                let wanted = rows.saturating_add(self.debt.rows()).saturating_sub(here);
                queue.ask(|queue| queue.ask(wanted));
            }
            Side::Starting => {}
        }
    }

    fn leave_out(&mut self, gaps: &[Gap]) -> bool {
        match &mut self.side {
            Side::NotStarted(input) => input.leave_out(gaps),
            _ => false,
        }
    }
}

impl Drop for Prefetch {
    fn drop(&mut self) {
        if let (Side::Running { queue, .. }, None) = (&self.side, self.buffer_size) {
            self.learned.set(queue.with(|queue| queue.depth.settled()));
        }
    }
}
