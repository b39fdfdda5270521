//! How many steps come one behind the other in a plan, and how many calls in an expression: a number that has an end.
//!
//! Plans and expressions are gone through by functions that call themselves, rows are asked for through the steps one by one, and
//! each step is a level of a saved state. So what is longer is refused where it is built, before any stack is too small for
//! it. Functions of this crate take a kilobyte or two a step, in any build; where a step takes more, or nobody knows how much, the
//! stack grows ([`feedline_data::on_roomy_stack`]).

use crate::expr::{Body, Expr, ExprKind};
use crate::{NodeKind, Plan, PlanError, Result};

/// Steps one behind the other, and calls inside each other.
pub const MAX_DEPTH: usize = 500;

/// A step of this kind, and those before and inside it on the longest way.
pub(crate) fn depth_of_step(kind: &NodeKind, inputs: &[Plan]) -> usize {
    let parts = inputs.iter().chain(kind.nested().map(|nested| &nested.plan));
    1 + parts.map(Plan::depth).max().unwrap_or(0)
}

/// The calls of an expression of this kind on the longest way.
pub(crate) fn depth_of_expr(kind: &ExprKind) -> usize {
    let inputs = match kind {
        ExprKind::Call(call) if !call.bodies().is_empty() => {
            let inside = call.bodies().iter().map(Body::depth).max().unwrap_or(0);
            // What computes a function goes one deeper, too.
            return 1 + call.inputs.iter().map(Expr::depth).max().unwrap_or(0).max(inside + 1);
        }
        ExprKind::Call(call) => &call.inputs,
        ExprKind::After { inputs } => inputs,
        ExprKind::Input { .. } | ExprKind::Constant(_) | ExprKind::Outer { .. } => return 0,
        ExprKind::Captured { value } => std::slice::from_ref(value),
    };
    1 + inputs.iter().map(Expr::depth).max().unwrap_or(0)
}

impl Plan {
    /// The plan, if no more than [`MAX_DEPTH`] steps come one behind the other.
    ///
    /// # Errors
    /// If more do.
    pub fn within_depth(self) -> Result<Plan> {
        if self.depth() <= MAX_DEPTH {
            return Ok(self);
        }
        let last = self.node().kind.name();
        Err(PlanError::argument(format!("{last}: more than {MAX_DEPTH} steps come one behind the other"))
            .with_hint(
                "where a loop adds one dataset after the other, give a source the whole list, or use flat_map or interleave",
            ))
    }
}

/// The outputs of a call, if no more than [`MAX_DEPTH`] calls are inside each other.
pub(crate) fn within_depth(outputs: Vec<Expr>) -> Result<Vec<Expr>> {
    if outputs.iter().all(|output| output.depth() <= MAX_DEPTH) {
        return Ok(outputs);
    }
    Err(PlanError::argument(format!("the function is nested deeper than {MAX_DEPTH} calls"))
        .with_hint("use fewer calls on larger tensors, e.g. stack and a reduction"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Symbolic, ops};

    #[test]
    fn what_is_too_long_is_refused_where_it_is_built() {
        let mut plan = Ok(Plan::range(0, 10, 1).expect("valid"));
        let mut num_steps = 1;
        while let Ok(shorter) = &plan {
            plan = shorter.take(Some(9)).within_depth();
            num_steps += 1;
        }
        assert_eq!(num_steps, MAX_DEPTH + 1);
        let error = plan.expect_err("too long").to_string();
        assert!(error.starts_with("take: more than 500 steps come one behind the other\nhint: "), "{error}");
    }

    #[test]
    fn so_are_functions() {
        let deep = |calls: usize| {
            let add = |x: Symbolic| (0..calls).fold(x, |x, _| ops::abs(x) + 1);
            Plan::range(0, 10, 1).expect("valid").map(add, None)
        };
        assert!(deep(MAX_DEPTH / 2).is_ok());
        // However long: what is refused does not grow.
        let error = deep(50_000).expect_err("too deep").to_string();
        assert!(error.contains("nested deeper than 500 calls"), "{error}");
    }
}
