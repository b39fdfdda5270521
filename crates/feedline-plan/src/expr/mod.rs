//! Expressions: what `map` and `filter` compute, as a graph that can be read, typed, rewritten and saved.

mod assert_shapes;
mod attribute;
mod axes;
mod bits;
mod body;
mod broadcast;
pub(crate) mod capture;
pub mod catalogue;
pub mod composed;
pub mod composing;
mod composite;
pub mod control;
mod decoding;
mod einsum;
mod features;
mod given;
pub mod image;
mod infer;
mod number;
mod of_ragged;
pub mod pattern;
mod sizes;
mod slices;
mod symbolic;
mod value;
pub(crate) mod written;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use feedline_data::TensorSpec;
use feedline_data::block::Tensor;

pub use attribute::Attribute;
pub use axes::{axes_mask, axis_index, gathered_dims, one_hot_axis, permutation, squeezed_mask};
pub use body::Body;
pub use broadcast::{broadcast_shapes, broadcast_specs};
pub use catalogue::{Argument, ArgumentKind, Cost, Operation};
pub use einsum::Equation;
pub use features::{Feature, FeatureValues, Features};
pub use given::Given;
pub use infer::tables::TableKeys;
pub use number::number_tensor;
pub use sizes::{
    dims_of_ints, range_size, range_size_of_floats, shape_of_ints, slice_size, split_sizes, within_limit,
};
pub use slices::{IntoSlices, Slice, Taken, expand_slices, place_of_index, taken_of_range};
pub use symbolic::Symbolic;
pub use value::CarriedPlan;

use crate::depth::depth_of_expr;
use crate::{PlanError, Result};

/// A tensor to be computed for every element: one output of a node of the expression graph.
///
/// Cheap to clone; an expression used twice is computed once.
#[derive(Clone)]
pub struct Expr {
    node: Arc<ExprNode>,
    output: usize,
}

/// One node of the expression graph.
#[derive(Debug)]
pub struct ExprNode {
    /// What it does.
    pub kind: ExprKind,
    /// What is known about its outputs.
    pub outputs: Vec<TensorSpec>,
    /// Calls inside each other, on the longest way.
    depth: usize,
    /// Larger than that of every node made before it.
    serial: u64,
}

impl ExprNode {
    fn new(kind: ExprKind, outputs: Vec<TensorSpec>) -> Arc<ExprNode> {
        Arc::new(ExprNode { depth: depth_of_expr(&kind), kind, outputs, serial: body::next_serial() })
    }
}

/// What a node of the expression graph does.
#[derive(Debug)]
pub enum ExprKind {
    /// Leaf `leaf` of the element that comes in.
    Input {
        /// Which leaf.
        leaf: usize,
    },
    /// The same tensor for every element.
    Constant(Tensor),
    /// A value of the element around a nested dataset, while the function that makes the dataset is still being traced:
    /// an input of that function, known by its node. `capture.rs` says how it ends.
    Captured {
        /// The input.
        value: Expr,
    },
    /// Value `index` of those a nested dataset is started with: the same for all its elements.
    Outer {
        /// Which one.
        index: usize,
    },
    /// An operation of the catalogue.
    Call(Call),
    /// The last of these. The others are computed before it, for their errors: see [`Expr::after`]. Without others, the result of a
    /// function that was put into another.
    After {
        /// What is computed first, and last the value.
        inputs: Vec<Expr>,
    },
}

/// An operation with its arguments.
#[derive(Debug)]
pub struct Call {
    /// Which one.
    pub operation: &'static Operation,
    /// The tensors it gets.
    pub inputs: Vec<Expr>,
    /// The other arguments, in the catalogue's order, all present.
    pub attributes: Vec<Attribute>,
    /// For operations that draw random values: where in the logical plan this one stands.
    pub place: u64,
    /// The step of the plan as written that it is of, as [`Plan::numbered`](crate::Plan::numbered) counts them, so that what fails can be
    /// told by it whatever step it runs in; 0 where that is the one it runs in.
    pub step: u32,
    /// The function the user wrote that is made of this call and others, where it is: errors name it.
    pub function: Option<&'static str>,
}

impl Call {
    /// The argument called `name`.
    ///
    /// # Panics
    /// If the operation has no such argument; names are the catalogue's.
    pub fn attribute(&self, name: &str) -> &Attribute {
        let mut names = self.operation.attributes().map(|argument| argument.name);
        let index = names.position(|other| other == name);
        &self.attributes[index.unwrap_or_else(|| panic!("{} has no argument {name}", self.operation.name))]
    }

