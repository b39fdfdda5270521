//! How a dataset inside a function gets at the function's element.
//!
//! The function of `flat_map` gets a symbolic element and returns a plan. Steps of that plan may use the element: as a
//! number to count to, a file to read, or inside functions of their own. While all this is being traced, an input is
//! known by its node: [`Inputs`] are those of one function.
//!
//! - When an inner function ends, inputs in it that are not its own become [`ExprKind::Captured`] ([`Inputs::close`]).
//! - When the function around ends, each captured value becomes a value the nested plan is *started with*
//!   ([`Captures`]): an expression over the element around, computed for a whole block of elements at a time,
//!   and inside the plan [`ExprKind::Outer`] with its number. What belongs to a function further out is captured again.
//!
//! So a nested plan refers to nothing but the list it is started with, however deep functions are nested.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use feedline_data::{ElementSpec, Structure};

use super::value::check_no_values;
use super::{Expr, ExprKind, ExprNode};
use crate::kind_exprs::Exprs;
use crate::{Plan, PlanError, Result, Symbolic};

/// The inputs of a function that is being traced.
pub(crate) struct Inputs(Vec<Arc<ExprNode>>);

impl Inputs {
    /// The inputs of a function of elements of this spec, and the element to trace it with.
    pub(crate) fn new(spec: &ElementSpec) -> (Inputs, Symbolic) {
        let mut leaf = 0;
        let element = spec.in_functions().map(|spec| {
            leaf += 1;
            Expr::input(leaf - 1, spec.clone())
        });
        let nodes = element.leaves().into_iter().map(|expr| Arc::clone(&expr.node)).collect();
        (Inputs(nodes), Symbolic::from(element))
    }

    fn has(&self, node: &ExprNode) -> bool {
        self.0.iter().any(|own| std::ptr::eq(&raw const **own, node))
    }

    /// What the function gives, with inputs of functions around it captured, for a step that cannot use elements of datasets as values.
    pub(crate) fn close(&self, result: &Structure<Expr>) -> Result<Structure<Expr>> {
        check_no_values(result.leaves(), "the function of this step")?;
        self.close_all(result)
    }

    /// As [`Inputs::close`], for a step that can ([`Plan::with_values`]).
    pub(crate) fn close_all(&self, result: &Structure<Expr>) -> Result<Structure<Expr>> {
        let leaves = result.leaves();
        if !leaves.iter().any(|expr| expr.any(&mut |node| self.is_foreign(node))) {
            return Ok(result.clone());
        }
        let closed = Expr::replace_leaves(leaves, &mut |leaf| {
            Ok(if self.is_foreign(leaf.node()) { Expr::captured(leaf.clone()) } else { leaf.clone() })
        })?;
        Ok(result.with_leaves(closed))
    }

    fn is_foreign(&self, node: &ExprNode) -> bool {
        matches!(node.kind, ExprKind::Input { .. }) && !self.has(node)
    }
}

/// The values a nested plan is started with, collected while the plan is gone through.
pub(crate) struct Captures<'a> {
    /// `None`: it is not known yet which function they are of.
    inputs: Option<&'a Inputs>,
    /// Expressions over the element around.
    values: Vec<Expr>,
}

impl<'a> Captures<'a> {
    /// None yet, of the function with these inputs.
    pub(crate) fn new(inputs: &'a Inputs) -> Captures<'a> {
        Captures { inputs: Some(inputs), values: Vec::new() }
    }

    /// None yet, of all that is around.
    pub(crate) fn of_all() -> Captures<'a> {
        Captures { inputs: None, values: Vec::new() }
    }

    /// Expressions of an inner function, which gets elements of its own: with what they captured as values from outside.
    pub(crate) fn in_function<'b>(&mut self, exprs: impl IntoIterator<Item = &'b Expr>) -> Result<Vec<Expr>> {
        Expr::replace_leaves(exprs, &mut |leaf| match &leaf.node.kind {
            ExprKind::Captured { value } => self.outer(value),
            _ => Ok(leaf.clone()),
        })
    }

    /// An argument of an inner step (a count, a path): computed before the step starts.
    pub(crate) fn argument(&mut self, expr: &Expr) -> Result<Expr> {
        match expr.node.kind {
            ExprKind::Outer { .. } | ExprKind::Constant(_) => Ok(expr.clone()),
            _ => self.outer(expr),
        }
    }

    /// What was captured.
    pub(crate) fn into_values(self) -> Vec<Expr> {
        self.values
    }

    fn outer(&mut self, value: &Expr) -> Result<Expr> {
        let value = match self.inputs {
            Some(inputs) => inputs.close_all(&Structure::Leaf(value.clone()))?.leaves()[0].clone(),
            None => value.clone(),
        };
        let is_same = |other: &Expr| match (&other.node.kind, &value.node.kind) {
            (ExprKind::Captured { value: one }, ExprKind::Captured { value: two }) => {
                Arc::ptr_eq(&one.node, &two.node)
            }
            _ => Arc::ptr_eq(&other.node, &value.node) && other.output == value.output,
        };
        let index = self.values.iter().position(is_same).unwrap_or_else(|| {
            self.values.push(value.clone());
            self.values.len() - 1
        });
        Ok(Expr::outer(index, value.spec().clone()))
    }
}

/// A value of an element that is used outside of the function that got the element.
#[derive(Clone, Debug)]
pub struct Escaped {
    /// The step that uses it.
    pub step: &'static str,
    /// What it uses; the inputs in it are those of the other function.
    pub value: Expr,
}

impl Plan {
    /// Checks that no step uses a value of an element outside of the function that got the element.
    ///
    /// # Errors
    /// With the step that does.
    pub fn check_closed(&self) -> Result<()> {
        match self.escaped() {
            None => Ok(()),
            Some(Escaped { step, .. }) => Err(PlanError::spec(format!(
                "{step}: uses a value of an element outside of the function that got the element"
            ))
            .with_hint("build the dataset inside the function of flat_map or interleave")),
        }
    }

    /// The first value of an element that a step uses outside of the function that got the element.
    pub fn escaped(&self) -> Option<Escaped> {
        let node = self.node();
        // Relaxed: it saves work, and nothing is read by it. What is used twice is looked at once, too.
        if node.is_known_closed.load(Ordering::Relaxed) {
            return None;
        }
        if let Some(escaped) = node.inputs.iter().find_map(Plan::escaped) {
            return Some(escaped);
        }
        if let Some(escaped) = node.kind.nested().and_then(|nested| nested.plan.escaped()) {
            return Some(escaped);
        }
        let Exprs { functions, arguments } = node.kind.exprs();
        let is_open = |expr: &Expr| !matches!(expr.node.kind, ExprKind::Outer { .. } | ExprKind::Constant(_));
        let captured = functions.iter().find_map(Expr::captured_value);
        let value = captured.or_else(|| arguments.into_iter().find(is_open));
        node.is_known_closed.store(value.is_none(), Ordering::Relaxed);
        value.map(|value| Escaped { step: node.kind.name(), value })
    }
}

impl Expr {
    /// A value of a function around it that is not among what a dataset is started with.
    fn captured_value(&self) -> Option<Expr> {
        let mut found = None;
        self.any(&mut |node| {
            if let ExprKind::Captured { value } = &node.kind {
                found = Some(value.clone());
            }
            found.is_some()
        });
        found
    }
}
