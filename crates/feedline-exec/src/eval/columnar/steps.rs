//! The steps of a program, and what each needs to know of the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use feedline_plan::expr::{Call, ExprKind, ExprNode};

use super::super::Kernel;
use super::super::chain::Chain;
use super::super::image::pixels::Pixels;
use super::super::scratch::Scratch;
use super::Columnar;
use super::growth::Growth;

#[derive(Debug)]
pub(in crate::eval) struct Step {
    pub(in crate::eval) node: Arc<ExprNode>,
    pub(in crate::eval) kind: StepKind,
    pub(in crate::eval) inputs: Vec<Place>,
    /// Whether a function that was put into another ended here, so that all of the result was asked for.
    pub(in crate::eval) is_result: bool,
    pub(super) scratch: Scratch,
    /// How many times the memory of its results the steps behind it may need for theirs.
    pub(super) weight: usize,
    /// Whether its results are larger than what it gets.
    pub(super) growth: Growth,
    /// The functions it computes with.
    pub(super) bodies: Vec<Columnar>,
    /// Incoming columns that this step is the last to use.
    pub(super) last_used_inputs: Vec<usize>,
    /// Steps whose results it is the last to use.
    pub(super) last_used_steps: Vec<usize>,
}

/// How a step computes.
#[derive(Debug)]
pub(in crate::eval) enum StepKind {
    Kernel(Kernel),
    /// Several steps in one.
    Chain(Chain),
    /// Decoding and what is computed along with it.
    Pixels(Pixels),
}

/// Where a value is found.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) enum Place {
    /// A column of the incoming block.
    Input(usize),
    /// What an earlier step computed.
    Step { step: usize, output: usize },
    /// A constant.
    Constant(usize),
}

impl Step {
    pub(in crate::eval) fn new(node: Arc<ExprNode>, kind: StepKind, inputs: Vec<Place>) -> Step {
        Step {
            node,
            kind,
            inputs,
            is_result: false,
            scratch: Scratch::default(),
            weight: 1,
            growth: Growth::None,
            bodies: Vec::new(),
            last_used_inputs: Vec::new(),
            last_used_steps: Vec::new(),
        }
    }

    /// What it computes; of a chain the last.
    pub(in crate::eval) fn call(&self) -> &Call {
        let ExprKind::Call(call) = &self.node.kind else { unreachable!("steps are calls") };
        call
    }
}

/// Of each step that is a chain, or makes pixels, whose results are a leaf of the result, and nothing else: the leaf.
pub(super) fn ends(steps: &[Step], outputs: &[Place]) -> Vec<Option<usize>> {
    let is_of = |place: &Place, index: usize| matches!(place, Place::Step { step, .. } if *step == index);
    let end = |(index, step): (usize, &Step)| {
        let mut leaves = (0..outputs.len()).filter(|&leaf| is_of(&outputs[leaf], index));
        let leaf = leaves.next().filter(|_| !matches!(step.kind, StepKind::Kernel(_)))?;
        let is_used = steps.iter().flat_map(|step| &step.inputs).any(|place| is_of(place, index));
        (leaves.next().is_none() && !is_used).then_some(leaf)
    };
    steps.iter().enumerate().map(end).collect()
}

/// Notes at each step of any size, or whose results are larger than what it gets, what others make of these: about as many values, of four bytes each where they compute with
/// them. (Pixels are bytes, and most of what is done with them is done with floats.)
pub(super) fn weigh(steps: &mut [Step]) {
    let uses = |user: &Step, index: usize| {
        user.inputs.iter().any(|place| matches!(place, Place::Step { step, .. } if *step == index))
    };
    for index in 0..steps.len() {
        let asks = steps[index].call().makes_any_size() || steps[index].growth.may_ask();
        if !asks || !steps[index + 1..].iter().any(|step| uses(step, index)) {
            continue;
        }
        let width = steps[index].node.outputs[0].dtype.width();
        steps[index].weight = 1 + width.map_or(1, |width| 4_usize.div_ceil(width));
    }
}

/// Notes at each step what nothing uses from there on.
pub(super) fn find_last_uses(steps: &mut [Step], outputs: &[Place]) {
    let mut input_uses = BTreeMap::new();
    let mut step_uses: Vec<usize> = (0..steps.len()).collect();
    let mut note = |place: Place, user: usize| match place {
        Place::Input(leaf) => {
            input_uses.insert(leaf, user);
        }
        Place::Step { step, .. } => step_uses[step] = user,
        Place::Constant(_) => {}
    };
    for (user, step) in steps.iter().enumerate() {
        step.inputs.iter().for_each(|place| note(*place, user));
    }
    outputs.iter().for_each(|place| note(*place, usize::MAX));
    for (leaf, user) in input_uses {
        if let Some(user) = steps.get_mut(user) {
            user.last_used_inputs.push(leaf);
        }
    }
    for (step, user) in step_uses.into_iter().enumerate() {
        if let Some(user) = steps.get_mut(user) {
            user.last_used_steps.push(step);
        }
    }
}
