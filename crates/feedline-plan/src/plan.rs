//! The logical plan: what a dataset is, step by step.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use feedline_data::ElementSpec;
use feedline_data::block::mix;

use crate::depth::depth_of_step;
use crate::outline::outline;
use crate::step_text::with_short_strings;
use crate::{NodeKind, PlanError, Result};

/// A logical plan: a node and, through it, everything upstream. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Plan(Arc<Node>);

/// One step of a plan, with what is known about its elements.
#[derive(Debug)]
pub struct Node {
    /// What it does.
    pub kind: NodeKind,
    /// What it does it with.
    pub inputs: Vec<Plan>,
    /// What is known about each of its elements.
    pub spec: ElementSpec,
    /// How many elements there are.
    pub cardinality: Cardinality,
    /// Random operations in it and upstream of it: those of the next step count on from here.
    num_places: u64,
    /// It and the steps upstream of it and inside it, each as often as it is used.
    num_steps: u64,
    /// Steps one behind the other, on the longest way from a source.
    depth: usize,
    /// Steps that put several inputs into one stream, one before the other, on the longest way.
    num_joins: u32,
    /// Whether it was looked through and found closed ([`Plan::escaped`]): a plan grows a step at a time, and is looked at each time.
    pub(crate) is_known_closed: AtomicBool,
    /// What is written of it ([`Plan::line`]), once it was asked for: by it, or by the step it was copied from.
    line: Arc<OnceLock<String>>,
    /// Its number in the plan as written ([`Plan::numbered`]); 0: none.
    number: u32,
    /// Where a rule joined two steps, the number of the first.
    joined_number: u32,
}

/// How many elements there are, as far as a plan says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// Exactly so many.
    Known(u64),
    /// No end.
    Infinite,
    /// It depends on the data.
    Unknown,
}

impl Cardinality {
    /// tf.data's number for it: −1 is infinite, −2 unknown.
    pub fn as_tf(self) -> i64 {
        match self {
            Cardinality::Known(count) => i64::try_from(count).unwrap_or(i64::MAX),
            Cardinality::Infinite => -1,
            Cardinality::Unknown => -2,
        }
    }

    pub(crate) fn map(self, change: impl FnOnce(u64) -> u64) -> Cardinality {
        match self {
            Cardinality::Known(count) => Cardinality::Known(change(count)),
            other => other,
        }
    }
}

impl fmt::Display for Cardinality {
    /// The number, `infinite`, or `unknown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cardinality::Known(count) => write!(f, "{count}"),
            Cardinality::Infinite => f.write_str("infinite"),
            Cardinality::Unknown => f.write_str("unknown"),
        }
    }
}

impl Plan {
    /// The last step.
    pub fn node(&self) -> &Node {
        &self.0
    }

    /// What is known about each element.
    pub fn spec(&self) -> &ElementSpec {
        &self.0.spec
    }

    /// How many elements there are.
    pub fn cardinality(&self) -> Cardinality {
        self.0.cardinality
    }

    /// The same step over other inputs. The inputs must have the specs of the old ones.
    #[must_use]
    pub fn with_inputs(&self, inputs: Vec<Plan>) -> Plan {
        self.with_kind(self.0.kind.clone(), inputs)
    }

    /// Another step in its place over these inputs. Specs and cardinality must stay what they are.
    #[must_use]
    pub fn with_kind(&self, kind: NodeKind, inputs: Vec<Plan>) -> Plan {
        let node = &self.0;
        Plan(Arc::new(Node {
            num_steps: num_steps(&kind, &inputs),
            depth: depth_of_step(&kind, &inputs),
            num_joins: num_joins(&kind, &inputs),
            kind,
            inputs,
            spec: node.spec.clone(),
            cardinality: node.cardinality,
            num_places: node.num_places,
            is_known_closed: AtomicBool::new(false),
            line: Arc::default(),
            number: node.number,
            joined_number: node.joined_number,
        }))
    }

