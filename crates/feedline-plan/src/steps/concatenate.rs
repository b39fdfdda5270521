//! One dataset after the other.

use feedline_data::TensorSpec;

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// All elements of this, then all of `other`.
    pub fn concatenate(&self, other: &Plan) -> Result<Plan> {
        if let Some(difference) = self.spec().first_difference(other.spec()) {
            return Err(PlanError::spec(format!("concatenate: the elements differ: {difference}")));
        }
        let names = self.spec().leaf_names();
        let pairs = self.spec().leaves().into_iter().zip(other.spec().leaves());
        let mut joined = Vec::new();
        for ((one, two), name) in pairs.zip(&names) {
            if one.dtype != two.dtype {
                let message =
                    format!("concatenate: the tensor{name} is {} here and {} there", one.dtype, two.dtype);
                return Err(PlanError::spec(message).with_hint("cast one of them first"));
            }
            joined.push(TensorSpec::new(one.dtype, one.shape.union(&two.shape)));
        }
        let spec = self.spec().with_leaves(joined);
        let cardinality = match (self.cardinality(), other.cardinality()) {
            (Cardinality::Infinite, _) | (_, Cardinality::Infinite) => Cardinality::Infinite,
            (Cardinality::Known(one), Cardinality::Known(two)) => Cardinality::Known(one.saturating_add(two)),
            _ => Cardinality::Unknown,
        };
        Ok(Plan::join(NodeKind::Concatenate, &[self.clone(), other.clone()], spec, cardinality))
    }
}
