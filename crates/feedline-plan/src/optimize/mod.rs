//! The optimizer: rules that make a plan cheaper to run and change nothing of what it gives.
//!
//! A [`Rule`] takes a plan and returns another, or nothing where it has nothing to do. The [`Optimizer`] goes through
//! its rules in order, each over every step from the sources on, until none changes anything, and keeps a record of what
//! was changed ([`Change`]).
//!
//! # What a rule must keep
//! The same elements, in the same order, with the same ids and random values; **the same errors at the same places**; and
//! the same saved states. The last two belong together and are easy to miss:
//!
//! - *Saved states are those of the plan as written.* An iterator saves the written plan's lines and the positions of its
//!   operators, so that what was saved with the optimizer on is restored with it off, by another release, or with other
//!   rules. Positions are made by the operators that run, so a rule may only leave operators behind that save what the
//!   ones they replace would have saved. Steps that save nothing (maps, filters, prefetches, and what [`Plan::is_pass`]
//!   names) can come and go; all others must stay, in the same order, or be replaced by a step that stands for them and
//!   writes the states of each ([`saved_steps`] says which steps a plan has states of; the driver compares it after every
//!   rule, and once more in every build before anything runs).
//! - *Errors are counted.* A batch saves how many errors came out while it was being collected, a shuffle where errors were
//!   among its rows. If a rewritten plan had one error fewer, a state saved before would silently be restored to other
//!   elements. So a value that can fail is still computed where its result is no longer used, and it fails with
//!   the same message: see `fuse_maps` and [`Expr::after`](crate::Expr::after).
//!
//! # Rules there will not be
//! - Two neighbouring `take`s, `skip`s, `repeat`s or `batch`es could become one, and must not: each saves its own count.

mod calls;
mod change;
mod composed;
mod crop_and_scale_in_decode;
mod drop_kept_order;
mod drop_noops;
mod filter_before_decode;
mod fuse_map_and_batch;
mod fuse_maps;
mod fuse_shuffle_and_repeat;
mod insert_prefetch;
mod map_before_batch;
mod parse_after_batch;
mod parse_only_used_features;
mod push_filter_before_map;
mod push_shard_before_map;
mod read_files_as_stream;
mod read_shape_from_header;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;

use crate::explain::listing;
use crate::outline::outline;
use crate::{NodeKind, Plan, PlanError, Result};

pub use change::Change;
pub use crop_and_scale_in_decode::CropAndScaleInDecode;
pub use drop_kept_order::DropKeptOrder;
pub use drop_noops::DropNoops;
pub use filter_before_decode::FilterBeforeDecode;
pub use fuse_map_and_batch::FuseMapAndBatch;
pub use fuse_maps::FuseMaps;
pub use fuse_shuffle_and_repeat::FuseShuffleAndRepeat;
pub use insert_prefetch::{InsertPrefetch, leaves_work_to_consumer};
pub use map_before_batch::MapBeforeBatch;
pub use parse_after_batch::ParseAfterBatch;
pub use parse_only_used_features::ParseOnlyUsedFeatures;
pub use push_filter_before_map::PushFilterBeforeMap;
pub use push_shard_before_map::PushShardBeforeMap;
pub use read_files_as_stream::ReadFilesAsStream;
pub use read_shape_from_header::ReadShapeFromHeader;

/// One rewrite.
///
/// Ask properties of what is there, never names; leave early, every plan pays for every rule. `None` means "nothing to
/// do", never "failed". What must stay the same is told in [the module](self).
pub trait Rule: fmt::Debug + Sync {
    /// What it is called in options, `explain` and its file.
    fn name(&self) -> &'static str;

    /// What it is shown.
    fn reach(&self) -> Reach {
        Reach::EachStep
    }

    /// Whether it is shown what is upstream of a step of this kind.
    fn enters(&self, _kind: &NodeKind) -> bool {
        true
    }

    /// The plan with its last step, and what belongs to it, rewritten; `None` if there is nothing to do. Inputs have been
    /// rewritten already.
    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>>;
}

