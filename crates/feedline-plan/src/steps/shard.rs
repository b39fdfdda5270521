//! Every n-th element.

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// Of every `num_shards` elements, the one at `index`.
    pub fn shard(&self, num_shards: u64, index: u64) -> Result<Plan> {
        if num_shards == 0 {
            return Err(PlanError::argument("shard: num_shards must be greater than zero"));
        }
        if index >= num_shards {
            return Err(PlanError::argument(format!("shard: index {index} of {num_shards} shards"))
                .with_hint("shards are counted from 0"));
        }
        let cardinality = match self.cardinality() {
            Cardinality::Known(own) => {
                Cardinality::Known(own / num_shards + u64::from(index < own % num_shards))
            }
            other => other,
        };
        Ok(self.same_elements(NodeKind::Shard { num_shards, index }, cardinality))
    }
}
