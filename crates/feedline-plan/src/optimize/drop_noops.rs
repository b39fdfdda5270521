//! Takes out steps that do nothing, so that their neighbours meet.
//!
//! They come from settings (`shuffle(1)` to switch shuffling off, `repeat(epochs)` with one epoch, `take(limit)` without
//! a limit) and from functions that return what they get. What is gained by it is what the neighbours then do together.

use super::Rule;
use crate::expr::ExprKind;
use crate::{Function, NodeKind, Plan, Result};

/// Takes out steps that do nothing.
#[derive(Debug)]
pub struct DropNoops;

impl Rule for DropNoops {
    fn name(&self) -> &'static str {
        "drop_noops"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let inputs = &plan.node().inputs;
        // `prefetch(0)` is seen from the step behind it: at the end of a plan it says "run nothing ahead", and
        // `insert_prefetch` would overrule that if it went.
        if inputs.iter().any(is_empty_prefetch) {
            let inputs = inputs.iter().map(|input| {
                if is_empty_prefetch(input) { input.node().inputs[0].clone() } else { input.clone() }
            });
            return Ok(Some(plan.with_inputs(inputs.collect())));
        }
        let is_noop = (plan.is_pass() && !is_empty_prefetch(plan)) || is_identity(plan);
        Ok(is_noop.then(|| inputs[0].clone()))
    }
}

fn is_empty_prefetch(plan: &Plan) -> bool {
    matches!(plan.node().kind, NodeKind::Prefetch { buffer_size: Some(0) })
}

/// Whether it is a map that returns each element as it is.
fn is_identity(plan: &Plan) -> bool {
    let NodeKind::Map { function: Function::Traced(result), .. } = &plan.node().kind else { return false };
    let is_leaf = |(index, expr): (usize, &&crate::Expr)| matches!(expr.node().kind, ExprKind::Input { leaf } if leaf == index);
    result.first_difference(plan.node().inputs[0].spec()).is_none()
        && result.leaves().iter().enumerate().all(is_leaf)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{declines, fires, seeds, ten};
    use super::*;
    use crate::Symbolic;

    #[test]
    fn steps_that_do_nothing_go() {
        let plan = ten().batch(3, false).expect("valid");
        let noops = [
            plan.repeat(Some(1)),
            plan.shuffle(1, seeds(7), true).expect("valid"),
            plan.take(None),
            plan.skip(Some(0)),
            plan.shard(1, 0).expect("valid"),
            plan.map(|x| x, None).expect("valid"),
        ];
        for noop in noops {
            assert_eq!(fires(&DropNoops, &noop), plan.lines());
            assert_eq!(fires(&DropNoops, &noop.repeat(Some(2))), plan.repeat(Some(2)).lines());
        }
        let pair = ten().map(|x| Symbolic::from((x.clone() + 1, x)), None).expect("valid");
        let same = pair.map(|x| Symbolic::from((x.at(0), x.at(1))), None).expect("valid");
        assert_eq!(fires(&DropNoops, &same), pair.lines());
        assert_eq!(
            fires(&DropNoops, &ten().prefetch(Some(0)).repeat(Some(2))),
            ten().repeat(Some(2)).lines()
        );
    }

    #[test]
    fn steps_that_do_something_stay() {
        let pair = ten().map(|x| Symbolic::from((x.clone() + 1, x)), None).expect("valid");
        let something = [
            ten().repeat(Some(0)),
            ten().repeat(Some(2)),
            ten().repeat(None),
            ten().shuffle(2, seeds(7), true).expect("valid"),
            ten().take(Some(10)),
            ten().skip(Some(1)),
            ten().skip(None),
            ten().shard(2, 0).expect("valid"),
            ten().batch(1, false).expect("valid"),
            ten().prefetch(Some(1)),
            // The user's word that nothing runs ahead of the consumer.
            ten().prefetch(Some(0)),
            // A tuple of one is no tensor, and the second is not the first.
            ten().map(|x| Symbolic::tuple([x]), None).expect("valid"),
            pair.map(|x| Symbolic::from((x.at(1), x.at(0))), None).expect("valid"),
            pair.map(|x| x.at(0), None).expect("valid"),
        ];
        for plan in something {
            declines(&DropNoops, &plan);
        }
    }
}
