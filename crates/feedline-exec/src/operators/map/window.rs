//! How many tasks a map has in flight.

use crate::runtime::{MAX_WAITING_TASKS, Runtime};
use crate::tune::{Depth, Learned, Limits};

/// Waiting tasks to begin with: enough for the next measurements to say something soon, too few to flood anybody.
const FIRST_WAITING_TASKS: usize = 16;
/// Tasks for each worker at most. Two do where rows cost about the same: one being computed, one ready to be. A row that takes
/// a hundred times as long as others holds up those behind it, and more of them keep the other workers busy meanwhile.
const MAX_TASKS_A_WORKER: usize = 16;
/// Rows so large are computed with nothing else ready: a few of them fill the last cache, and what does not fit there takes
/// three times as long.
const HUGE_ROW_BYTES: usize = 4 << 20;
/// The part of the budget that tasks may fill for the sake of running ahead: others want to as well.
const WINDOW_PART_OF_BUDGET: u64 = 4;

/// How many tasks there are at a time.
pub(super) fn window_depth(
    num_parallel_calls: Option<usize>,
    waits: bool,
    runtime: &Runtime,
    learned: &Learned,
    row_bytes: usize,
) -> Depth {
    let threads = runtime.threads().max(1);
    let max = if waits { MAX_WAITING_TASKS } else { threads * MAX_TASKS_A_WORKER };
    if let Some(calls) = num_parallel_calls {
        return Depth::fixed(calls.min(max));
    }
    let is_huge = row_bytes >= HUGE_ROW_BYTES && !waits;
    let tasks_a_worker = if is_huge { 1 } else { 2 };
    let max = if is_huge { threads } else { max };
    let least = threads * tasks_a_worker;
    let (min, start) = if waits { (2, FIRST_WAITING_TASKS) } else { (least, least) };
    let max_bytes = runtime.budget.limit_bytes() / WINDOW_PART_OF_BUDGET;
    Depth::tuned(Limits { min, start: learned.depth_or(start), max, max_bytes })
}

/// How many of them can run at a time.
pub(super) fn capacity(waits: bool, runtime: &Runtime) -> usize {
    if waits { MAX_WAITING_TASKS } else { runtime.threads() }
}
