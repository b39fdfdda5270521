//! What can be told about the caches of a plan before anything runs.

use feedline_plan::{CachePlace, Cardinality, NodeKind, Plan, SeedPair};

use super::folder::Folder;
use crate::budget::Budget;
use crate::error::ExecError;
use crate::lower::check_size;
use crate::origin::KnownStarts;
use crate::state::with_drawn_seeds;

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

/// `plan`, with the seeds that complete caches in files were made with in place of those drawn for it: then its states say in which order elements came, and who
/// has to compute some of them again, here or where the folder is not, gets the same.
pub(crate) fn with_seeds_of_caches(plan: &Plan) -> Result<Plan, ExecError> {
    check_size(plan)?;
    let mut seeds = Vec::new();
    Ok(if take_seeds(plan, &mut seeds) {
        with_drawn_seeds(plan, &seeds).expect("as many as there are")
    } else {
        plan.clone()
    })
}

/// Adds those of `plan`, in the order in which they are collected; whether any is another than in the plan.
fn take_seeds(plan: &Plan, seeds: &mut Vec<SeedPair>) -> bool {
    let (node, first) = (plan.node(), seeds.len());
    let mut is_other = false;
    for input in node.inputs.iter().chain(node.kind.nested().map(|nested| &nested.plan)) {
        is_other |= take_seeds(input, seeds);
    }
    seeds.extend(node.kind.seeds().filter(|seeds| !seeds.is_given));
    if let NodeKind::Cache { place: CachePlace::Folder { .. } } = &node.kind
        && seeds.len() > first
        && let Some(kept) = Folder::of(plan, KnownStarts::default()).complete_seeds()
        && kept.len() == seeds.len() - first
        && kept != seeds[first..]
    {
        seeds.splice(first.., kept);
        is_other = true;
    }
    is_other
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
