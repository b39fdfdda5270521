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

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use feedline_data::block::{Block, ErrorRow, RowError};
use feedline_plan::Plan;

use crate::error::{ExecError, PlanStep};

pub(crate) use self::held::HeldByCaller;
pub(crate) use self::measured::{Measured, back_at, is_back_wanted, take_panicked};
pub(crate) use self::probe::{HeldBack, Probe, QueuePart, Work};
pub use self::snapshot::{QueueSnapshot, Snapshot, StepSnapshot, WorkSnapshot};
use self::step::StepMetrics;

/// The counters of all operators of an iterator, in the order of the plan's lines.
#[derive(Debug)]
pub(crate) struct Metrics {
    steps: Vec<StepMetrics>,
    /// Times are counted from here.
    started: Instant,
    written: Option<Written>,
}

/// The plan as the user wrote it, for errors to say which of its steps they are of.
#[derive(Debug)]
struct Written {
    plan: Plan,
    /// The number that each step that runs has in it.
    numbers: Vec<u32>,
    /// What its steps are called; made when the first error asks.
    titles: OnceLock<Vec<Arc<str>>>,
}

impl Metrics {
    /// Counters for steps of these names.
    #[cfg(test)]
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Arc<Metrics> {
        let steps = names.into_iter().map(StepMetrics::new).collect();
        Arc::new(Metrics { steps, started: Instant::now(), written: None })
    }

    /// Counters for the steps of `running`, which the optimizer made of `written`, [numbered](Plan::numbered).
    pub(crate) fn of_plan(written: &Plan, running: &Plan) -> Arc<Metrics> {
        let steps = running.step_names().into_iter().map(StepMetrics::new).collect();
        let (plan, numbers, titles) = (written.clone(), running.step_numbers(), OnceLock::new());
        Arc::new(Metrics { steps, started: Instant::now(), written: Some(Written { plan, numbers, titles }) })
    }

    /// The step with that number in the plan as written, or, if it is 0, the one that `step` of those that run is.
    fn plan_step(&self, number: u32, step: usize) -> Option<PlanStep> {
        let Written { plan, numbers, titles } = self.written.as_ref()?;
        let number = if number == 0 { *numbers.get(step)? } else { number };
        let titles = titles.get_or_init(|| plan.step_titles().into_iter().map(Arc::from).collect());
        let title = Arc::clone(titles.get((number as usize).checked_sub(1)?)?);
        Some(PlanStep { number, title })
    }

    /// `error` with the step it is of, unless it says it already: `step` of those that run, where it does not know better.
    pub(crate) fn named_error(&self, error: ExecError, step: usize) -> ExecError {
        match error.unnamed_step().and_then(|number| self.plan_step(number, step)) {
            Some(found) => error.in_step(found),
            None => error,
        }
    }

    /// The errors of a block that came out of `step`, each with the step it is of.
    fn named(&self, block: Block, step: usize) -> Block {
        let named = |row: &ErrorRow| -> Option<RowError> {
            let known = row.error.downcast_ref::<ExecError>()?;
            known.unnamed_step()?;
            Some(self.named_error(known.clone(), step).into_row_error())
        };
        // Those of steps before it have it already.
        if !block.errors().iter().any(is_unnamed) {
            return block;
        }
        block.map_errors(|row| named(row).unwrap_or_else(|| Arc::clone(&row.error)))
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

fn is_unnamed(row: &ErrorRow) -> bool {
    row.error.downcast_ref::<ExecError>().is_some_and(|error| error.unnamed_step().is_some())
}
