//! What an iterator has done and is doing, at one moment.

/// All counters of an iterator at one moment. Printed, it says who waits for whom.
///
/// Taking one costs a few loads a step and stops nobody, so numbers of different steps may be apart by a block.
///
/// ```
/// # use feedline_exec::{Elements, Options};
/// # use feedline_plan::Plan;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut elements = Elements::start(&Plan::range(0, 1000, 1)?, &Options::new(), 0)?;
/// let first = elements.next();
/// let snapshot = elements.metrics();
/// assert_eq!((snapshot.steps[0].elements, snapshot.steps[0].bytes), (1000, 8000));
/// // A thousand numbers lie in one piece of memory, and as long as one is there it is.
/// assert_eq!(snapshot.held_by_caller_bytes, 8000);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Each step that runs, sources first. `explain` shows what the optimizer made of those written.
    pub steps: Vec<StepSnapshot>,
    /// Time since the iterator was made.
    pub elapsed_ns: u64,
    /// Bytes charged to the memory budget now.
    pub budget_used_bytes: u64,
    /// The most that was ever charged.
    pub budget_peak_bytes: u64,
    /// What may be charged.
    pub budget_limit_bytes: u64,
    /// Bytes charged now by all iterators that share the process's budget, and by caches that wait for the next iterator. Of an
    /// iterator that was given more than the process has, and so shares with nobody, this and the next two are its own numbers.
    pub process_budget_used_bytes: u64,
    /// The most that they ever charged together.
    pub process_budget_peak_bytes: u64,
    /// What they may charge together.
    pub process_budget_limit_bytes: u64,
    /// Bytes of elements that were handed out and are still in use, and of the block being handed out. The elements of a
    /// block share memory: it counts as held until the last of them, and the last slice of them, is dropped. What it counts
    /// is the values; strings may keep a larger read buffer alive.
    pub held_by_caller_bytes: u64,
    /// Worker threads; 0 for the reference, which has none.
    pub workers: usize,
    /// Tasks of any iterator on these workers that are ready and wait for one.
    pub tasks_ready: usize,
    /// Threads for reads that block, of all iterators, at work or idle.
    pub io_threads: usize,
}

impl Snapshot {
    /// Bytes that all steps have written to the spill folder; 0 where everything fitted the memory budget.
    pub fn spilled_bytes(&self) -> u64 {
        self.steps.iter().map(|step| step.spilled_bytes).sum()
    }
}

/// What one step has done so far and is doing, all operators started for it (epochs, nested datasets) together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepSnapshot {
    /// The step as the plan prints it.
    pub name: String,
    /// Elements that came out.
    pub elements: u64,
    /// Errors that came out.
    pub errors: u64,
    /// Errors that came in and were left out or replaced: by `on_error` and `ignore_errors`.
    pub handled_errors: u64,
    /// Bytes of the elements that came out.
    pub bytes: u64,
    /// Blocks that came out.
    pub blocks: u64,
    /// Time spent in it, its inputs not counted, all threads together.
    pub busy_ns: u64,
    /// How often it was asked and had nothing yet.
    pub not_ready: u64,
    /// Time during which somebody had asked and it had nothing yet, the wait at hand included. Of nested datasets, which are
    /// asked ahead of their turn, the times of all of them together.
    pub waiting_ns: u64,
    /// For how long whoever asked waits already; `None` if nobody does.
    pub waits_since_ns: Option<u64>,
    /// The number in [`Snapshot::steps`] of the step it waits for; `None` if it waits for none.
    pub waits_for: Option<usize>,
    /// Time since rows last came out; `None` before the first.
    pub idle_ns: Option<u64>,
    /// What it holds between its input and its output, for steps that hold something.
    pub queue: Option<QueueSnapshot>,
    /// Bytes it has written to the spill folder: elements that memory had no room for. Some are written more than once.
    pub spilled_bytes: u64,
    /// What is being done for it now on workers and I/O threads.
    pub under_way: Vec<WorkSnapshot>,
    /// Why it does not run further ahead, if it could.
    pub held_back: Option<&'static str>,
}

/// How full the queue, window or buffer of a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueSnapshot {
    /// What is counted: `blocks` of a prefetch, `tasks` of a map, `pieces` of files, `streams` of an interleave, `elements` of
    /// a shuffle, `windows` of a global shuffle.
    pub unit: &'static str,
    /// How many there are now.
    pub depth: u64,
    /// The most there ever were.
    pub max_depth: u64,
}

/// Something being done on another thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkSnapshot {
    /// What, in words: `reading train-3.tfrecord at byte 1048576`.
    pub what: String,
    /// For how long already.
    pub elapsed_ns: u64,
}
