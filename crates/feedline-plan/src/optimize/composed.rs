//! What rules share that put one function into another: errors stay what they are, and texts can be read.

use std::collections::HashSet;
use std::sync::Arc;

use feedline_data::Structure;

use crate::expr::written::MAX_SHOWN_CALLS;
use crate::expr::{Expr, ExprKind, ExprNode};
use crate::{Function, NodeKind, Plan};

/// Of an expression written out. A step that is made of several is read by people and is a line of every report; and where
/// each function uses its input twice, the text doubles with each.
pub(super) const MAX_WRITTEN_CALLS: usize = MAX_SHOWN_CALLS;

/// A filter right behind a map whose function is known.
pub(super) struct FilteredMap<'a> {
    pub(super) predicate: &'a Expr,
    pub(super) map: &'a Plan,
    /// What the map gives.
    pub(super) result: &'a Structure<Expr>,
    pub(super) num_parallel_calls: Option<usize>,
}

/// What `plan` ends in, if it is that.
pub(super) fn filtered_map(plan: &Plan) -> Option<FilteredMap<'_>> {
    let NodeKind::Filter { predicate } = &plan.node().kind else { return None };
    let map = &plan.node().inputs[0];
    match &map.node().kind {
        NodeKind::Map { function: Function::Traced(result), num_parallel_calls } => {
            Some(FilteredMap { predicate, map, result, num_parallel_calls: *num_parallel_calls })
        }
        _ => None,
    }
}

/// The elements of `input` of which `predicate` is true: the filter that `plan` ends in, at another place.
pub(super) fn filter_of(input: &Plan, predicate: Expr, plan: &Plan) -> Plan {
    input
        .same_elements(NodeKind::Filter { predicate }, plan.cardinality())
        .with_places(plan.num_places())
        .numbered_as(plan)
}

/// Makes `exprs` fail as if all of `checks` had been computed before them; `false` if there is nothing they could be
/// tied to.
pub(super) fn checked_first(exprs: &mut [Expr], checks: Vec<Expr>) -> bool {
    let mut all = checks.clone();
    all.extend(exprs.iter().cloned());
    // Where the same computations fail in the same order anyway, nothing needs to be said.
    if failing_order(exprs) != failing_order(&all) {
        let Some(first) = exprs.first_mut() else { return false };
        *first = first.after(checks);
    }
    true
}

/// The parts nearest to `exprs` that can fail, in the order of computation.
pub(super) fn failing_parts(exprs: &[Expr]) -> Vec<Expr> {
    fn visit(expr: &Expr, seen: &mut HashSet<*const ExprNode>, parts: &mut Vec<Expr>) {
        if !seen.insert(Arc::as_ptr(expr.node())) {
            return;
        }
        if node_can_fail(expr.node()) {
            parts.push(expr.clone());
        } else {
            expr.inputs().iter().for_each(|input| visit(input, seen, parts));
        }
    }
    let (mut seen, mut parts) = (HashSet::new(), Vec::new());
    exprs.iter().for_each(|expr| visit(expr, &mut seen, &mut parts));
    parts
}

/// The computations that can fail, in the order they are computed.
fn failing_order(exprs: &[Expr]) -> Vec<*const ExprNode> {
    fn visit(expr: &Expr, seen: &mut HashSet<*const ExprNode>, order: &mut Vec<*const ExprNode>) {
        if seen.insert(Arc::as_ptr(expr.node())) {
            expr.inputs().iter().for_each(|input| visit(input, seen, order));
            if node_can_fail(expr.node()) {
                order.push(Arc::as_ptr(expr.node()));
            }
        }
    }
    let (mut seen, mut order) = (HashSet::new(), Vec::new());
    exprs.iter().for_each(|expr| visit(expr, &mut seen, &mut order));
    order
}

/// The result of a function within another can: all of it was asked for there, and a part may not be there.
fn node_can_fail(node: &ExprNode) -> bool {
    match &node.kind {
        ExprKind::Call(call) => call.operation.can_fail,
        ExprKind::After { inputs } => inputs.len() == 1,
        _ => false,
    }
}
