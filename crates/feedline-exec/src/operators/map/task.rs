//! What a map has in flight.

use std::sync::Arc;
use std::time::Instant;

use async_task::Task;
use feedline_data::block::{Block, Position};

use super::function::MapFunction;
use super::gathering::Landings;
use super::grain::Grain;
use super::intake::TaskRows;
use crate::budget::Charge;
use crate::eval::{Allowance, Part};
use crate::metrics::QueuePart;
use crate::wanted::Mark;

/// A block being computed. Dropping it ends the task.
pub(super) struct InFlight {
    pub(super) work: Work,
    /// Rows it will have: as many as went in.
    pub(super) rows: usize,
    /// Where its first row is in the input.
    pub(super) position: Position,
    /// Rows of it to drop.
    pub(super) skipped: usize,
    /// Whether it came back without a single row, for want of memory. It is begun again when it is needed, and gets what it takes: before that it
    /// would come back again and again, for as long as nobody else gives memory back.
    pub(super) is_refused: bool,
    pub(super) _depth: QueuePart,
}

pub(super) enum Work {
    /// Not begun, or given back: there was no memory for its results.
    Waiting(Block),
    Running(Task<Result<Computed, String>>),
    Done(Computed),
}

impl InFlight {
    pub(super) fn is_done(&self) -> bool {
        match &self.work {
            Work::Waiting(_) => false,
            Work::Running(task) => task.is_finished(),
            Work::Done(_) => true,
        }
    }
}

/// What a task gives.
pub(super) struct Computed {
    pub(super) part: Part,
    /// The part of a batch's memory its rows are in too.
    pub(super) landings: Option<Landings>,
    /// What it is charged for; the first in flight may be charged beyond the budget.
    pub(super) charge: Charge,
}

/// What a task computes.
pub(super) struct Job {
    pub(super) function: Arc<MapFunction>,
    pub(super) grain: Arc<Grain>,
    pub(super) input: TaskRows,
    /// Where its rows belong in a batch.
    pub(super) landings: Option<Landings>,
    pub(super) allowance: Allowance,
    /// Whether the specs say what rows take.
    pub(super) is_size_known: bool,
    pub(super) wanted: Mark,
}

impl Job {
    /// Does it, and notes what it cost; how long it took as well.
    pub(super) fn run(self) -> (Computed, u64) {
        let Job { function, grain, input, landings, mut allowance, is_size_known, wanted } = self;
        let waiting = function.may_wait().then(|| grain.measure_waiting()).flatten();
        let block = input.into_block();
        let (rows, incoming) = (block.rows(), if is_size_known { 0 } else { block.byte_size() });
        let start = Instant::now();
        let (mut part, landings) = wanted.during(|| match landings {
            Some(landings) => function.run_into(block, landings, &mut allowance),
            None => (function.run(block, &mut allowance), None),
        });
        let elapsed_ns = start.elapsed().as_nanos() as u64;
        let num_done = part.done.as_ref().map_or(0, Block::rows);
        if num_done > 0 {
            grain.learn(num_done, elapsed_ns);
        }
        if let Some(waiting) = &waiting {
            grain.learn_waiting(waiting);
        }
        let made = part.done.as_ref().map_or(0, Block::byte_size)
            + landings.as_ref().map_or(0, Landings::moved_bytes);
        if allowance.refused_row_bytes() > 0 {
            grain.learn_bytes(1, allowance.refused_row_bytes() as usize);
        } else if !is_size_known && num_done == rows {
            grain.learn_bytes(rows, incoming.max(made));
        }
        let held = if is_size_known || landings.is_some() {
            None
        } else {
            let mut bytes = part.rest.as_ref().map_or(0, Block::byte_size) as u64;
            if let Some(done) = part.done.take() {
                // Results may be views of what was read for them.
                let (kept, kept_bytes) = allowance.keep(done);
                part.done = Some(kept);
                bytes += kept_bytes;
            }
            Some(bytes)
        };
        (Computed { part, landings, charge: allowance.into_charge(held) }, elapsed_ns)
    }
}