    /// An argument the catalogue says is an integer.
    pub fn int(&self, name: &str) -> i64 {
        match self.attribute(name) {
            Attribute::Int(value) => *value,
            other => panic!("{}: {name} is {other}, checked to be an integer", self.operation.name),
        }
    }

    /// An argument the catalogue says is yes or no.
    pub fn flag(&self, name: &str) -> bool {
        match self.attribute(name) {
            Attribute::Bool(value) => *value,
            other => panic!("{}: {name} is {other}, checked to be a bool", self.operation.name),
        }
    }

    /// An argument the catalogue says is a float.
    pub fn float(&self, name: &str) -> f64 {
        match self.attribute(name) {
            Attribute::Float(value) => *value,
            other => panic!("{}: {name} is {other}, checked to be a float", self.operation.name),
        }
    }

    /// An argument the catalogue says is a list of floats; empty where it may be none and is.
    pub fn floats(&self, name: &str) -> &[f64] {
        match self.attribute(name) {
            Attribute::Floats(values) => values,
            Attribute::None => &[],
            other => panic!("{}: {name} is {other}, checked to be floats", self.operation.name),
        }
    }

    /// An argument the catalogue says is a word.
    pub fn text(&self, name: &str) -> &str {
        match self.attribute(name) {
            Attribute::Text(value) => value,
            other => panic!("{}: {name} is {other}, checked to be a word", self.operation.name),
        }
    }

    /// An argument the catalogue says is a type.
    pub fn dtype(&self, name: &str) -> feedline_data::DType {
        match self.attribute(name) {
            Attribute::DType(value) => *value,
            other => panic!("{}: {name} is {other}, checked to be a type", self.operation.name),
        }
    }

    /// An argument the catalogue says is a list of integers, or one integer, or nothing.
    pub fn ints(&self, name: &str) -> Option<Vec<i64>> {
        match self.attribute(name) {
            Attribute::Int(value) => Some(vec![*value]),
            Attribute::Ints(values) => Some(values.clone()),
            Attribute::None => None,
            other => panic!("{}: {name} is {other}, checked to be integers", self.operation.name),
        }
    }

    /// The functions it computes with, where it is a choice or a loop.
    pub fn bodies(&self) -> &[Body] {
        control::bodies_of(&self.attributes)
    }

    /// What errors call it: the operation, and before it the function that is made of it, if one is.
    pub fn name_as_written(&self) -> Cow<'static, str> {
        let operation = self.operation.name_as_written();
        self.function.map_or(operation.into(), |function| format!("{function}: {operation}").into())
    }

    /// Whether it draws random values, itself or in a function it computes with.
    pub fn is_random(&self) -> bool {
        self.operation.is_random
            || self.bodies().iter().any(|body| body.results().iter().any(Expr::is_random))
    }

    /// Whether it, or one in a function it computes with, satisfies `wanted`.
    pub(crate) fn any_inside(&self, wanted: &mut dyn FnMut(&Call) -> bool) -> bool {
        wanted(self) || self.bodies().iter().flat_map(Body::results).any(|result| result.any_call(wanted))
    }

    /// It as errors show it: tensors by name and spec, and what is not the default of the other arguments.
    fn as_written(&self) -> String {
        const MAX_LETTERS: usize = 60;
        let mut tensors =
            self.operation.arguments.iter().filter(|argument| argument.kind.is_tensor()).peekable();
        let inputs = self.inputs.iter().map_while(|input| {
            // The one that takes many is the last.
            let argument = tensors.next_if(|argument| argument.kind != ArgumentKind::Tensors);
            let argument = argument.or_else(|| tensors.peek().copied())?;
            Some(format!("{}: {}", argument.name, input.spec()))
        });
        let others = self.operation.attributes().zip(&self.attributes);
        let others = others.filter(|(argument, value)| argument.default.as_ref() != Some(*value));
        let others = others.map(|(argument, value)| {
            let value = value.to_string();
            match value.char_indices().nth(MAX_LETTERS) {
                Some((end, _)) => format!("{}={}…", argument.name, &value[..end]),
                None => format!("{}={value}", argument.name),
            }
        });
        format!("{}({})", self.operation.name, inputs.chain(others).collect::<Vec<_>>().join(", "))
    }

    /// The specs of its inputs.
    pub fn input_specs(&self) -> Vec<&TensorSpec> {
        self.inputs.iter().map(Expr::spec).collect()
    }
}

impl Expr {
    /// Leaf `leaf` of the incoming element.
    pub fn input(leaf: usize, spec: TensorSpec) -> Expr {
        Expr { node: ExprNode::new(ExprKind::Input { leaf }, vec![spec]), output: 0 }
    }

