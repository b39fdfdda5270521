//! Counting.

use feedline_data::{DType, ElementSpec, TensorSpec};

use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

impl Plan {
    /// The numbers from `start` to before `stop` by `step`, as int64.
    pub fn range(start: i64, stop: i64, step: i64) -> Result<Plan> {
        if step == 0 {
            return Err(PlanError::argument("range: step must not be 0"));
        }
        // i128: the distance of two i64 can be twice i64's range.
        let (distance, stride) = if step > 0 {
            (i128::from(stop) - i128::from(start), i128::from(step))
        } else {
            (i128::from(start) - i128::from(stop), -i128::from(step))
        };
        let count = if distance <= 0 { 0 } else { (distance + stride - 1) / stride };
        let spec = ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
        let kind = NodeKind::Range { start, stop, step };
        Ok(Plan::source(kind, spec, Cardinality::Known(count as u64)))
    }
}
