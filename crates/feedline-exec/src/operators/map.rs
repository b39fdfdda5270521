//! A function of each element, computed for many elements at a time on many threads.
//!
//! Out comes the function of each row, in the order of the input; error rows pass. Holds a window of blocks being
//! computed: running ahead is charged to the budget, one block is always allowed. Saves nothing of its own: a position
//! after it is one before it. Skipping passes on to the input without computing anything.
//!
//! # How it runs
//! The thread that polls pulls blocks from the input and hands each to the workers as a task; results are taken from the
//! front of the window, so order is that of the input whatever finishes first. The size of a task follows the measured
//! cost of a row ([`Grain`]). Work so small that handing it over would cost more than doing it is done on the spot.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use async_task::Task;
use feedline_data::block::{Block, Position, Token};

use crate::budget::Charge;
use crate::error::{ExecError, panic_message};
use crate::eval::Program;
use crate::operator::{Operator, cut};
use crate::runtime::Runtime;
use crate::template::{Scope, Template};
use crate::workers::Level;

#[derive(Debug)]
pub(crate) struct MapTemplate {
    pub(crate) input: Arc<dyn Template>,
    pub(crate) program: Arc<Program>,
    /// Bytes of an incoming or outgoing element, whichever is more, as far as the specs say.
    pub(crate) row_bytes: usize,
    /// At most so many rows at a time; `None`: as many as serve.
    pub(crate) num_parallel_calls: Option<usize>,
    /// What a batch right behind it wants at a time.
    pub(crate) batch_size: Option<usize>,
    pub(crate) level: Level,
    /// Its number among the plan's steps.
    pub(crate) step: usize,
    /// What is known about the cost of a row; kept here so that a new epoch does not start from nothing.
    pub(crate) grain: Arc<Grain>,
}

impl Template for MapTemplate {
    fn start(&self, scope: &Scope, at: Option<&Position>) -> Result<Box<dyn Operator>, ExecError> {
        let runtime = Arc::clone(&scope.runtime);
        // Twice as many blocks as threads: one being computed, one ready to be. More only adds memory.
        let window = self.num_parallel_calls.unwrap_or(usize::MAX).min(runtime.threads() * 2);
        Ok(Box::new(Map {
            input: self.input.start(scope, at)?,
            program: Arc::clone(&self.program),
            row_bytes: self.row_bytes,
            block_rows: runtime.block_rows(self.row_bytes),
            max_window: window.max(1),
            max_task_rows: max_task_rows(&runtime, self.row_bytes),
            batch_size: self.batch_size,
            window: VecDeque::new(),
            rest: None,
            has_input_ended: false,
            level: self.level,
            step: self.step,
            grain: Arc::clone(&self.grain),
            runtime,
        }))
    }
}

/// How many rows make a task, from what rows have cost so far.
#[derive(Debug, Default)]
pub(crate) struct Grain {
    /// Nanoseconds a row takes, times 1024; 0 before the first was measured. Relaxed: an estimate, and nothing else is
    /// read because of it.
    row_cost: AtomicU64,
}

/// A task should take about this long: a hundred times what handing it over costs (some 3 µs here), short enough that a
/// handful of them balance the threads.
const TASK_NS: u64 = 300_000;
/// A task may be so many blocks large: its rows go to another core, so they need not fit beside others in this one's cache.
const BLOCKS_A_TASK: usize = 16;
/// No task is larger than this part of the budget: one block for each step may be held beyond it.
const TASK_PART_OF_BUDGET: u64 = 32;

fn max_task_rows(runtime: &Runtime, row_bytes: usize) -> usize {
    let part = runtime.budget.limit_bytes() / TASK_PART_OF_BUDGET / row_bytes.max(1) as u64;
    let rows = runtime.block_rows(row_bytes) * BLOCKS_A_TASK;
    rows.min(usize::try_from(part).unwrap_or(usize::MAX)).max(1)
}

/// Work below this is done on the spot.
const INLINE_NS: u64 = 15_000;

impl Grain {
    fn learn(&self, rows: usize, elapsed_ns: u64) {
        let seen = (elapsed_ns * 1024 / rows.max(1) as u64).max(1);
        let old = self.row_cost.load(Ordering::Relaxed);
        // A quarter of the new: follows a change within a few tasks, shrugs off one slow row.
        let new = if old == 0 { seen } else { (old * 3 + seen) / 4 };
        self.row_cost.store(new.max(1), Ordering::Relaxed);
    }

    /// Rows of the next task, at most `max_rows`, and whole batches of `batch_size` where those are about as much work: what
    /// is computed in one task lies side by side, so it is the batch's memory already.
    fn rows(&self, max_rows: usize, batch_size: Option<usize>) -> usize {
        let rows = match self.row_cost.load(Ordering::Relaxed) {
            // Nothing known: one row cannot be too many.
            0 => return 1,
            cost => ((TASK_NS * 1024 / cost) as usize).clamp(1, max_rows),
        };
        match batch_size {
            Some(size) if size <= rows => rows - rows % size,
            // Twice the work of a task costs less than copying the batch together.
            Some(size) if size <= rows * 2 && size <= max_rows * 2 => size,
            _ => rows,
        }
    }

    /// Whether `rows` rows are too little work to hand over.
    fn is_small(&self, rows: usize) -> bool {
        let cost = self.row_cost.load(Ordering::Relaxed);
        cost != 0 && cost.saturating_mul(rows as u64) < INLINE_NS * 1024
    }
}

