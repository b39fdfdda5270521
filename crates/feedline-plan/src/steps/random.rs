//! Numbers without end: counted, and random ones.

use feedline_data::{DType, ElementSpec, TensorSpec};

use crate::plan::misplaced;
use crate::{Cardinality, NodeKind, Plan, Result, SeedPair};

impl Plan {
    /// The numbers from `start` by `step`, as int64, without end.
    pub fn counter(start: i64, step: i64) -> Plan {
        Plan::source(NodeKind::Counter { start, step }, numbers(), Cardinality::Infinite)
    }

    /// Random numbers from 0 to before 2³², as int64, without end.
    pub fn random(seeds: SeedPair, rerandomize_each_iteration: bool) -> Plan {
        Plan::source(NodeKind::Random { seeds, rerandomize_each_iteration }, numbers(), Cardinality::Infinite)
    }

    /// The random numbers this plan ends in, the same or others in each iteration.
    pub fn with_rerandomize(&self, anew: bool) -> Result<Plan> {
        match &self.node().kind {
            NodeKind::Random { seeds, .. } => Ok(Plan::random(*seeds, anew)),
            other => Err(misplaced("rerandomize_each_iteration", "random", other)),
        }
    }
}

/// Elements that are one int64.
pub(super) fn numbers() -> ElementSpec {
    ElementSpec::Leaf(TensorSpec::scalar(DType::Int64))
}