    /// The same step as [`Plan::with_kind`] makes, whose text and specs are those of this one, as number `number` of the plan as written.
    pub(crate) fn with_number(&self, kind: NodeKind, inputs: Vec<Plan>, number: u32) -> Plan {
        let mut node = self.with_kind(kind, inputs).into_node();
        node.line = Arc::clone(&self.0.line);
        node.number = number;
        Plan(Arc::new(node))
    }

    /// The same step, with the number that the last step of `other` has: what a rule moved is still what it was.
    pub(crate) fn numbered_as(self, other: &Plan) -> Plan {
        let mut node = self.into_node();
        node.number = other.0.number;
        node.joined_number = other.0.joined_number;
        Plan(Arc::new(node))
    }

    /// The same step, which a rule made of itself and `first`, the step before it.
    pub(crate) fn joined_with(self, first: &Plan) -> Plan {
        let mut node = self.into_node();
        node.joined_number = first.0.number;
        Plan(Arc::new(node))
    }

    /// Its only node, which nobody else has: it was just made.
    fn into_node(self) -> Node {
        Arc::into_inner(self.0).expect("nobody else has it yet")
    }

    /// The number of the last step in the plan as written ([`Plan::numbered`]); 0 for one that a rule put there.
    pub fn number(&self) -> u32 {
        self.0.number
    }

    /// Where a rule joined two steps, the number of the first.
    pub fn joined_number(&self) -> u32 {
        self.0.joined_number
    }

    /// Whether the last step hands on what it gets, whatever that is: `repeat(1)`, `shuffle(1)`, `take(-1)`. Such a step
    /// has no operator and saves nothing, with the optimizer on or off, so that it can be dropped.
    pub fn is_pass(&self) -> bool {
        match self.0.kind {
            NodeKind::Repeat { count } => count == Some(1),
            NodeKind::Shuffle { buffer_size, .. } => buffer_size == 1,
            NodeKind::Take { count } => count.is_none(),
            NodeKind::Skip { count } => count == Some(0),
            NodeKind::Shard { num_shards, .. } => num_shards == 1,
            NodeKind::Prefetch { buffer_size } => buffer_size == Some(0),
            NodeKind::Deterministic { is_deterministic } => is_deterministic,
            _ => false,
        }
    }

    /// How many steps run: those that the plan uses more than once are counted each time. [`u64::MAX`] is that many or more.
    pub fn num_steps(&self) -> u64 {
        self.0.num_steps
    }

    /// Steps that put several inputs into one stream (`concatenate`, `choose_from_datasets`), one before the other, on the longest way, this one included: what
    /// tells the ids of rows apart that come through several of them. No rule changes it.
    pub fn num_joins(&self) -> u32 {
        self.0.num_joins
    }

    /// Steps one behind the other, on the longest way.
    pub(crate) fn depth(&self) -> usize {
        self.0.depth
    }

    /// One line a step, sources first, nested plans before the step they belong to: what a checkpoint compares. Several steps
    /// that are used more than once are one line from the second time on.
    pub fn lines(&self) -> Vec<String> {
        outline(self, "  ", &|plan| match plan.0.kind {
            // Nothing runs otherwise for it: a state goes on where it is said and where it is not.
            NodeKind::Deterministic { is_deterministic: true } => Vec::new(),
            _ => vec![plan.line().to_owned()],
        })
    }

    /// What is written of its last step. Kept: it has a hash of all the tensors in it, and states are saved at every step of
    /// a training.
    pub(crate) fn line(&self) -> &str {
        self.0.line.get_or_init(|| self.0.kind.to_string())
    }

