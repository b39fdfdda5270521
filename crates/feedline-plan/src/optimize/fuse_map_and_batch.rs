//! Joins a map and the batch of it, so that results are computed into their place in the batch, on all cores, instead of
//! being copied together by one thread.
//!
//! The batches are the same, and so are the states: a map saves nothing, and the joined step is the batch to whoever saves.

use super::Rule;
use crate::{NodeKind, Plan, Result};

/// Joins a map and the batch of it.
#[derive(Debug)]
pub struct FuseMapAndBatch;

impl Rule for FuseMapAndBatch {
    fn name(&self) -> &'static str {
        "fuse_map_and_batch"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let NodeKind::Batch { batch_size, drop_remainder } = plan.node().kind else { return Ok(None) };
        let map = &plan.node().inputs[0];
        if map.spec().has_composite() {
            return Ok(None); // results have no place in the batch before all of them are known
        }
        let NodeKind::Map { function, num_parallel_calls } = &map.node().kind else { return Ok(None) };
        let kind = NodeKind::MapAndBatch {
            function: function.clone(),
            num_parallel_calls: *num_parallel_calls,
            batch_size,
            drop_remainder,
        };
        Ok(Some(plan.with_kind(kind, map.node().inputs.clone()).joined_with(map)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{declines, fires, ten};
    use super::*;

    #[test]
    fn a_map_and_its_batch_become_one() {
        let plan = ten().map(|x| x + 1, Some(2)).and_then(|plan| plan.batch(4, true)).expect("valid");
        let fused = "map_and_batch(add(x0, 1), num_parallel_calls=2, 4, drop_remainder=true)";
        assert_eq!(fires(&FuseMapAndBatch, &plan), ["range(0, 10, 1)", fused]);
    }

    #[test]
    fn other_batches_stay() {
        declines(&FuseMapAndBatch, &ten().batch(4, false).expect("valid"));
        let mapped = ten().map(|x| x + 1, None).expect("valid");
        declines(&FuseMapAndBatch, &mapped);
        declines(&FuseMapAndBatch, &mapped.repeat(Some(2)).batch(4, false).expect("valid"));
    }
}
