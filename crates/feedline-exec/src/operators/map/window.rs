//! How many tasks a map has in flight.

use crate::runtime::{MAX_WAITING_TASKS, Runtime};
use crate::tune::{Depth, Learned, Limits};

/// Waiting tasks to begin with: enough for the next measurements to say something soon, too few to flood anybody.
const FIRST_WAITING_TASKS: usize = 16;
/// Tasks for each worker at least: one being computed, one ready to be. (Also of rows of 8 MiB: one each, so that more stays in the last cache, was a quarter slower.)
const TASKS_A_WORKER: usize = 2;
/// And at most: a row that takes a hundred times as long as others holds up those behind it, and more of them keep the other workers busy meanwhile.
const MAX_TASKS_A_WORKER: usize = 16;
/// The part of the budget that tasks may fill for the sake of running ahead: others want to as well.
const WINDOW_PART_OF_BUDGET: u64 = 4;

/// How many tasks there are at a time.
pub(super) fn window_depth(
    num_parallel_calls: Option<usize>,
    waits: bool,
    runtime: &Runtime,
    learned: &Learned,
) -> Depth {
    let threads = runtime.threads().max(1);
    let max = if waits { MAX_WAITING_TASKS } else { threads * MAX_TASKS_A_WORKER };
    if let Some(calls) = num_parallel_calls {
        return Depth::fixed(calls.min(max));
    }
    let least = threads * TASKS_A_WORKER;
    let (min, start) = if waits { (2, FIRST_WAITING_TASKS) } else { (least, least) };
    let max_bytes = runtime.budget.limit_bytes() / WINDOW_PART_OF_BUDGET;
    Depth::tuned(Limits { min, start: learned.depth_or(start), max, max_bytes })
}

/// How many of them can run at a time.
pub(super) fn capacity(waits: bool, runtime: &Runtime) -> usize {
    if waits { MAX_WAITING_TASKS } else { runtime.threads() }
}