    /// The names of the steps that run, in the order of [`Plan::lines`], each as often as it runs: so many as
    /// [`Plan::num_steps`] says, which should be looked at first.
    pub fn step_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.collect_names(0, &mut names);
        names
    }

    /// A number that differs for plans that differ. Of tensors of more than a gigabyte a sample of that size counts.
    pub fn fingerprint(&self) -> u64 {
        hash_of(self.lines().join("\n").as_bytes())
    }

    fn collect_names(&self, depth: usize, names: &mut Vec<String>) {
        self.0.inputs.iter().for_each(|input| input.collect_names(depth, names));
        if let Some(nested) = self.0.kind.nested() {
            nested.plan.collect_names(depth + 1, names);
        }
        // Nobody waits for a hash of all the data before the first element.
        let name = match &self.0.kind {
            kind @ (NodeKind::TensorSlices { .. } | NodeKind::Tensors { .. }) => format!("{kind:#}"),
            _ => with_short_strings(self.line()),
        };
        names.push(format!("{}{name}", "  ".repeat(depth)));
    }

    pub(crate) fn source(kind: NodeKind, spec: ElementSpec, cardinality: Cardinality) -> Plan {
        Plan(Arc::new(Node {
            kind,
            inputs: Vec::new(),
            spec,
            cardinality,
            num_places: 0,
            num_steps: 1,
            depth: 1,
            num_joins: 0,
            is_known_closed: AtomicBool::new(false),
            line: Arc::default(),
            number: 0,
            joined_number: 0,
        }))
    }

    /// A step that changes which elements come or when, not what they are.
    pub(crate) fn same_elements(&self, kind: NodeKind, cardinality: Cardinality) -> Plan {
        self.step(kind, self.spec().clone(), cardinality)
    }

    /// A step over this plan.
    pub(crate) fn step(&self, kind: NodeKind, spec: ElementSpec, cardinality: Cardinality) -> Plan {
        Plan::join(kind, std::slice::from_ref(self), spec, cardinality)
    }

    /// A step over several plans.
    pub(crate) fn join(kind: NodeKind, inputs: &[Plan], spec: ElementSpec, cardinality: Cardinality) -> Plan {
        // Inputs that have as many random operations share their numbers; ids are salted by input, so draws differ.
        let num_places = inputs.iter().map(Plan::num_places).max().unwrap_or(0);
        let (num_steps, depth) = (num_steps(&kind, inputs), depth_of_step(&kind, inputs));
        let num_joins = num_joins(&kind, inputs);
        Plan(Arc::new(Node {
            kind,
            inputs: inputs.to_vec(),
            spec,
            cardinality,
            num_places,
            num_steps,
            depth,
            num_joins,
            is_known_closed: AtomicBool::new(false),
            line: Arc::default(),
            number: 0,
            joined_number: 0,
        }))
    }

    /// Random operations in it and upstream of it.
    pub(crate) fn num_places(&self) -> u64 {
        self.0.num_places
    }

    /// The same step, with so many random operations in it and upstream of it.
    pub(crate) fn with_places(&self, num_places: u64) -> Plan {
        let node = &self.0;
        Plan(Arc::new(Node {
            kind: node.kind.clone(),
            inputs: node.inputs.clone(),
            spec: node.spec.clone(),
            cardinality: node.cardinality,
            num_places,
            num_steps: node.num_steps,
            depth: node.depth,
            num_joins: node.num_joins,
            is_known_closed: AtomicBool::new(false),
            line: Arc::clone(&node.line),
            number: node.number,
            joined_number: node.joined_number,
        }))
    }

    /// The last step made again, with a change; `word` is what the user called, `step` what it belongs to.
    pub(crate) fn changed(
        &self,
        word: &str,
        step: &str,
        change: impl FnOnce(&Plan, &NodeKind) -> Option<Result<Plan>>,
    ) -> Result<Plan> {
        let input = self.0.inputs.first();
        input
            .and_then(|input| change(input, &self.0.kind))
            .unwrap_or_else(|| Err(misplaced(word, step, &self.0.kind)))
    }
}

/// A step, and the steps upstream of it and inside it.
fn num_steps(kind: &NodeKind, inputs: &[Plan]) -> u64 {
    let parts = inputs.iter().chain(kind.nested().map(|nested| &nested.plan));
    parts.fold(1, |sum, part| sum.saturating_add(part.num_steps()))
}

/// What a word that changes the step before it says where there is another step.
pub(crate) fn misplaced(word: &str, step: &str, found: &NodeKind) -> PlanError {
    PlanError::argument(format!("{word}: comes right after {step}, not after {}", found.name()))
}

