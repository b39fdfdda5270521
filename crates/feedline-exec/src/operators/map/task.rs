//! What a map has in flight.

use async_task::Task;
use feedline_data::block::{Block, Position};

use super::gathering::Landings;
use crate::budget::Charge;
use crate::metrics::QueuePart;

/// A block being computed. Dropping it ends the task.
pub(super) struct InFlight {
    pub(super) work: Work,
    /// Rows it will have: as many as went in.
    pub(super) rows: usize,
    /// Where its first row is in the input.
    pub(super) position: Position,
    /// Rows of it to drop.
    pub(super) skipped: usize,
    /// What it was charged for; the first in flight may be charged beyond the budget.
    pub(super) charge: Charge,
    pub(super) _depth: QueuePart,
}

pub(super) enum Work {
    Running(Task<Result<Computed, String>>),
    Done(Computed),
}

impl InFlight {
    pub(super) fn is_done(&self) -> bool {
        match &self.work {
            Work::Running(task) => task.is_finished(),
            Work::Done(_) => true,
        }
    }
}

/// What a task gives.
pub(super) struct Computed {
    pub(super) block: Block,
    /// The part of a batch's memory its rows are in too.
    pub(super) landings: Option<Landings>,
}
