//! The one element of a dataset as a value inside a function.
//!
//! While a function is traced it is a call that carries the dataset as a plan, and gets as its tensors what the plan uses of what is around it
//! (so whatever goes through expressions goes through these, too). Nothing computes such a call: the step that traced the function is cut in
//! two before it ([`Plan::with_values`]).

use std::collections::HashMap;
use std::sync::Arc;

use feedline_data::{ElementSpec, Structure, TensorSpec};

use super::capture::Captures;
use super::{Argument, ArgumentKind, Attribute, Call, Cost, Expr, ExprKind, ExprNode, Operation};
use crate::{Function, Nested, NodeKind, Plan, PlanError, Result, Symbolic};

/// Not in the catalogue: users make it of a dataset, and no kernel computes it.
static GET_SINGLE_ELEMENT: Operation = Operation {
    name: "get_single_element",
    tensorflow: "tf.data.Dataset.get_single_element",
    arguments: &[
        Argument { name: "captures", kind: ArgumentKind::Tensors, default: None },
        Argument { name: "dataset", kind: ArgumentKind::Dataset, default: None },
    ],
    infer: specs_of,
    cost: Cost::Heavy,
    can_fail: true,
    is_random: false,
    joins_decoding: false,
    is_by_value: false,
    gives: None,
    any_size: true,
    decodes_image: false,
    doc: "The one element of a dataset.",
};

/// A plan that a call carries: it refers to nothing but the values it is started with.
#[derive(Clone, Debug)]
pub struct CarriedPlan(Plan);

impl PartialEq for CarriedPlan {
    fn eq(&self, other: &CarriedPlan) -> bool {
        self.0.lines() == other.0.lines()
    }
}

fn specs_of(call: &Call) -> Result<Vec<TensorSpec>> {
    match plan_of(call) {
        Some(plan) => Ok(plan.spec().leaves().into_iter().cloned().collect()),
        None => Err(PlanError::internal("get_single_element without a dataset")),
    }
}

/// The plan that `call` carries, if it is one of these.
fn plan_of(call: &Call) -> Option<&Plan> {
    match &call.attributes[..] {
        [Attribute::Dataset(CarriedPlan(plan))]
            if std::ptr::eq(call.operation, &raw const GET_SINGLE_ELEMENT) =>
        {
            Some(plan)
        }
        _ => None,
    }
}

impl Plan {
    /// The one element there is, as a value inside the function of a `map`, `filter`, `flat_map` or `interleave`; none, or more than one, is an
    /// error of the element that the function gets.
    pub fn to_value(&self) -> Result<Symbolic> {
        let mut captures = Captures::of_all();
        let plan = self.closed_over(&mut captures, &mut HashMap::new())?.single();
        let outputs: Vec<TensorSpec> = plan.spec().leaves().into_iter().cloned().collect();
        let structure = plan.spec().clone();
        let call = Call {
            operation: &GET_SINGLE_ELEMENT,
            inputs: captures.into_values(),
            attributes: vec![Attribute::Dataset(CarriedPlan(plan))],
            place: 0,
            step: 0,
            function: None,
        };
        let node = ExprNode::new(ExprKind::Call(call), outputs);
        let leaves = (0..node.outputs.len()).map(|output| Expr { node: Arc::clone(&node), output });
        Ok(Symbolic::from(structure.with_leaves(leaves.collect::<Vec<_>>())))
    }

    /// This plan with the values of datasets that `exprs`, over its elements, use, as leaves behind those it has; and `exprs` over these. Each
    /// element starts those datasets, so this is a `flat_map` whose datasets have one element each.
    pub(crate) fn with_values(&self, exprs: &[Expr]) -> Result<(Plan, Vec<Expr>)> {
        let mut found: Vec<Arc<ExprNode>> = Vec::new();
        for expr in exprs {
            expr.each_node(&mut |node| {
                if matches!(&node.kind, ExprKind::Call(call) if plan_of(call).is_some())
                    && !found.iter().any(|other| Arc::ptr_eq(other, node))
                {
                    found.push(Arc::clone(node));
                }
            });
        }
        // A value that another one needs was made before it.
        found.sort_by_key(|node| node.serial);
        let mut plan = self.clone();
        let mut known: HashMap<*const ExprNode, Vec<Expr>> = HashMap::new();
        for node in found {
            let ExprKind::Call(call) = &node.kind else { unreachable!("calls were looked for") };
            let carried = plan_of(call).expect("looked for above");
            let mut captures = Expr::replace_nodes(&call.inputs, &known)?;
            let num_own = captures.len();
            let leaves: Vec<TensorSpec> = plan.spec().leaves().into_iter().cloned().collect();
            captures.extend(leaves.iter().enumerate().map(|(leaf, spec)| Expr::input(leaf, spec.clone())));
            let passed = leaves
                .iter()
                .enumerate()
                .map(|(leaf, spec)| Structure::Leaf(Expr::outer(num_own + leaf, spec.clone())));
            let passed = Plan::tensors_of(&Symbolic::from(Structure::Tuple(passed.collect())), false)?;
            let both = Structure::Tuple(vec![Structure::Leaf(passed), Structure::Leaf(carried.clone())]);
            let nested = Nested { captures, plan: Plan::zip(&both)? };
            plan = plan.flat_map_nested(nested);
            let values = node
                .outputs
                .iter()
                .enumerate()
                .map(|(output, spec)| Expr::input(leaves.len() + output, spec.clone()));
            known.insert(Arc::as_ptr(&node), values.collect());
        }
        let exprs = if known.is_empty() { exprs.to_vec() } else { Expr::replace_nodes(exprs, &known)? };
        check_no_values(&exprs, "a branch of a choice, or a loop")?;
        Ok((plan, exprs))
    }
}

impl Plan {
    /// The elements of `spec` that have values of datasets behind their own, without these; this plan where they have none.
    pub(crate) fn without_values(&self, spec: &ElementSpec) -> Plan {
        if self.spec() == spec {
            return self.clone();
        }
        let mut leaf = 0;
        let own = spec.map(|spec| {
            leaf += 1;
            Expr::input(leaf - 1, spec.clone())
        });
        let kind = NodeKind::Map { function: Function::Traced(own), num_parallel_calls: None };
        self.step(kind, spec.clone(), self.cardinality()).with_places(self.num_places())
    }
}

/// Refuses values of datasets where no step can be cut in two.
pub(super) fn check_no_values<'a>(exprs: impl IntoIterator<Item = &'a Expr>, place: &str) -> Result<()> {
    if exprs.into_iter().any(|expr| expr.any_call(&mut |call| plan_of(call).is_some())) {
        return Err(PlanError::argument(format!(
            "get_single_element: the element of a dataset is not a value in {place}"
        ))
        .with_hint("get it in a map before"));
    }
    Ok(())
}

impl Expr {
    /// Visits each node it depends on, itself included, once.
    fn each_node(&self, visit: &mut impl FnMut(&Arc<ExprNode>)) {
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![self.clone()];
        while let Some(expr) = open.pop() {
            if seen.insert(Arc::as_ptr(&expr.node)) {
                visit(&expr.node);
                open.extend(expr.inputs().iter().cloned());
            }
        }
    }

    /// The same expressions with outputs of some nodes replaced.
    fn replace_nodes<'a>(
        exprs: impl IntoIterator<Item = &'a Expr>,
        known: &HashMap<*const ExprNode, Vec<Expr>>,
    ) -> Result<Vec<Expr>> {
        let mut done = known.clone();
        exprs.into_iter().map(|expr| expr.replace_shared(&mut |leaf| Ok(leaf.clone()), &mut done)).collect()
    }
}
