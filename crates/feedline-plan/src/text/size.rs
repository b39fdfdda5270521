//! How large a plan is: small enough to be gone through, or it is neither written nor read.
//!
//! Plans and functions may use a part twice, and what is gone through step by step (printing, running) goes through it twice.
//! A few lines of text can so stand for more steps than there is time for; such a text is refused.

use crate::expr::{Expr, ExprKind};
use crate::{CachePlace, Function, NodeKind, Plan, PlanError, Result};

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
        for expr in exprs_of(kind) {
            size.written = size.written.saturating_add(expr.num_written_calls());
            expr.any(&mut |node| {
                match &node.kind {
                    ExprKind::Outer { .. } => size.uses_outer = true,
                    ExprKind::Call(call) => size.last_place = size.last_place.max(call.place),
                    _ => {}
                }
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

/// All expressions of a step.
fn exprs_of(kind: &NodeKind) -> Vec<&Expr> {
    match kind {
        NodeKind::Map { function: Function::Traced(result), .. } => result.leaves(),
        NodeKind::Filter { predicate } => vec![predicate],
        NodeKind::RangeOf { bounds } => bounds.iter().collect(),
        NodeKind::TensorsOf { tensors, .. } => tensors.iter().collect(),
        NodeKind::FilesOf { paths: expr, .. } | NodeKind::CountedBy { count: expr, .. } => vec![expr],
        NodeKind::FlatMap { nested } | NodeKind::Interleave { nested, .. } => {
            nested.captures.iter().collect()
        }
        NodeKind::Map { function: Function::Native(_), .. }
        | NodeKind::MapAndBatch { .. }
        | NodeKind::Unordered
        | NodeKind::Range { .. }
        | NodeKind::FromIter { .. }
        | NodeKind::TensorSlices { .. }
        | NodeKind::Tensors { .. }
        | NodeKind::Files { .. }
        | NodeKind::Shuffle { .. }
        | NodeKind::GlobalShuffle { .. }
        | NodeKind::Batch { .. }
        | NodeKind::Repeat { .. }
        | NodeKind::ShuffleAndRepeat { .. }
        | NodeKind::Take { .. }
        | NodeKind::Skip { .. }
        | NodeKind::Shard { .. }
        | NodeKind::Enumerate { .. }
        | NodeKind::Unbatch
        | NodeKind::IgnoreErrors
        | NodeKind::OnError { .. }
        | NodeKind::Concatenate
        | NodeKind::Zip { .. }
        | NodeKind::Cache { .. }
        | NodeKind::Prefetch { .. } => Vec::new(),
    }
}