    /// The same tensor for every element.
    pub fn constant(tensor: Tensor) -> Expr {
        let spec = TensorSpec::new(tensor.dtype(), feedline_data::Shape::fixed(tensor.shape()));
        Expr { node: ExprNode::new(ExprKind::Constant(tensor), vec![spec]), output: 0 }
    }

    fn captured(value: Expr) -> Expr {
        let outputs = vec![value.spec().clone()];
        Expr { node: ExprNode::new(ExprKind::Captured { value }, outputs), output: 0 }
    }

    /// Value `index` of those the nested dataset is started with.
    pub(crate) fn outer(index: usize, spec: TensorSpec) -> Expr {
        Expr { node: ExprNode::new(ExprKind::Outer { index }, vec![spec]), output: 0 }
    }

    /// The outputs of `operation` on these arguments; `attributes` in the catalogue's order.
    ///
    /// # Errors
    /// If types or shapes do not fit, with the operation's name and what it got.
    pub fn call(
        operation: &'static Operation,
        inputs: Vec<Expr>,
        attributes: Vec<Attribute>,
    ) -> Result<Vec<Expr>> {
        Expr::call_at(operation, inputs, attributes, 0)
    }

    /// As [`Expr::call`], for an operation that stands at `place` of the plan.
    pub fn call_at(
        operation: &'static Operation,
        inputs: Vec<Expr>,
        attributes: Vec<Attribute>,
        place: u64,
    ) -> Result<Vec<Expr>> {
        Expr::of_call(Call { operation, inputs, attributes, place, step: 0, function: composing::current() })
    }

    /// The outputs of `call`.
    fn of_call(call: Call) -> Result<Vec<Expr>> {
        call.operation.check_arguments(call.inputs.len(), &call.attributes)?;
        let outputs = (call.operation.infer)(&call).map_err(|error| error.in_step(&call.as_written()))?;
        Ok(Expr::outputs_of_node(&ExprNode::new(ExprKind::Call(call), outputs)))
    }

    fn outputs_of_node(node: &Arc<ExprNode>) -> Vec<Expr> {
        (0..node.outputs.len()).map(|output| Expr { node: Arc::clone(node), output }).collect()
    }

    /// The outputs of another call in the place of `call`: of the same step, with the same random values.
    ///
    /// # Errors
    /// As of [`Expr::call`].
    pub(crate) fn call_instead(
        call: &Call,
        operation: &'static Operation,
        inputs: Vec<Expr>,
        attributes: Vec<Attribute>,
    ) -> Result<Vec<Expr>> {
        let (place, step, function) = (call.place, call.step, call.function);
        Expr::of_call(Call { operation, inputs, attributes, place, step, function })
    }

    /// The outputs of the call that this is an output of, with other inputs. What the plan knew of them stays known, and no more, where the
    /// inputs are of the same specs: sizes that turn out to be constants would make it know more.
    pub(crate) fn call_again(&self, inputs: Vec<Expr>) -> Result<Vec<Expr>> {
        let ExprKind::Call(call) = &self.node.kind else { unreachable!("asked of calls alone") };
        let is_same = call.inputs.iter().zip(&inputs).all(|(old, new)| old.spec() == new.spec());
        if !is_same {
            return Expr::call_instead(call, call.operation, inputs, call.attributes.clone());
        }
        let kind = ExprKind::Call(call.over(inputs));
        Ok(Expr::outputs_of_node(&ExprNode::new(kind, self.node.outputs.clone())))
    }

    /// The outputs of the node that this is an output of, with other inputs; a leaf, which has none, is itself.
    pub(crate) fn outputs_of(&self, mut inputs: Vec<Expr>) -> Result<Vec<Expr>> {
        match &self.node.kind {
            ExprKind::Call(_) => self.call_again(inputs),
            ExprKind::After { .. } => {
                let value = inputs.pop().expect("the value is the last");
                Ok(vec![value.after(inputs)])
            }
            ExprKind::Input { .. }
            | ExprKind::Constant(_)
            | ExprKind::Captured { .. }
            | ExprKind::Outer { .. } => Ok(vec![self.clone()]),
        }
    }

    /// What is known about it.
    pub fn spec(&self) -> &TensorSpec {
        &self.node.outputs[self.output]
    }

    /// The node it is an output of.
    pub fn node(&self) -> &Arc<ExprNode> {
        &self.node
    }

    /// Which output of the node it is.
    pub fn output(&self) -> usize {
        self.output
    }

