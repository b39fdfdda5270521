//! Only some elements.

use feedline_data::{DType, Shape, Structure};

use crate::expr::Expr;
use crate::expr::capture::Inputs;
use crate::{Cardinality, NodeKind, Plan, PlanError, Result, Symbolic};

impl Plan {
    /// The elements of which `predicate` is true.
    pub fn filter(&self, predicate: impl FnOnce(Symbolic) -> Symbolic) -> Result<Plan> {
        let (inputs, element) = Inputs::new(self.spec());
        let result = predicate(element).to_structure().map_err(|error| error.in_step("filter"))?;
        let result = inputs.close(&result)?;
        let wrong = |found: String| {
            PlanError::spec(format!("filter: the predicate gives {found}, not one bool"))
                .with_hint("compare, or reduce several bools to one with reduce_all or reduce_any")
        };
        let Structure::Leaf(predicate) = &result else { return Err(wrong(result.to_string())) };
        let spec = predicate.spec();
        if spec.dtype != DType::Bool || !spec.shape.is_compatible_with(&Shape::scalar()) {
            return Err(wrong(spec.to_string()));
        }
        let mut next = self.num_places() + 1;
        let predicate = Expr::placed_all([predicate], &mut next).remove(0);
        Ok(self.same_elements(NodeKind::Filter { predicate }, Cardinality::Unknown).with_places(next - 1))
    }
}
