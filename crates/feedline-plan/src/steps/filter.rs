//! Only some elements: those of which a predicate is true, or those before the first of which it is false.

use feedline_data::{DType, Shape, Structure};

use crate::expr::Expr;
use crate::expr::capture::Inputs;
use crate::{Cardinality, NodeKind, Plan, PlanError, Result, Symbolic};

impl Plan {
    /// The elements of which `predicate` is true.
    pub fn filter(&self, predicate: impl FnOnce(Symbolic) -> Symbolic) -> Result<Plan> {
        let (plan, predicate, num_places) = self.predicate("filter", predicate)?;
        let kept = plan.same_elements(NodeKind::Filter { predicate }, Cardinality::Unknown);
        Ok(kept.with_places(num_places).without_values(self.spec()))
    }

    /// The elements before the first of which `predicate` is false.
    pub fn take_while(&self, predicate: impl FnOnce(Symbolic) -> Symbolic) -> Result<Plan> {
        let (plan, predicate, num_places) = self.predicate("take_while", predicate)?;
        let kept = plan.same_elements(NodeKind::TakeWhile { predicate }, Cardinality::Unknown);
        Ok(kept.with_places(num_places).without_values(self.spec()))
    }

    /// Traces a function that gives one bool: the plan of whose elements it is, the bool, and the number of random operations up to here.
    fn predicate(
        &self,
        step: &str,
        function: impl FnOnce(Symbolic) -> Symbolic,
    ) -> Result<(Plan, Expr, u64)> {
        let (inputs, element) = Inputs::new(self.spec());
        let result = function(element).to_structure().map_err(|error| error.in_step(step))?;
        let result = inputs.close_all(&result)?;
        let wrong = |found: String| {
            PlanError::spec(format!("{step}: the predicate gives {found}, not one bool"))
                .with_hint("compare, or reduce several bools to one with reduce_all or reduce_any")
        };
        let Structure::Leaf(predicate) = &result else { return Err(wrong(result.to_string())) };
        let spec = predicate.spec();
        if spec.dtype != DType::Bool || !spec.shape.is_compatible_with(&Shape::scalar()) {
            return Err(wrong(spec.to_string()));
        }
        let (plan, predicate) =
            self.with_values(std::slice::from_ref(predicate)).map_err(|error| error.in_step(step))?;
        let mut next = plan.num_places() + 1;
        let predicate = Expr::placed_all(&predicate, &mut next).remove(0);
        Ok((plan, predicate, next - 1))
    }
}
