//! Several datasets side by side.

use feedline_data::Structure;

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// Elements made of one of each dataset, until the first ends.
    pub fn zip(inputs: &Structure<Plan>) -> Result<Plan> {
        let plans: Vec<Plan> = inputs.leaves().into_iter().cloned().collect();
        if plans.is_empty() {
            return Err(PlanError::argument("zip: no datasets"));
        }
        // The shortest that is known; one that is unknown may be shorter still.
        let cardinality =
            plans.iter().map(Plan::cardinality).fold(Cardinality::Infinite, |all, one| match (all, one) {
                (Cardinality::Unknown, _) | (_, Cardinality::Unknown) => Cardinality::Unknown,
                (Cardinality::Known(one), Cardinality::Known(two)) => Cardinality::Known(one.min(two)),
                (Cardinality::Infinite, other) | (other, Cardinality::Infinite) => other,
            });
        let spec = graft(inputs);
        let kind = NodeKind::Zip { structure: inputs.map(|_| ()) };
        Ok(Plan::join(kind, &plans, spec, cardinality))
    }
}

/// The structure of datasets with each replaced by the structure of its elements.
fn graft(inputs: &Structure<Plan>) -> feedline_data::ElementSpec {
    match inputs {
        Structure::Dataset(..) => unreachable!("datasets are no tensors of a dataset"),
        Structure::Leaf(plan) => plan.spec().clone(),
        Structure::Tuple(parts) => Structure::Tuple(parts.iter().map(graft).collect()),
        Structure::Dict(parts) => {
            Structure::Dict(parts.iter().map(|(key, part)| (key.clone(), graft(part))).collect())
        }
        Structure::Composite(..) => unreachable!("datasets are no parts of a tensor"),
    }
}
