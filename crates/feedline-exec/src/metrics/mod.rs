//! What every operator counts, under the same names, and what it waits for.
//!
//! - [`StepMetrics`] are the counters of a step, all operators started for it together; [`Measured`] counts what every
//!   operator does alike: rows, time, "not yet".
//! - A [`Probe`] is the end of them that an operator holds: it says how full its queue is ([`QueuePart`]) and what is being done
//!   for it on other threads ([`Work`]).
//! - [`Snapshot`] is all of it at one moment. Profilers, tuners and the report of a stall read the same.

mod held;
mod measured;
mod probe;
mod snapshot;
mod step;
mod text;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

pub(crate) use self::held::HeldByCaller;
pub(crate) use self::measured::{Measured, back_at};
pub(crate) use self::probe::{HeldBack, Probe, QueuePart, Work};
pub use self::snapshot::{QueueSnapshot, Snapshot, StepSnapshot, WorkSnapshot};
use self::step::StepMetrics;

/// The counters of all operators of an iterator, in the order of the plan's lines.
#[derive(Debug)]
pub(crate) struct Metrics {
    steps: Vec<StepMetrics>,
    /// Times are counted from here.
    started: Instant,
}

impl Metrics {
    /// Counters for steps of these names.
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Arc<Metrics> {
        let steps = names.into_iter().map(StepMetrics::new).collect();
        Arc::new(Metrics { steps, started: Instant::now() })
    }

    /// Time since the iterator was made.
    pub(crate) fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// All counters now, sources first.
    pub(crate) fn snapshot(&self) -> Vec<StepSnapshot> {
        let now_ns = self.now_ns();
        self.steps.iter().map(|step| step.snapshot(now_ns)).collect()
    }

    /// A number that changes whenever something moves: rows come out, a task is done, a queue grows or shrinks.
    pub(crate) fn progress(&self) -> u64 {
        let moves = |step: &StepMetrics| {
            let read = [&step.blocks, &step.moves].map(|counter| counter.load(Ordering::Relaxed));
            read[0].wrapping_add(read[1])
        };
        self.steps.iter().fold(0, |sum, step| sum.wrapping_add(moves(step)))
    }

    /// Adds time spent for `step` outside its own turn, on a worker.
    pub(crate) fn add_busy(&self, step: usize, busy_ns: u64) {
        self.steps[step].busy_ns.fetch_add(busy_ns, Ordering::Relaxed);
    }
}