fn num_joins(kind: &NodeKind, inputs: &[Plan]) -> u32 {
    let before = inputs.iter().map(Plan::num_joins).max().unwrap_or(0);
    before + u32::from(matches!(kind, NodeKind::Concatenate | NodeKind::Choose { .. }))
}

/// A hash that is the same in every process and every release: it is saved in checkpoints.
pub(crate) fn hash_of(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    rest.iter().fold(hash, |hash, &byte| mix(hash, u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SeedPair, Symbolic};
    use feedline_data::Structure;
    use feedline_data::block::Tensor;

    fn seeds(seed2: i64) -> SeedPair {
        SeedPair { seed: 0, seed2, is_given: true }
    }

    #[test]
    fn cardinalities_are_tf_datas() {
        let of = |start, stop, step| Plan::range(start, stop, step).map(|plan| plan.cardinality().as_tf());
        assert_eq!(of(0, 10, 1), Ok(10));
        assert_eq!(of(10, 2, -3), Ok(3));
        assert_eq!(of(2, 10, -1), Ok(0));
        assert_eq!(of(i64::MIN, i64::MAX, 1), Ok(i64::MAX));
        assert!(of(0, 1, 0).is_err());
        let ten = Plan::range(0, 10, 1).expect("valid");
        let cases = [
            (ten.batch(3, false).expect("valid"), 4),
            (ten.batch(3, true).expect("valid"), 3),
            (ten.repeat(Some(3)), 30),
            (ten.repeat(None), -1),
            (ten.repeat(Some(0)), 0),
            (Plan::range(0, 0, 1).expect("valid").repeat(None), 0),
            (ten.repeat(None).batch(3, true).expect("valid"), -1),
        ];
        for (plan, expected) in cases {
            assert_eq!(plan.cardinality().as_tf(), expected, "{:?}", plan.lines());
        }
    }

    #[test]
    fn specs_follow_and_mistakes_are_named() {
        let ten = Plan::range(0, 10, 1).expect("valid");
        assert_eq!(ten.batch(4, false).expect("valid").spec().to_string(), "int64[?]");
        assert_eq!(ten.repeat(None).batch(4, false).expect("valid").spec().to_string(), "int64[4]");
        let mapped = ten.map(|x| Symbolic::from((x.clone() + 1, x / 2)), None).expect("valid");
        assert_eq!(mapped.spec().to_string(), "(int64[], float64[])");
        let error = ten.map(|x| x.get("label"), None).expect_err("no dict").to_string();
        assert!(error.contains("map: 'label' of x0, which is no dict"), "{error}");
        assert!(ten.batch(0, false).is_err() && ten.shuffle(0, seeds(1), true).is_err());
        let uneven = Structure::Tuple(vec![
            Structure::Leaf(Tensor::from_vec(vec![2], vec![1, 2])),
            Structure::Leaf(Tensor::from_vec(vec![3], vec![1, 2, 3])),
        ]);
        let error = Plan::from_tensor_slices(&uneven).expect_err("uneven").to_string();
        assert_eq!(error, "from_tensor_slices: the tensor[0] has 2 slices, the tensor[1] 3");
    }

    #[test]
    fn fingerprints_tell_plans_and_data_apart_but_not_drawn_seeds() {
        let slices = |values: Vec<i32>| {
            Plan::from_tensor_slices(&Structure::Leaf(Tensor::from_vec(vec![values.len()], values)))
                .expect("valid")
        };
        assert_eq!(slices(vec![1, 2]).fingerprint(), slices(vec![1, 2]).fingerprint());
        assert_ne!(slices(vec![1, 2]).fingerprint(), slices(vec![2, 1]).fingerprint());
        let drawn = |seed2| SeedPair { is_given: false, ..seeds(seed2) };
        let shuffled = |seeds| slices(vec![1, 2]).shuffle(2, seeds, true).expect("valid").fingerprint();
        assert_eq!(shuffled(drawn(1)), shuffled(drawn(2)));
        assert_ne!(shuffled(seeds(1)), shuffled(seeds(2)));
    }
}
