//! Several elements as one.

use crate::{Cardinality, NodeKind, Plan, PlanError, Result, Windows};

impl Plan {
    /// Every `batch_size` elements as one.
    pub fn batch(&self, batch_size: usize, drop_remainder: bool) -> Result<Plan> {
        if batch_size == 0 {
            return Err(PlanError::argument("batch: batch_size must be greater than zero"));
        }
        self.check_tensors("batch")?;
        let size = batch_size as u64;
        let cardinality =
            self.cardinality().map(|count| if drop_remainder { count / size } else { count.div_ceil(size) });
        // Every batch is full only if what is not is dropped, or nothing can be left over.
        let is_full = drop_remainder || self.cardinality() == Cardinality::Infinite;
        let dim = is_full.then_some(batch_size);
        let spec = self.spec().batched(dim);
        Ok(self.step(NodeKind::Batch { batch_size, drop_remainder }, spec, cardinality))
    }

    /// The batch this plan ends in, without a last one that is not full.
    pub fn with_drop_remainder(&self) -> Result<Plan> {
        self.changed("drop_remainder", "batch", |input, kind| match kind {
            NodeKind::Batch { batch_size, .. } => Some(input.batch(*batch_size, true)),
            NodeKind::Window { windows } => Some(input.window(Windows { drop_remainder: true, ..*windows })),
            NodeKind::PaddedBatch { batch_size, padding, fill_to: None, .. } => {
                let shapes = input.spec().with_leaves(padding.shapes.clone());
                let values = input.spec().with_leaves(padding.values.iter().cloned().map(Some));
                Some(input.padded_batch(*batch_size, Some(&shapes), Some(&values), true))
            }
            NodeKind::Rebatch { batch_sizes, .. } => Some(input.rebatch(batch_sizes.clone(), true)),
            _ => None,
        })
    }
}