struct Map {
    input: Box<dyn Operator>,
    program: Arc<Program>,
    runtime: Arc<Runtime>,
    row_bytes: usize,
    block_rows: usize,
    max_window: usize,
    max_task_rows: usize,
    batch_size: Option<usize>,
    window: VecDeque<InFlight>,
    /// What was left of a block when fewer rows were asked for.
    rest: Option<Block>,
    has_input_ended: bool,
    level: Level,
    step: usize,
    grain: Arc<Grain>,
}

/// A block being computed. Dropping it ends the task.
struct InFlight {
    work: Work,
    /// Rows it will have: as many as went in.
    rows: usize,
    /// Rows of it to drop.
    skipped: usize,
    /// What it was charged for; the first in flight may be charged beyond the budget.
    _charge: Charge,
}

enum Work {
    Running(Task<Result<Block, String>>),
    Done(Block),
}

impl Map {
    /// Starts as much work as the window and the budget allow.
    fn fill_window(&mut self, cx: &mut Context<'_>) {
        while !self.has_input_ended && self.window.len() < self.max_window {
            let rows = self.grain.rows(self.max_task_rows, self.batch_size);
            // Asked before the rows are pulled: what is refused stays where it is.
            let bytes = (self.row_bytes * rows) as u64;
            let charge = match self.runtime.budget.try_charge(bytes) {
                Some(charge) => charge,
                None if self.window.is_empty() => self.runtime.budget.charge(bytes),
                None => return,
            };
            match self.input.poll_block(cx, rows) {
                Poll::Pending => return,
                Poll::Ready(None) => self.has_input_ended = true,
                Poll::Ready(Some(block)) => {
                    let rows = block.rows();
                    let work = self.begin(block);
                    self.window.push_back(InFlight { work, rows, skipped: 0, _charge: charge });
                }
            }
        }
    }

    fn begin(&self, block: Block) -> Work {
        let program = Arc::clone(&self.program);
        let grain = Arc::clone(&self.grain);
        // User code never runs on the thread that asks: that may be the consumer's own.
        let is_inline = self.grain.is_small(block.rows()) && !program.is_user_code();
        let Some(pool) = self.runtime.pool.as_ref().filter(|_| !is_inline) else {
            return Work::Done(compute(&program, &grain, block).0);
        };
        let (metrics, step) = (Arc::clone(&self.runtime.metrics), self.step);
        Work::Running(pool.spawn(self.level, async move {
            let computed = catch_unwind(AssertUnwindSafe(|| compute(&program, &grain, block)));
            let (block, elapsed_ns) = computed.map_err(|panic| panic_message(&*panic))?;
            metrics.add_busy(step, elapsed_ns);
            Ok(block)
        }))
    }

    /// A panic in a kernel is a bug; it surfaces once, as an error, and ends the stream.
    fn end_with_panic(&mut self, message: &str) -> Block {
        self.window.clear();
        self.has_input_ended = true;
        let error = ExecError::internal(format!("map panicked: {message}")).into_row_error();
        Block::of_error(0, error, Position::at(Token::new(|_| ())))
    }
}

/// Runs the program and notes what it cost.
fn compute(program: &Program, grain: &Grain, block: Block) -> (Block, u64) {
    let rows = block.rows();
    let start = Instant::now();
    let block = program.run(block);
    let elapsed_ns = start.elapsed().as_nanos() as u64;
    grain.learn(rows, elapsed_ns);
    (block, elapsed_ns)
}

impl Operator for Map {
    fn poll_block(&mut self, cx: &mut Context<'_>, limit: usize) -> Poll<Option<Block>> {
        loop {
            if let Some(block) = self.rest.take() {
                return Poll::Ready(Some(cut(block, limit, &mut self.rest)));
            }
            if self.runtime.pool.is_none() {
                let rows = limit.min(self.block_rows);
                return self
                    .input
                    .poll_block(cx, rows)
                    .map(|block| block.map(|block| self.program.run(block)));
            }
            self.fill_window(cx);
            let Some(head) = self.window.front_mut() else {
                return if self.has_input_ended { Poll::Ready(None) } else { Poll::Pending };
            };
            if let Work::Running(task) = &mut head.work {
                match Pin::new(task).poll(cx) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Ok(block)) => head.work = Work::Done(block),
                    Poll::Ready(Err(panic)) => return Poll::Ready(Some(self.end_with_panic(&panic))),
                }
            }
            let head = self.window.pop_front().expect("looked at above");
            let Work::Done(block) = head.work else { unreachable!("made so above") };
            self.rest = (head.skipped < head.rows).then(|| block.slice(head.skipped..head.rows));
        }
    }

    fn skip(&mut self, mut rows: u64) {
        if let Some(block) = self.rest.take() {
            let dropped = rows.min(block.rows() as u64);
            rows -= dropped;
            let count = block.rows();
            self.rest = (dropped < count as u64).then(|| block.slice(dropped as usize..count));
        }
        while rows > 0 {
            let Some(head) = self.window.iter_mut().find(|head| head.skipped < head.rows) else { break };
            let dropped = rows.min((head.rows - head.skipped) as u64);
            head.skipped += dropped as usize;
            rows -= dropped;
        }
        self.window.retain(|in_flight| in_flight.skipped < in_flight.rows);
        self.input.skip(rows);
    }
}
