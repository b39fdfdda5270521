//! What rules share that change calls inside the functions of steps.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::expr::{Attribute, Expr, ExprKind, ExprNode, Features};
use crate::{Function, Nested, NodeKind, Plan, Result};

/// `plan` with what `change` makes of the functions of its last step, which are computed together; `None` where that is
/// nothing.
pub(super) fn with_functions(
    plan: &Plan,
    change: impl Fn(&[&Expr]) -> Result<Option<Vec<Expr>>>,
) -> Result<Option<Plan>> {
    let mut kind = plan.node().kind.clone();
    let is_changed = match &mut kind {
        NodeKind::Map { function: Function::Traced(result), .. }
        | NodeKind::MapAndBatch { function: Function::Traced(result), .. } => {
            let leaves = change(&result.leaves())?;
            leaves.map(|leaves| *result = result.with_leaves(leaves)).is_some()
        }
        NodeKind::Filter { predicate } => {
            let changed = change(&[&*predicate])?;
            changed.map(|mut exprs| *predicate = exprs.remove(0)).is_some()
        }
        NodeKind::FlatMap { nested: Nested { captures, .. } }
        | NodeKind::Interleave { nested: Nested { captures, .. }, .. } => {
            let changed = change(&captures.iter().collect::<Vec<_>>())?;
            changed.map(|exprs| *captures = exprs).is_some()
        }
        _ => false,
    };
    Ok(is_changed.then(|| plan.with_kind(kind, plan.node().inputs.clone())))
}

/// What a call reads of records, if it does, and gives an output for each.
pub(super) fn features_of(kind: &ExprKind) -> Option<&Features> {
    let ExprKind::Call(call) = kind else { return None };
    let mut all = call.attributes.iter().filter_map(|attribute| match attribute {
        Attribute::Features(features) => Some(features),
        _ => None,
    });
    let features = all.next()?;
    // Where an output is not a feature (ragged ones have two, sequences two lists of them) nothing is left out.
    let has_more = || (call.operation.infer)(call).map_or(true, |outputs| outputs.len() != features.len());
    (all.next().is_none() && !has_more()).then_some(features)
}

/// What becomes of a call that reads records.
pub(super) struct NewFeatures {
    pub(super) features: Features,
    /// Which of the outputs there were stay, in order; `None`: all.
    pub(super) kept: Option<BTreeSet<usize>>,
}

/// The same expressions, with the calls named in `changed` reading other features.
pub(super) fn rebuilt(exprs: &[&Expr], changed: HashMap<*const ExprNode, NewFeatures>) -> Result<Vec<Expr>> {
    let mut rebuild = Rebuild { changed, done: HashMap::new() };
    exprs.iter().map(|expr| rebuild.rebuilt(expr)).collect()
}

/// Makes expressions again.
struct Rebuild {
    changed: HashMap<*const ExprNode, NewFeatures>,
    done: HashMap<*const ExprNode, Vec<Expr>>,
}

impl Rebuild {
    fn rebuilt(&mut self, expr: &Expr) -> Result<Expr> {
        let key = Arc::as_ptr(expr.node());
        if !self.done.contains_key(&key) {
            let outputs = self.outputs(expr, key)?;
            self.done.insert(key, outputs);
        }
        let output = match self.changed.get(&key).and_then(|changed| changed.kept.as_ref()) {
            // One that went is only computed for its errors: any other has the same.
            Some(kept) => kept.iter().position(|&kept| kept == expr.output()).unwrap_or(0),
            None => expr.output(),
        };
        Ok(self.done[&key][output].clone())
    }

    fn outputs(&mut self, expr: &Expr, key: *const ExprNode) -> Result<Vec<Expr>> {
        match &expr.node().kind {
            ExprKind::Call(call) => {
                let inputs = call.inputs.iter().map(|input| self.rebuilt(input)).collect::<Result<_>>()?;
                let Some(changed) = self.changed.get(&key) else { return expr.call_again(inputs) };
                let attributes = call.attributes.iter().map(|attribute| match attribute {
                    Attribute::Features(_) => Attribute::Features(changed.features.clone()),
                    other => other.clone(),
                });
                Expr::call_instead(call, call.operation, inputs, attributes.collect())
            }
            ExprKind::After { inputs } => {
                let mut inputs =
                    inputs.iter().map(|input| self.rebuilt(input)).collect::<Result<Vec<_>>>()?;
                let value = inputs.pop().expect("the value is the last");
                Ok(vec![value.after(inputs)])
            }
            ExprKind::Input { .. }
            | ExprKind::Constant(_)
            | ExprKind::Captured { .. }
            | ExprKind::Outer { .. } => Ok(vec![expr.clone()]),
        }
    }
}
