//! How many rows make a task.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::runtime::Runtime;
use crate::tune::waiting::Waiting;

/// What rows have cost so far: how many make a task, and whether tasks compute or wait.
#[derive(Debug, Default)]
pub(crate) struct Grain {
    /// Nanoseconds a row takes, times 1024; 0 before the first was measured. Relaxed: an estimate, and nothing else is
    /// read because of it.
    row_cost: AtomicU64,
    /// Bytes a row takes, incoming or outgoing, whichever is more; 0 before the first was measured. Relaxed as well.
    row_bytes: AtomicU64,
    /// Tasks begun whose waiting may be measured; microseconds of those that were, and of those the ones they waited. Relaxed as well.
    num_tasks: AtomicU64,
    measured_us: AtomicU64,
    waited_us: AtomicU64,
}

/// What a row whose size nobody knows is taken to have: a record, a small image.
const UNKNOWN_ROW_BYTES: usize = 4096;

/// A task should take about this long: a hundred times what handing it over costs (some 3 µs here), short enough that a
/// handful of them balance the threads.
const TASK_NS: u64 = 300_000;
/// A task may be so many blocks large: its rows go to another core, so they need not fit beside others in this one's cache.
const BLOCKS_A_TASK: usize = 16;
/// No task is larger than this part of the budget: one block for each step may be held beyond it.
const TASK_PART_OF_BUDGET: u64 = 32;

/// Bytes of a task at most, where rows come with bytes of their own.
pub(super) fn max_task_bytes(runtime: &Runtime) -> usize {
    let part = usize::try_from(runtime.budget.limit_bytes() / TASK_PART_OF_BUDGET).unwrap_or(usize::MAX);
    runtime.block_rows(1).saturating_mul(BLOCKS_A_TASK).min(part)
}

/// Rows of a task at most, of one of `num_streams` maps.
pub(super) fn max_task_rows(runtime: &Runtime, row_bytes: usize, num_streams: usize) -> usize {
    let part_bytes = runtime.budget.limit_bytes() / TASK_PART_OF_BUDGET / num_streams.max(1) as u64;
    let part = part_bytes / row_bytes.max(1) as u64;
    let rows = runtime.block_rows(row_bytes) * BLOCKS_A_TASK;
    rows.min(usize::try_from(part).unwrap_or(usize::MAX)).max(1)
}

/// A batch that is the work of so many tasks is still made by one: 2 ms, in which others make others.
const TASKS_A_BATCH: usize = 8;

/// Work below this is done on the spot.
const INLINE_NS: u64 = 15_000;

/// Of the tasks behind the first few, one in so many is measured for waiting, which costs some ten microseconds.
const TASKS_A_MEASUREMENT: u64 = 8;
/// So much must have been measured to say anything, and so much is remembered.
const MIN_MEASURED_US: u64 = 5_000;
const MAX_MEASURED_US: u64 = 400_000;

impl Grain {
    pub(super) fn learn(&self, rows: usize, elapsed_ns: u64) {
        let seen = (elapsed_ns * 1024 / rows.max(1) as u64).max(1);
        let old = self.row_cost.load(Ordering::Relaxed);
        // A quarter of the new: follows a change within a few tasks, shrugs off one slow row.
        let new = if old == 0 { seen } else { (old * 3 + seen) / 4 };
        self.row_cost.store(new.max(1), Ordering::Relaxed);
    }

    /// Begins to measure how long a task waits, if it is this one's turn.
    pub(super) fn measure_waiting(&self) -> Option<Waiting> {
        let number = self.num_tasks.fetch_add(1, Ordering::Relaxed);
        let is_measured = number < TASKS_A_MEASUREMENT || number.is_multiple_of(TASKS_A_MEASUREMENT);
        is_measured.then(Waiting::start).flatten()
    }

    /// Notes how long a task has waited.
    pub(super) fn learn_waiting(&self, waiting: &Waiting) {
        let Some((waited_ns, total_ns)) = waiting.elapsed_ns() else { return };
        let waited_us = self.waited_us.fetch_add(waited_ns / 1000, Ordering::Relaxed);
        let measured_us = self.measured_us.fetch_add(total_ns / 1000, Ordering::Relaxed);
        if measured_us > MAX_MEASURED_US {
            // What is older counts less. Two threads at a time may halve twice, which does no harm.
            self.waited_us.store(waited_us / 2, Ordering::Relaxed);
            self.measured_us.store(measured_us / 2, Ordering::Relaxed);
        }
    }

    /// Whether tasks mostly wait, if they did so far (`waits`) or did not.
    pub(super) fn waits(&self, waits: bool) -> bool {
        let measured_us = self.measured_us.load(Ordering::Relaxed);
        let waited_us = self.waited_us.load(Ordering::Relaxed);
        if measured_us < MIN_MEASURED_US {
            return waits;
        }
        // A wide gap between the two: moving to other threads and back gains nothing.
        waited_us > if waits { measured_us / 8 } else { measured_us / 2 }
    }

    /// Notes how many bytes `rows` rows take.
    pub(super) fn learn_bytes(&self, rows: usize, bytes: usize) {
        let seen = (bytes / rows.max(1)).max(1) as u64;
        let old = self.row_bytes.load(Ordering::Relaxed);
        let new = if old == 0 { seen } else { (old * 3 + seen).div_ceil(4) };
        self.row_bytes.store(new, Ordering::Relaxed);
    }

    /// Whether rows were seen.
    pub(super) fn knows_bytes(&self) -> bool {
        self.row_bytes.load(Ordering::Relaxed) > 0
    }

    /// Bytes of a row, as far as rows were seen.
    pub(super) fn row_bytes(&self) -> usize {
        match self.row_bytes.load(Ordering::Relaxed) {
            0 => UNKNOWN_ROW_BYTES,
            bytes => bytes as usize,
        }
    }

    /// Rows of the next task, at most `max_rows`, and whole batches of `batch_size` where those are about as much work: what
    /// is computed in one task lies side by side, so it is the batch's memory already.
    pub(super) fn rows(&self, max_rows: usize, batch_size: Option<usize>) -> usize {
        let rows = match self.row_cost.load(Ordering::Relaxed) {
            // Nothing known: one row cannot be too many.
            0 => return 1,
            cost => ((TASK_NS * 1024 / cost) as usize).clamp(1, max_rows),
        };
        match batch_size {
            Some(size) if size <= rows => rows - rows % size,
            // More work than a task's costs less than copying the batch together.
            Some(size) if size <= rows * TASKS_A_BATCH && size <= max_rows * 2 => size,
            _ => rows,
        }
    }

    /// Whether `rows` rows are too little work to hand over.
    pub(super) fn is_small(&self, rows: usize) -> bool {
        let cost = self.row_cost.load(Ordering::Relaxed);
        cost != 0 && cost.saturating_mul(rows as u64) < INLINE_NS * 1024
    }
}
