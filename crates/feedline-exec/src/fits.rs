//! Elements that are larger than all the memory there is are refused before anything runs.
//!
//! Running ahead adapts to the budget; one element, or one batch, is what it is. Where plans tell its size, that is looked at here.
//! Where they do not, a batch looks at what it has collected, and what makes elements of any size at each of them ([`too_large`]).

use std::fmt;

use feedline_data::TensorSpec;
use feedline_plan::{Cardinality, NodeKind, Plan};

use crate::budget::Refusal;
use crate::error::ExecError;
use crate::lower::row_bytes;

/// Refuses a plan of which a map gives an element, or a batch has elements, of more than `limit_bytes` together.
pub(crate) fn check_elements(plan: &Plan, limit_bytes: u64) -> Result<(), ExecError> {
    let node = plan.node();
    let bytes = match &node.kind {
        NodeKind::Map { .. } => row_bytes(&node.spec).map(|bytes| bytes as u64),
        NodeKind::Zip { .. } if !node.inputs.iter().all(is_in_memory) => {
            row_bytes(&node.spec).map(|bytes| bytes as u64)
        }
        NodeKind::Batch { batch_size, .. } if !is_in_memory(&node.inputs[0]) => {
            batch_bytes(row_bytes(node.inputs[0].spec()), *batch_size, &node.inputs[0])
        }
        NodeKind::PaddedBatch { batch_size, padding, .. } => {
            let specs = node.inputs[0].spec().leaves().into_iter().zip(&padding.shapes);
            let bytes = specs.map(|(spec, shape)| TensorSpec::new(spec.dtype, shape.clone()).byte_size());
            batch_bytes(bytes.sum(), *batch_size, &node.inputs[0])
        }
        NodeKind::MapAndBatch { function, batch_size, .. } => {
            batch_bytes(row_bytes(&function.output_spec()), *batch_size, &node.inputs[0])
        }
        _ => None,
    };
    if let Some(bytes) = bytes.filter(|&bytes| bytes > limit_bytes) {
        return Err(too_large(&node.kind.to_string(), bytes, limit_bytes));
    }
    let nested = node.kind.nested().map(|nested| &nested.plan);
    node.inputs.iter().chain(nested).try_for_each(|input| check_elements(input, limit_bytes))
}

/// Bytes of the largest batch, where the plan tells: there may be fewer elements than a batch could have.
fn batch_bytes(row_bytes: Option<usize>, batch_size: usize, input: &Plan) -> Option<u64> {
    let rows = match input.cardinality() {
        Cardinality::Known(count) => count.min(batch_size as u64),
        Cardinality::Infinite => batch_size as u64,
        Cardinality::Unknown => return None,
    };
    Some((row_bytes? as u64).saturating_mul(rows))
}

/// Whether elements of `plan` lie side by side in the user's memory: batches of them are views.
pub(crate) fn is_in_memory(plan: &Plan) -> bool {
    matches!(plan.node().kind, NodeKind::TensorSlices { .. } | NodeKind::Tensors { .. })
}

/// `step` has an element of `bytes`.
pub(crate) fn too_large(step: &str, bytes: u64, limit_bytes: u64) -> ExecError {
    over_budget(&format!("{step}: an element has {bytes} bytes"), limit_bytes)
}

/// `step` holds elements of `bytes` that wait for others, and what others hold leaves less.
pub(crate) fn no_room(step: &str, bytes: u64, refusal: Refusal) -> ExecError {
    if bytes > refusal.limit_bytes {
        return too_large(step, bytes, refusal.limit_bytes);
    }
    ExecError::resource(format!("{step}: the elements that wait have {bytes} bytes, {}", refusal.held_by_others())).with_hint(
        "let fewer elements wait at a time, end iterators that are not needed any more, or set a larger memory budget (the option \
         `memory_budget`, or the variable FEEDLINE_MEMORY_BUDGET)",
    )
}

impl Refusal {
    /// Who has how much of which budget.
    pub(crate) fn held_by_others(&self) -> String {
        let Refusal { limit_bytes, needed_bytes, own_bytes, others_bytes } = self;
        match (own_bytes, others_bytes) {
            (0, 0) => format!(
                "the memory budget has {limit_bytes}, of which {needed_bytes} are kept for elements on their way from step to step"
            ),
            (own, 0) => {
                format!("of the memory budget of {limit_bytes} bytes other shuffles and caches hold {own}")
            }
            (own, others) => {
                let own = if *own == 0 { String::new() } else { format!(", and others of this one {own}") };
                format!(
                    "of the memory budget of {limit_bytes} bytes, which all iterators of the process share, shuffles and caches of \
                     other iterators hold {others}{own}"
                )
            }
        }
    }

    /// What is left.
    pub(crate) fn left_bytes(&self) -> u64 {
        let taken = [self.needed_bytes, self.own_bytes, self.others_bytes];
        taken.iter().fold(self.limit_bytes, |left, taken| left.saturating_sub(*taken))
    }
}

/// `what` is more than there can be.
pub(crate) fn over_budget(what: &str, limit_bytes: impl fmt::Display) -> ExecError {
    ExecError::resource(format!("{what}, the memory budget is {limit_bytes} bytes for everything in flight")).with_hint("use smaller batches or tensors, or a larger memory budget (the option `memory_budget`, or the variable FEEDLINE_MEMORY_BUDGET)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use feedline_data::DType;
    use feedline_plan::ops;

    fn range(count: i64) -> Plan {
        Plan::range(0, count, 1).expect("valid")
    }

    #[test]
    fn what_can_never_fit_is_refused() {
        let told = |plan: &Plan| check_elements(plan, 1 << 20).expect_err("too large").to_string();
        let wide = range(3).map(|x| ops::one_hot(x, 1 << 32, 1, 0, -1, DType::Float32), None).expect("valid");
        let error = told(&wide.repeat(Some(2)));
        assert!(error.contains("an element has 17179869184 bytes, the memory budget is 1048576"), "{error}");
        assert!(told(&range(200_000).batch(200_000, false).expect("valid")).starts_with("batch(200000"));
        assert!(told(&range(10).repeat(None).batch(200_000, true).expect("valid")).contains("1600000 bytes"));
    }

    #[test]
    fn what_may_fit_is_not() {
        let all = |plan: &Plan| plan.batch(1 << 40, false).expect("valid");
        assert!(check_elements(&all(&range(10)), 1 << 20).is_ok());
        let some = range(1 << 40).filter(|x| x.lt(3)).expect("valid");
        assert!(check_elements(&all(&some), 1 << 20).is_ok());
    }
}