/// What a rule is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every step with everything upstream of it, sources first.
    EachStep,
    /// The plan as a whole, once.
    WholePlan,
}

/// All rules, in the order they are applied. Each one costs every plan, so each enters with a measured gain.
pub static RULES: &[&dyn Rule] = &[
    // Before `insert_prefetch`: files that are read ahead need no other place where work runs ahead.
    &ReadFilesAsStream,
    // Early: it looks at how the user ended the plan, before anything there is dropped.
    &InsertPrefetch,
    // Before the fusions: two maps with nothing between them but a step that does nothing are neighbours.
    &DropNoops,
    // Before `fuse_maps`: a filter gets past the second of two maps more often than past the two in one, and maps that it
    // stood between are neighbours then.
    &PushFilterBeforeMap,
    // Before `fuse_maps`: maps that it stood between are neighbours then.
    &PushShardBeforeMap,
    // Before `fuse_maps` and `fuse_map_and_batch`, which then join it to what it comes to stand beside.
    &MapBeforeBatch,
    &FuseMaps,
    // After `fuse_maps`: what the second of two maps picks from the first's results is what is used of them.
    &ParseOnlyUsedFeatures,
    // After `parse_only_used_features`: what it reports is the call as it runs.
    &ParseAfterBatch,
    // After `fuse_maps`: what decodes and what crops may be two maps.
    &CropAndScaleInDecode,
    // After `fuse_maps`: the last of several maps would be joined to the batch, and the others left alone.
    &FuseMapAndBatch,
    // After `drop_noops`, which may have been between the two.
    &FuseShuffleAndRepeat,
];

/// Rules that say what a plan means, not only how it runs: which errors there are depends on them, so they are applied with the optimizer
/// off as well, before all others. They can be switched off by name like others, by whoever wants those errors.
static MEANING: &[&dyn Rule] = &[
    // Before the others, which look for maps.
    &DropKeptOrder,
    // Before `filter_before_decode`: what is known from a header is no pixel.
    &ReadShapeFromHeader,
    &FilterBeforeDecode,
];

/// Applies rules to plans.
#[derive(Clone, Debug)]
pub struct Optimizer {
    is_on: bool,
    /// Those that are applied in any case, in order.
    meaning: Vec<&'static dyn Rule>,
    /// Those that are on, in order.
    rules: Vec<&'static dyn Rule>,
}

/// What became of a plan.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The plan that runs.
    pub plan: Plan,
    /// What was changed, in the order it was.
    pub changes: Vec<Change>,
}

/// More passes than this mean that rules undo each other: a pass costs one fusion at least, and what a plan has to fuse is
/// found in the first pass or two.
const MAX_PASSES: usize = 16;

impl Default for Optimizer {
    fn default() -> Optimizer {
        Optimizer::new()
    }
}

impl Optimizer {
    /// With all rules.
    pub fn new() -> Optimizer {
        Optimizer::with_rules(RULES)
    }

