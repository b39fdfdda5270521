//! Elements in random order.

use crate::plan::misplaced;
use crate::{Cardinality, NodeKind, Plan, PlanError, Result, SeedPair};

/// The size of a shuffle's buffer that holds all elements, however many there are: tf.data's `UNKNOWN_CARDINALITY` there.
pub const EVERYTHING: usize = usize::MAX;

impl Plan {
    /// Elements drawn from a buffer of `buffer_size`, or of [`EVERYTHING`].
    pub fn shuffle(
        &self,
        buffer_size: usize,
        seeds: SeedPair,
        reshuffle_each_iteration: bool,
    ) -> Result<Plan> {
        if buffer_size == 0 {
            return Err(PlanError::argument("shuffle: buffer_size must be greater than zero"));
        }
        if buffer_size == EVERYTHING && self.cardinality() == Cardinality::Infinite {
            return Err(PlanError::argument(
                "shuffle: a buffer cannot hold everything of a dataset without end",
            )
            .with_hint("shuffle before repeat, or say how many elements the buffer holds"));
        }
        // The kernel's rule: two zeros mean "no seed" to it.
        let seeds = if seeds.seed == 0 && seeds.seed2 == 0 {
            SeedPair { seed2: i64::from(i32::MAX), ..seeds }
        } else {
            seeds
        };
        let kind = NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration };
        Ok(self.same_elements(kind, self.cardinality()))
    }

    /// The shuffle or random numbers this plan ends in, with other seeds.
    pub fn with_seeds(&self, new: SeedPair) -> Result<Plan> {
        match &self.node().kind {
            NodeKind::Shuffle { buffer_size, reshuffle_each_iteration, .. } => {
                self.node().inputs[0].shuffle(*buffer_size, new, *reshuffle_each_iteration)
            }
            kind if kind.seeds().is_some() => {
                Ok(self.with_kind(kind.with_seeds(new), self.node().inputs.clone()))
            }
            other => Err(misplaced("seed", "shuffle or random", other)),
        }
    }

    /// The shuffle this plan ends in, with or without an order of its own for each iteration.
    pub fn with_reshuffle(&self, reshuffle: bool) -> Result<Plan> {
        self.changed("reshuffle_each_iteration", "shuffle", |input, kind| match kind {
            NodeKind::Shuffle { buffer_size, seeds, .. } => {
                Some(input.shuffle(*buffer_size, *seeds, reshuffle))
            }
            NodeKind::GlobalShuffle { seeds, .. } => Some(input.global_shuffle(*seeds, reshuffle)),
            _ => None,
        })
    }
}
