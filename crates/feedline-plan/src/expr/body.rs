//! A function inside an expression: what a call computes for the rows that take a branch, or again and again.
//!
//! A body refers to nothing but its own inputs. What its code used of the function around it comes in as values the call gets (as
//! many compilers lift inner functions out of outer ones), so rules that move, fuse and prune expressions need not look inside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use feedline_data::{Structure, TensorSpec};

use super::{Expr, ExprKind, ExprNode};
use crate::{PlanError, Result, Symbolic};

/// A function of tensors that a call computes.
#[derive(Clone, Debug)]
pub struct Body {
    inputs: Arc<Vec<TensorSpec>>,
    results: Arc<Vec<Expr>>,
}

impl Body {
    /// The function that gives `results`, expressions over `inputs` alone.
    ///
    /// # Errors
    /// If it gives nothing.
    pub(crate) fn new(inputs: Vec<TensorSpec>, results: Vec<Expr>) -> Result<Body> {
        if results.is_empty() {
            return Err(PlanError::spec("a function inside a function gives one tensor at least"));
        }
        Ok(Body { inputs: Arc::new(inputs), results: Arc::new(results) })
    }

    /// What is known of the tensors it gets.
    pub fn inputs(&self) -> &[TensorSpec] {
        &self.inputs
    }

    /// What it gives.
    pub fn results(&self) -> &[Expr] {
        &self.results
    }

    /// What is known of what it gives.
    pub fn specs(&self) -> Vec<TensorSpec> {
        self.results.iter().map(|result| result.spec().clone()).collect()
    }

    /// Calls inside each other, on the longest way.
    pub(crate) fn depth(&self) -> usize {
        self.results.iter().map(Expr::depth).max().unwrap_or(0)
    }

    /// It with its random operations given places, counted on from `next`.
    pub(super) fn placed(&self, next: &mut u64) -> Body {
        let results = Arc::new(Expr::placed_all(self.results.iter(), next));
        Body { inputs: Arc::clone(&self.inputs), results }
    }
}

impl PartialEq for Body {
    /// The same text: what it computes, not how it was made.
    fn eq(&self, other: &Body) -> bool {
        self.inputs == other.inputs && self.to_string() == other.to_string()
    }
}

/// Numbers nodes in the order they are made, so that what a function made while it was traced can be told from what was there.
static NEXT_SERIAL: AtomicU64 = AtomicU64::new(0);

pub(super) fn next_serial() -> u64 {
    // Relaxed: a function is traced by one thread, which sees its own numbers grow.
    NEXT_SERIAL.fetch_add(1, Ordering::Relaxed)
}

/// What functions inside an expression use of the function around them: values their call gets.
#[derive(Default)]
pub(super) struct Captures(Vec<Expr>);

/// A function that was traced, not yet cut off from what is around it.
pub(super) struct Traced {
    pub(super) structure: Structure<Expr>,
    parameters: Vec<Expr>,
    /// Nodes from this number on were made by it.
    first_serial: u64,
}

impl Traced {
    /// What `function` makes of parameters of these specs, which come as `structure` has them.
    pub(super) fn new(
        parameters: &Structure<TensorSpec>,
        function: impl FnOnce(Symbolic) -> Symbolic,
    ) -> Result<Traced> {
        let first_serial = next_serial();
        let mut leaf = 0;
        let symbols = parameters.map(|spec| {
            leaf += 1;
            Expr::input(leaf - 1, spec.clone())
        });
        let parameters = symbols.leaves().into_iter().cloned().collect();
        let structure = function(Symbolic::from(symbols)).to_structure()?;
        Ok(Traced { structure, parameters, first_serial })
    }

    /// The expressions it gives.
    pub(super) fn results(&self) -> Vec<Expr> {
        self.structure.leaves().into_iter().cloned().collect()
    }
}

impl Captures {
    /// The values, in the order bodies have them behind their parameters.
    pub(super) fn into_values(self) -> Vec<Expr> {
        self.0
    }

    /// The bodies of functions that are called with the same captured values.
    pub(super) fn bodies(&mut self, functions: &[&Traced]) -> Result<Vec<Body>> {
        let lifted = functions.iter().map(|traced| {
            let mut lift = Lift { traced, captures: self, done: std::collections::HashMap::new() };
            traced.structure.leaves().into_iter().map(|expr| lift.expr(expr)).collect::<Vec<Expr>>()
        });
        let lifted: Vec<Vec<Expr>> = lifted.collect();
        let bodies = functions.iter().zip(lifted).map(|(traced, results)| {
            let parameters = traced.parameters.iter().chain(&self.0);
            Body::new(parameters.map(|expr| expr.spec().clone()).collect(), results)
        });
        bodies.collect()
    }

    /// The input that stands for `value` behind `num_parameters` others.
    fn input(&mut self, value: &Expr, num_parameters: usize) -> Expr {
        let is_same = |other: &Expr| Arc::ptr_eq(&other.node, &value.node) && other.output == value.output;
        let place = self.0.iter().position(is_same).unwrap_or_else(|| {
            self.0.push(value.clone());
            self.0.len() - 1
        });
        Expr::input(num_parameters + place, value.spec().clone())
    }
}

/// Cuts one function off.
struct Lift<'a> {
    traced: &'a Traced,
    captures: &'a mut Captures,
    done: std::collections::HashMap<*const ExprNode, Arc<ExprNode>>,
}

impl Lift<'_> {
    fn expr(&mut self, expr: &Expr) -> Expr {
        let node = &expr.node;
        let own = |parameter: &Expr| Arc::ptr_eq(&parameter.node, node);
        if let Some(place) = self.traced.parameters.iter().position(own) {
            return Expr::input(place, expr.spec().clone());
        }
        let is_inside = node.serial >= self.traced.first_serial;
        let parts = match &node.kind {
            ExprKind::Constant(_) => return expr.clone(),
            ExprKind::Call(call) if is_inside => &call.inputs,
            ExprKind::After { inputs } if is_inside => inputs,
            _ => return self.captures.input(expr, self.traced.parameters.len()),
        };
        let key = Arc::as_ptr(node);
        if !self.done.contains_key(&key) {
            let inputs: Vec<Expr> = parts.iter().map(|part| self.expr(part)).collect();
            let kind = match &node.kind {
                ExprKind::Call(call) => ExprKind::Call(call.over(inputs)),
                _ => ExprKind::After { inputs },
            };
            self.done.insert(key, ExprNode::new(kind, node.outputs.clone()));
        }
        Expr { node: Arc::clone(&self.done[&key]), output: expr.output }
    }
}