    /// With these rules.
    pub(crate) fn with_rules(rules: &[&'static dyn Rule]) -> Optimizer {
        Optimizer { is_on: true, meaning: MEANING.to_vec(), rules: rules.to_vec() }
    }

    /// On, or off: then plans run as written, but for shapes and filters that need no pixels
    /// ([`ReadShapeFromHeader`], [`FilterBeforeDecode`]).
    #[must_use]
    pub fn switched(self, is_on: bool) -> Optimizer {
        Optimizer { is_on, ..self }
    }

    /// Without the rule called `name`. Results are the same without any of them; without [`ReadShapeFromHeader`] and
    /// [`FilterBeforeDecode`], which are on also where the optimizer is off, there are errors more: those of images that nobody needs.
    ///
    /// # Errors
    /// If there is no such rule, with the one that was probably meant.
    pub fn without(mut self, name: &str) -> Result<Optimizer> {
        // What it drops says only what others do not do: there is nothing to run for it.
        if name == DropKeptOrder.name() {
            let error = PlanError::argument(format!("the rule '{name}' cannot be switched off"));
            return Err(error.with_hint("it takes steps away that do nothing: deterministic(true)"));
        }
        if !RULES.iter().chain(MEANING).any(|rule| rule.name() == name) {
            return Err(unknown_rule(name));
        }
        self.rules.retain(|rule| rule.name() != name);
        self.meaning.retain(|rule| rule.name() != name);
        Ok(self)
    }

    /// `plan` as it should run.
    ///
    /// # Errors
    /// If a rule fails or changed what a plan gives: a bug.
    ///
    /// # Panics
    /// In debug builds, where a rule changed what a plan gives or rules undo each other.
    pub fn optimize(&self, plan: &Plan) -> Result<Optimized> {
        let mut optimized = Optimized { plan: plan.clone(), changes: Vec::new() };
        for rule in &self.meaning {
            optimized.plan = apply(*rule, &optimized.plan, &mut optimized.changes)?;
        }
        if !self.is_on {
            return Ok(optimized);
        }
        for pass in 0.. {
            let num_changes = optimized.changes.len();
            for rule in &self.rules {
                optimized.plan = apply(*rule, &optimized.plan, &mut optimized.changes)?;
            }
            if optimized.changes.len() == num_changes {
                break;
            }
            if pass == MAX_PASSES {
                // What there is is right, only not finished.
                debug_assert!(false, "rules undo each other:\n{}", text_of(&optimized.changes));
                break;
            }
        }
        // Cheap, and the last place where a wrong rule does no harm.
        match difference(plan, &optimized.plan) {
            None => Ok(optimized),
            Some(difference) => Err(PlanError::internal(format!(
                "the optimizer changed {difference}:\n{}",
                text_of(&optimized.changes)
            ))
            .with_hint(
                "switch the optimizer off (`optimizer(false)`), and please report this with the plan",
            )),
        }
    }
}

fn apply(rule: &dyn Rule, plan: &Plan, changes: &mut Vec<Change>) -> Result<Plan> {
    match rule.reach() {
        Reach::EachStep => {
            apply_upwards(rule, plan, &mut Applied { changes, num_listed: 0, known: HashMap::new() })
        }
        Reach::WholePlan => Ok(rewrite(rule, plan, 0, changes)?.0),
    }
}

/// What a rule did so far.
struct Applied<'a> {
    changes: &'a mut Vec<Change>,
    /// How many steps stand before the one at hand where the plan is listed.
    num_listed: usize,
    /// What became of each step that was shown to it, by where it lies in memory: one that is used twice is rewritten once,
    /// and is one step afterwards, too.
    known: HashMap<usize, Plan>,
}

/// Rewrites inputs, then the step over them.
fn apply_upwards(rule: &dyn Rule, plan: &Plan, applied: &mut Applied<'_>) -> Result<Plan> {
    let place = std::ptr::from_ref(plan.node()).addr();
    if let Some(known) = applied.known.get(&place) {
        return Ok(known.clone());
    }
    let old = &plan.node().inputs;
    let first_step = applied.num_listed;
    let mut inputs = Vec::with_capacity(old.len());
    let is_entered = rule.enters(&plan.node().kind);
    for input in old {
        if is_entered {
            inputs.push(apply_upwards(rule, input, applied)?);
        } else {
            applied.num_listed += listing(input).len();
            inputs.push(input.clone());
        }
    }
    let is_changed = old.iter().zip(&inputs).any(|(old, new)| !std::ptr::eq(old.node(), new.node()));
    let mut new = if is_changed { plan.with_inputs(inputs) } else { plan.clone() };
    if let Some(nested) = new.node().kind.nested() {
        let inner = apply_upwards(rule, &nested.plan, applied)?;
        if !std::ptr::eq(inner.node(), nested.plan.node()) {
            new = new.with_kind(new.node().kind.with_nested_plan(inner), new.node().inputs.clone());
        }
    }
    let (new, more_steps) = rewrite(rule, &new, first_step, applied.changes)?;
    applied.num_listed = (applied.num_listed + 1).saturating_add_signed(more_steps);
    applied.known.insert(place, new.clone());
    Ok(new)
}

