//! How large a plan is: small enough to be gone through, or it is neither written nor read.
//!
//! Plans may use a part twice, and what is gone through step by step (running) goes through it twice. A few lines of text can so stand for
//! more steps than there is time for; such a text is refused. Of functions what is used twice counts twice as far as it is written twice.

use crate::expr::written::num_calls_gone_through;
use crate::expr::{Expr, ExprKind};
use crate::kind_exprs::Exprs;
use crate::{CachePlace, NodeKind, Plan, PlanError, Result};

/// More steps and calls, with what is used twice counted twice, than a plan written by people has.
const MAX_WRITTEN: usize = 1 << 20;

/// The size of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Steps, and calls in their functions.
    written: usize,
    /// The last place of a random operation of the last step.
    pub(super) last_place: u64,
    /// Whether a step depends on the element around.
    pub(super) uses_outer: bool,
}

impl Size {
    /// That of `plan`, whose inputs and the plan inside its last step have these.
    ///
    /// # Errors
    /// If it is larger than any.
    pub(super) fn of(plan: &Plan, inputs: &[Size], nested: Option<Size>) -> Result<Size> {
        let mut size = Size { written: 1, ..Size::default() };
        for other in inputs.iter().chain(&nested) {
            size.written = size.written.saturating_add(other.written);
        }
        size.uses_outer = inputs.iter().any(|input| input.uses_outer);
        let kind = &plan.node().kind;
        let Exprs { functions, arguments } = kind.exprs();
        let exprs: Vec<&Expr> = functions.iter().chain(&arguments).collect();
        size.written = size.written.saturating_add(num_calls_gone_through(&exprs));
        for expr in exprs {
            size.uses_outer |= expr.any(&mut |node| matches!(node.kind, ExprKind::Outer { .. }));
            expr.any_call(&mut |call| {
                size.last_place = size.last_place.max(call.place);
                false
            });
        }
        if matches!(kind, NodeKind::Cache { place: CachePlace::Folder { .. } }) {
            // It remembers the text of what comes before it.
            size.written = size.written.saturating_mul(2);
        }
        if size.written > MAX_WRITTEN {
            return Err(PlanError::argument(
                "the plan uses parts of itself so often that it is too large to be gone through",
            ));
        }
        Ok(size)
    }
}