    /// Calls inside each other, on the longest way.
    pub(crate) fn depth(&self) -> usize {
        self.node.depth
    }

    /// Its inputs, if it has any.
    pub fn inputs(&self) -> &[Expr] {
        match &self.node.kind {
            ExprKind::Call(call) => &call.inputs,
            ExprKind::After { inputs } => inputs,
            ExprKind::Input { .. }
            | ExprKind::Constant(_)
            | ExprKind::Captured { .. }
            | ExprKind::Outer { .. } => &[],
        }
    }

    /// It, computed after `checks`: where one of them fails for an element, that is the element's error, even if
    /// nothing else uses what they compute. What a rewrite needs that makes one function of two.
    #[must_use]
    pub fn after(&self, checks: impl IntoIterator<Item = Expr>) -> Expr {
        let outputs = vec![self.spec().clone()];
        let inputs = checks.into_iter().chain([self.clone()]).collect();
        Expr { node: ExprNode::new(ExprKind::After { inputs }, outputs), output: 0 }
    }

    /// It, as the result of a function of its own that has been put into another: whatever uses a part of it only, all of it was
    /// asked for here. (How much of a damaged image must be there depends on that.)
    #[must_use]
    pub(crate) fn as_result(&self) -> Expr {
        self.after([])
    }

    /// Whether it or anything it depends on satisfies `wanted`.
    pub fn any(&self, wanted: &mut impl FnMut(&ExprNode) -> bool) -> bool {
        self.any_unseen(wanted, &mut HashSet::new())
    }

    /// What is used twice is asked once: an expression that uses its input twice, ten times over, has a thousand paths.
    fn any_unseen(
        &self,
        wanted: &mut impl FnMut(&ExprNode) -> bool,
        seen: &mut HashSet<*const ExprNode>,
    ) -> bool {
        seen.insert(Arc::as_ptr(&self.node))
            && (wanted(&self.node) || self.inputs().iter().any(|input| input.any_unseen(wanted, seen)))
    }

    /// Whether a call it depends on satisfies `wanted`, also one inside a function that a call computes with.
    pub fn any_call(&self, wanted: &mut dyn FnMut(&Call) -> bool) -> bool {
        self.any(&mut |node| matches!(&node.kind, ExprKind::Call(call) if call.any_inside(wanted)))
    }

    /// Whether it draws random values.
    pub fn is_random(&self) -> bool {
        self.any_call(&mut |call| call.operation.is_random)
    }

    /// The same expression with input leaf `i` replaced by `inputs[i]`: how two maps become one.
    ///
    /// # Errors
    /// If a replacement does not fit; replacements of the same spec always do.
    pub fn substitute(&self, inputs: &[Expr]) -> Result<Expr> {
        Ok(Expr::substitute_all([self], inputs)?.remove(0))
    }

