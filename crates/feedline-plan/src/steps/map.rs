//! A function of each element.

use super::check_parallel_calls;
use crate::expr::Expr;
use crate::expr::capture::Inputs;
use crate::plan::misplaced;
use crate::{Function, NativeFunction, NodeKind, Plan, Result, Symbolic, Turns};

impl Plan {
    /// What `function` makes of each element.
    pub fn map(
        &self,
        function: impl FnOnce(Symbolic) -> Symbolic,
        num_parallel_calls: Option<usize>,
    ) -> Result<Plan> {
        check_parallel_calls("map", num_parallel_calls)?;
        let (inputs, element) = Inputs::new(self.spec());
        let result = function(element).to_structure().map_err(|error| error.in_step("map"))?;
        let result = inputs.close_all(&result)?;
        let leaves: Vec<Expr> = result.leaves().into_iter().cloned().collect();
        let (plan, leaves) = self.with_values(&leaves).map_err(|error| error.in_step("map"))?;
        let mut next = plan.num_places() + 1;
        let result = result.with_leaves(Expr::placed_all(&leaves, &mut next));
        let spec = result.map(|expr| expr.spec().clone());
        let kind = NodeKind::Map { function: Function::Traced(result), num_parallel_calls };
        Ok(plan.step(kind, spec, plan.cardinality()).with_places(next - 1))
    }

    /// What the Rust code makes of each element.
    pub fn map_native(&self, function: NativeFunction, num_parallel_calls: Option<usize>) -> Result<Plan> {
        check_parallel_calls("map", num_parallel_calls)?;
        let spec = function.output.clone();
        let kind = NodeKind::Map { function: Function::Native(function), num_parallel_calls };
        Ok(self.step(kind, spec, self.cardinality()))
    }

    /// The map or interleave this plan ends in, with at most `calls` elements or datasets worked on at a time.
    pub fn with_parallel_calls(&self, calls: Option<usize>) -> Result<Plan> {
        check_parallel_calls("map", calls)?;
        match &self.node().kind {
            NodeKind::Map { function, .. } => {
                let kind = NodeKind::Map { function: function.clone(), num_parallel_calls: calls };
                Ok(self.with_kind(kind, self.node().inputs.clone()))
            }
            NodeKind::Interleave { turns, .. } => {
                self.with_turns("num_parallel_calls", Turns { num_parallel_calls: calls, ..*turns })
            }
            NodeKind::Deterministic { .. } => {
                Ok(self.with_inputs(vec![self.node().inputs[0].with_parallel_calls(calls)?]))
            }
            other => Err(misplaced("num_parallel_calls", "map or interleave", other)),
        }
    }
}
