//! Batches taken apart.

use feedline_data::TensorSpec;

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

/// The error of a step that takes tensors apart, and not those that are kept as several.
pub(super) fn whole(step: &str) -> PlanError {
    PlanError::spec(format!("{step}: ragged and sparse tensors are not taken apart"))
        .with_hint("make them plain ones first, with to_tensor or sparse.to_dense")
}

impl Plan {
    /// The slices of each element along its first dimension, as elements.
    pub fn unbatch(&self) -> Result<Plan> {
        self.check_tensors("unbatch")?;
        if self.spec().has_composite() {
            return Err(whole("unbatch"));
        }
        let names = self.spec().leaf_names();
        let mut size: Option<(usize, &str)> = None;
        for (spec, name) in self.spec().leaves().into_iter().zip(&names) {
            if spec.shape.without_outer().is_none() {
                return Err(PlanError::spec(format!(
                    "unbatch: the tensor{name} is a scalar, which has no slices"
                )));
            }
            if let Some(Some(dim)) = spec.shape.dims().map(|dims| dims[0]) {
                match size {
                    Some((other, other_name)) if other != dim => {
                        return Err(PlanError::spec(format!(
                            "unbatch: the tensor{other_name} has {other} slices, the tensor{name} {dim}"
                        )));
                    }
                    _ => size = Some((dim, name)),
                }
            }
        }
        let cardinality = match (self.cardinality(), size) {
            (Cardinality::Known(own), Some((size, _))) => Cardinality::Known(own.saturating_mul(size as u64)),
            (Cardinality::Infinite, Some((size, _))) if size > 0 => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        };
        let inner = |spec: &TensorSpec| spec.shape.without_outer().expect("checked above to be no scalar");
        let spec = self.spec().map(|spec| TensorSpec::new(spec.dtype, inner(spec)));
        Ok(self.step(NodeKind::Unbatch, spec, cardinality))
    }
}