    /// As [`Expr::substitute`] for several that share parts, and go on to.
    pub fn substitute_all<'a>(
        exprs: impl IntoIterator<Item = &'a Expr>,
        inputs: &[Expr],
    ) -> Result<Vec<Expr>> {
        Expr::replace_leaves(exprs, &mut |leaf| match &leaf.node.kind {
            ExprKind::Input { leaf } => inputs.get(*leaf).cloned().ok_or_else(|| {
                PlanError::spec(format!("leaf {leaf} of an element that has {}", inputs.len()))
            }),
            _ => Ok(leaf.clone()),
        })
    }

    /// As [`Expr::substitute_all`], for inputs known by their nodes: those of `inputs` become those of `replacements`, and those of functions around
    /// stay what they are.
    ///
    /// # Errors
    /// As of [`Expr::substitute`].
    pub fn substitute_own<'a>(
        exprs: impl IntoIterator<Item = &'a Expr>,
        inputs: &[Expr],
        replacements: &[Expr],
    ) -> Result<Vec<Expr>> {
        Expr::replace_leaves(exprs, &mut |leaf| {
            let place = inputs.iter().position(|input| Arc::ptr_eq(&input.node, &leaf.node));
            let found = place.and_then(|place| replacements.get(place));
            Ok(found.unwrap_or(leaf).clone())
        })
    }

    /// The same expressions with each of their leaves (what has no inputs itself) replaced. Parts they share stay shared.
    pub(crate) fn replace_leaves<'a>(
        exprs: impl IntoIterator<Item = &'a Expr>,
        replacement: &mut impl FnMut(&Expr) -> Result<Expr>,
    ) -> Result<Vec<Expr>> {
        let mut done = HashMap::new();
        exprs.into_iter().map(|expr| expr.replace_shared(replacement, &mut done)).collect()
    }

    fn replace_shared(
        &self,
        replacement: &mut impl FnMut(&Expr) -> Result<Expr>,
        done: &mut HashMap<*const ExprNode, Vec<Expr>>,
    ) -> Result<Expr> {
        let key = Arc::as_ptr(&self.node);
        if !done.contains_key(&key) {
            let outputs = match &self.node.kind {
                ExprKind::Call(_) | ExprKind::After { .. } => {
                    let inputs = self.inputs().iter().map(|input| input.replace_shared(replacement, done));
                    let inputs = inputs.collect::<Result<Vec<Expr>>>()?;
                    self.outputs_of(inputs)?
                }
                ExprKind::Input { .. }
                | ExprKind::Constant(_)
                | ExprKind::Captured { .. }
                | ExprKind::Outer { .. } => vec![replacement(self)?],
            };
            done.insert(key, outputs);
        }
        Ok(done[&key][self.output].clone())
    }

    /// The same expressions with every random operation that has no place yet given one, counted on from `next`. An operation they
    /// share stays one, with one place: what it draws is the same wherever it is used.
    pub(crate) fn placed_all<'a>(exprs: impl IntoIterator<Item = &'a Expr>, next: &mut u64) -> Vec<Expr> {
        let mut done = HashMap::new();
        exprs.into_iter().map(|expr| expr.placed_shared(next, &mut done)).collect()
    }

    fn placed_shared(&self, next: &mut u64, done: &mut HashMap<*const ExprNode, Vec<Expr>>) -> Expr {
        let key = Arc::as_ptr(&self.node);
        if !done.contains_key(&key) {
            let inputs: Vec<Expr> =
                self.inputs().iter().map(|input| input.placed_shared(next, done)).collect();
            let is_as_it_was =
                inputs.iter().zip(self.inputs()).all(|(new, old)| Arc::ptr_eq(&new.node, &old.node));
            let kind = match &self.node.kind {
                ExprKind::Call(call) if !is_as_it_was || call.is_random() => {
                    Some(ExprKind::Call(call.placed(inputs, next)))
                }
                ExprKind::After { .. } if !is_as_it_was => Some(ExprKind::After { inputs }),
                _ => None,
            };
            let node = kind.map(|kind| ExprNode::new(kind, self.node.outputs.clone()));
            done.insert(key, Expr::outputs_of_node(node.as_ref().unwrap_or(&self.node)));
        }
        done[&key][self.output].clone()
    }

    /// The same expressions, whose calls say that they are of step number `step` of the plan as written.
    pub(crate) fn of_step<'a>(exprs: impl IntoIterator<Item = &'a Expr>, step: u32) -> Vec<Expr> {
        let mut done = HashMap::new();
        exprs.into_iter().map(|expr| expr.of_step_shared(step, &mut done)).collect()
    }

    fn of_step_shared(&self, step: u32, done: &mut HashMap<*const ExprNode, Vec<Expr>>) -> Expr {
        if self.inputs().is_empty() && !matches!(self.node.kind, ExprKind::Call(_)) {
            return self.clone();
        }
        let key = Arc::as_ptr(&self.node);
        if !done.contains_key(&key) {
            let inputs = self.inputs().iter().map(|input| input.of_step_shared(step, done)).collect();
            let kind = match &self.node.kind {
                ExprKind::Call(call) => ExprKind::Call(Call { step, ..call.over(inputs) }),
                _ => ExprKind::After { inputs },
            };
            let node = ExprNode::new(kind, self.node.outputs.clone());
            done.insert(key, Expr::outputs_of_node(&node));
        }
        done[&key][self.output].clone()
    }
}

impl Call {
    /// The same call of other inputs.
    fn over(&self, inputs: Vec<Expr>) -> Call {
        let Call { operation, inputs: _, attributes, place, step, function } = self;
        let attributes = attributes.clone();
        Call { operation, inputs, attributes, place: *place, step: *step, function: *function }
    }

    /// The same call of `inputs`, with a place if it is random and has none yet.
    fn placed(&self, inputs: Vec<Expr>, next: &mut u64) -> Call {
        let mut place = self.place;
        if self.operation.is_random && place == 0 {
            place = *next;
            *next += 1;
        }
        let attributes = self.attributes.iter().map(|attribute| match attribute {
            Attribute::Functions(bodies) => {
                Attribute::Functions(bodies.iter().map(|body| body.placed(next)).collect())
            }
            other => other.clone(),
        });
        let (operation, step, function) = (self.operation, self.step, self.function);
        Call { operation, inputs, attributes: attributes.collect(), place, step, function }
    }
}
