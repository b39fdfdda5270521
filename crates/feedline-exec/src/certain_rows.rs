//! How many rows a step gives, where that is certain: then a cache of them is complete with the last, without being asked for
//! one more, and whole epochs are skipped without a look at them.

use feedline_plan::{Cardinality, NodeKind, Plan};

/// The number of rows of `plan`, errors counted; `None` if it may be another than the plan
/// says. A plan counts elements as if there were no errors: a batch that meets one has more rows, or one that ends sooner.
pub(crate) fn certain_rows(plan: &Plan) -> Option<u64> {
    match plan.cardinality() {
        Cardinality::Known(count) if is_certain(plan) => Some(count),
        _ => None,
    }
}

/// The number of rows of each dataset that `plan`, which is nested, makes, if it is certain, and each row counts to a turn of
/// `block_length` elements: an error does not.
pub(crate) fn certain_stream_rows(plan: &Plan, block_length: u64) -> Option<u64> {
    match plan.cardinality() {
        Cardinality::Known(count) if is_certain(plan) && (block_length == u64::MAX || !can_fail(plan)) => {
            Some(count)
        }
        _ => None,
    }
}

fn is_certain(plan: &Plan) -> bool {
    let inputs = &plan.node().inputs;
    match plan.node().kind {
        NodeKind::Range { .. } | NodeKind::TensorSlices { .. } | NodeKind::Tensors { .. } => true,
        // A row for a row, whatever it is; or so many of them.
        NodeKind::Map { .. }
        | NodeKind::Deterministic { .. }
        | NodeKind::Shuffle { .. }
        | NodeKind::GlobalShuffle { .. }
        | NodeKind::Repeat { .. }
        | NodeKind::ShuffleAndRepeat { .. }
        | NodeKind::Take { .. }
        | NodeKind::Skip { .. }
        | NodeKind::Shard { .. }
        | NodeKind::Enumerate { .. }
        | NodeKind::Prefetch { .. }
        | NodeKind::Cache { .. }
        | NodeKind::Concatenate => inputs.iter().all(is_certain),
        NodeKind::Batch { .. } | NodeKind::Zip { .. } => {
            inputs.iter().all(|input| is_certain(input) && !can_fail(input))
        }
        // Anything else, and what is yet to come.
        _ => false,
    }
}

/// Whether there may be errors among its rows. Everything that is certain cannot, but for what computes.
fn can_fail(plan: &Plan) -> bool {
    matches!(&plan.node().kind, NodeKind::Map { function, .. } if function.can_fail())
        || plan.node().inputs.iter().any(can_fail)
}
