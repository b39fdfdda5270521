//! What can be told about the caches of a plan before anything runs.

use feedline_plan::{CachePlace, Cardinality, NodeKind, Plan};

use super::folder::Folder;
use crate::budget::Budget;
use crate::error::ExecError;
use crate::origin::KnownStarts;

/// What to do about a cache that does not fit the memory.
pub(super) const REMEDY: &str =
    "keep it in files (a cache with a folder), cache before decoding, or raise the memory budget";

/// Refuses what cannot work: a cache in memory that is larger than what caches may have of `budget`, a folder that belongs to another pipeline.
pub(crate) fn check_caches(plan: &Plan, budget: &Budget) -> Result<(), ExecError> {
    check(plan, budget, true)
}

/// `is_filled`: whether everything behind may ask for all elements.
fn check(plan: &Plan, budget: &Budget, is_filled: bool) -> Result<(), ExecError> {
    let node = plan.node();
    match &node.kind {
        NodeKind::Cache { place: CachePlace::Folder { .. } } => {
            Folder::of(plan, KnownStarts::default()).check()?;
        }
        NodeKind::Cache { place: CachePlace::Memory(_) } if is_filled => fits(plan, budget)?,
        _ => {}
    }
    // Of a few elements taken the others are never kept.
    let is_filled = is_filled && !matches!(node.kind, NodeKind::Take { .. });
    let nested = node.kind.nested().map(|nested| &nested.plan);
    node.inputs.iter().chain(nested).try_for_each(|input| check(input, budget, is_filled))
}

fn fits(plan: &Plan, budget: &Budget) -> Result<(), ExecError> {
    let row_bytes: Option<usize> = plan.spec().leaves().iter().map(|spec| spec.byte_size()).sum();
    let (Cardinality::Known(count), Some(row_bytes)) = (plan.cardinality(), row_bytes) else { return Ok(()) };
    let wanted = count.saturating_mul(row_bytes as u64);
    let (limit_bytes, most) = (budget.limit_bytes(), budget.most_reserved_bytes());
    if wanted <= most {
        return Ok(());
    }
    Err(ExecError::resource(format!(
        "cache: {count} elements of {row_bytes} bytes need {wanted} bytes, the memory budget has {limit_bytes}, of which caches may have {most}"
    ))
    .with_hint(REMEDY))
}
