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

use std::collections::HashSet;
use std::sync::Arc;

use feedline_data::{ElementSpec, Structure};

use super::value::check_no_values;
use super::{Expr, ExprKind, ExprNode};
use crate::kind_exprs::Exprs;
use crate::plan::Node;
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

impl Plan {
    /// Checks that no step uses a value of an element outside of the function that got the element.
    ///
    /// # Errors
    /// With the step that does.
    pub fn check_closed(&self) -> Result<()> {
        self.check_unseen(&mut HashSet::new())
    }

    /// What is used twice is looked at once.
    fn check_unseen(&self, seen: &mut HashSet<*const Node>) -> Result<()> {
        let node = self.node();
        if !seen.insert(std::ptr::from_ref(node)) {
            return Ok(());
        }
        node.inputs.iter().try_for_each(|input| input.check_unseen(seen))?;
        let is_open = |expr: &Expr| expr.any(&mut |node| matches!(node.kind, ExprKind::Captured { .. }));
        let is_argument =
            |expr: &Expr| matches!(expr.node.kind, ExprKind::Outer { .. } | ExprKind::Constant(_));
        if let Some(nested) = node.kind.nested() {
            nested.plan.check_unseen(seen)?;
        }
        let Exprs { functions, arguments } = node.kind.exprs();
        let has_escaped = functions.iter().any(is_open) || !arguments.iter().all(is_argument);
        if has_escaped {
            return Err(PlanError::spec(format!(
                "{}: uses a value of an element outside of the function that got the element",
                node.kind.name()
            ))
            .with_hint("build the dataset inside the function of flat_map or interleave"));
        }
        Ok(())
    }
}