/// The plan with its last step rewritten, and how many steps more it has.
fn rewrite(
    rule: &dyn Rule,
    plan: &Plan,
    first_step: usize,
    changes: &mut Vec<Change>,
) -> Result<(Plan, isize)> {
    let Some(new) = rule.rewrite(plan)? else { return Ok((plan.clone(), 0)) };
    if cfg!(debug_assertions)
        && let Some(difference) = difference(plan, &new)
    {
        panic!(
            "the rule {} changed {difference}\nbefore:\n  {}\nafter:\n  {}",
            rule.name(),
            plan.lines().join("\n  "),
            new.lines().join("\n  ")
        );
    }
    let change = Change::new(rule.name(), first_step, plan, &new);
    let more_steps = change.after.len().cast_signed() - change.before.len().cast_signed();
    changes.push(change);
    Ok((new, more_steps))
}

/// What two plans differ in that must not differ, in words.
fn difference(before: &Plan, after: &Plan) -> Option<String> {
    if before.spec() != after.spec() {
        return Some(format!("the spec from {} to {}", before.spec(), after.spec()));
    }
    if before.cardinality() != after.cardinality() {
        return Some(format!("the cardinality from {} to {}", before.cardinality(), after.cardinality()));
    }
    if before.num_places() != after.num_places() {
        return Some("the numbering of random operations".to_owned());
    }
    let (saved_before, saved_after) = (saved_steps(before), saved_steps(after));
    (saved_before != saved_after)
        .then(|| format!("what is saved from [{}] to [{}]", saved_before.join(", "), saved_after.join(", ")))
}

/// The steps whose state a checkpoint of this plan holds, as the plan the user wrote has them, sources first.
pub fn saved_steps(plan: &Plan) -> Vec<String> {
    outline(plan, "", &saved_step)
}

/// What the last step of `plan` saves, as the steps of the plan the user wrote.
fn saved_step(plan: &Plan) -> Vec<String> {
    match plan.node().kind {
        _ if plan.is_pass() => Vec::new(),
        // What they save is where their input is.
        NodeKind::Map { .. }
        | NodeKind::Filter { .. }
        | NodeKind::TakeWhile { .. }
        | NodeKind::Prefetch { .. } => Vec::new(),
        NodeKind::ShuffleAndRepeat { buffer_size, seeds, reshuffle_each_iteration, count } => {
            let shuffle = NodeKind::Shuffle { buffer_size, seeds, reshuffle_each_iteration };
            vec![shuffle.to_string(), NodeKind::Repeat { count }.to_string()]
        }
        NodeKind::MapAndBatch { batch_size, drop_remainder, .. } => {
            vec![NodeKind::Batch { batch_size, drop_remainder }.to_string()]
        }
        // What their datasets are started with is computed anew from the element around them.
        NodeKind::FlatMap { .. } => vec!["flat_map".to_owned()],
        NodeKind::Interleave { turns, .. } => vec![format!("interleave({turns})")],
        // Sources without the hashes of their data: no rule touches that, and nobody waits for a pass over it before the first element.
        ref kind => vec![format!("{:#}", kind.without_stream().as_ref().unwrap_or(kind))],
    }
}

fn text_of(changes: &[Change]) -> String {
    changes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn unknown_rule(name: &str) -> PlanError {
    let rules = MEANING.iter().chain(RULES).filter(|rule| rule.name() != DropKeptOrder.name());
    let names: Vec<&str> = rules.map(|rule| rule.name()).collect();
    let error = PlanError::argument(format!("there is no optimizer rule '{name}'"));
    let nearest = names.iter().min_by_key(|known| edit_distance(name, known));
    match nearest {
        Some(nearest) if edit_distance(name, nearest) <= name.len() / 2 => {
            error.with_hint(format!("did you mean '{nearest}'? The rules are {}", names.join(", ")))
        }
        _ => error.with_hint(format!("the rules are {}", names.join(", "))),
    }
}

/// Letters to change, add or leave out to make one word the other.
fn edit_distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, from) in one.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, to) in two.iter().enumerate() {
            next.push((row[j] + usize::from(from != *to)).min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    row[two.len()]
}
