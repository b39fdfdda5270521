//! Joins two neighbouring maps into one, so that an element crosses one queue instead of two and what the second does not
//! use of the first's results is not computed. (Three light maps over 4 million numbers in batches of 256, 2 cores: 23 ms
//! without, 18 with, medians of 21. Maps that do more than that hide what a queue costs.)
//!
//! Errors stay what they are. Of two maps, the first's error keeps the second from running; of one map, the
//! first computation to fail is the row's error. So what can fail in the first map is computed first
//! ([`Expr::after`]), also where the second does not use it. Of an image the first map gives, all was asked for, though the second
//! may crop it: a damaged one stays an error. Random operations keep their places in the plan, and so their values.

use feedline_data::Structure;

use super::Rule;
use super::composed::{MAX_WRITTEN_CALLS, checked_first, failing_parts};
use crate::expr::catalogue::image;
use crate::expr::{Cost, Expr, ExprKind};
use crate::{Function, NodeKind, Plan, Result};

/// Joins two neighbouring maps.
#[derive(Debug)]
pub struct FuseMaps;

impl Rule for FuseMaps {
    fn name(&self) -> &'static str {
        "fuse_maps"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let Some((outer, outer_calls)) = traced_map(plan) else { return Ok(None) };
        let inner_plan = &plan.node().inputs[0];
        let Some((inner, inner_calls)) = traced_map(inner_plan) else { return Ok(None) };
        // What waits for storage runs on other threads than what computes.
        if waits(inner) != waits(outer) {
            return Ok(None);
        }
        // A limit on one must not become a limit on both, nor go away.
        if outer_calls != inner_calls {
            return Ok(None);
        }
        let Some(fused) = compose(inner, outer)? else { return Ok(None) };
        if fused.leaves().iter().map(|expr| expr.num_written_calls()).fold(0, usize::saturating_add)
            > MAX_WRITTEN_CALLS
        {
            return Ok(None);
        }
        let kind = NodeKind::Map { function: Function::Traced(fused), num_parallel_calls: outer_calls };
        Ok(Some(plan.with_kind(kind, inner_plan.node().inputs.clone())))
    }
}

fn waits(result: &Structure<Expr>) -> bool {
    result.leaves().iter().any(|expr| expr.any_call(&mut |call| call.operation.cost == Cost::Io))
}

fn traced_map(plan: &Plan) -> Option<(&Structure<Expr>, Option<usize>)> {
    match &plan.node().kind {
        NodeKind::Map { function: Function::Traced(result), num_parallel_calls } => {
            Some((result, *num_parallel_calls))
        }
        _ => None,
    }
}

/// `outer` of what `inner` gives; `None` if there is nothing the first's errors could be tied to.
fn compose(inner: &Structure<Expr>, outer: &Structure<Expr>) -> Result<Option<Structure<Expr>>> {
    let result = |expr: &Expr| if is_decoded(expr) { expr.as_result() } else { expr.clone() };
    let inner: Vec<Expr> = inner.leaves().into_iter().map(result).collect();
    let mut leaves = Expr::substitute_all(outer.leaves(), &inner)?;
    if !checked_first(&mut leaves, failing_parts(&inner)) {
        return Ok(None);
    }
    Ok(Some(outer.with_leaves(leaves)))
}

/// Whether it is an image that is decoded here, whatever is done to it then.
fn is_decoded(mut expr: &Expr) -> bool {
    while let ExprKind::Call(call) = &expr.node().kind {
        let decoding =
            [&raw const image::operations::decode_jpeg, &raw const image::operations::decode_image];
        if decoding.contains(&std::ptr::from_ref(call.operation)) {
            return true;
        }
        match call.inputs.first() {
            Some(first) => expr = first,
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::tests::{declines, fires, ten};
    use super::*;
    use crate::{Symbolic, ops};
    use feedline_data::{DType, ElementSpec, Shape, TensorSpec};

    fn mapped(plan: &Plan, function: impl FnOnce(Symbolic) -> Symbolic) -> Plan {
        plan.map(function, None).expect("valid")
    }

    #[test]
    fn neighbours_become_one() {
        let plan = mapped(&mapped(&ten(), |x| x + 1), |x| x * 2);
        assert_eq!(fires(&FuseMaps, &plan), ["range(0, 10, 1)", "map(multiply(add(x0, 1), 2))"]);
        // What the second does not use is not computed.
        let plan = mapped(&mapped(&ten(), |x| Symbolic::from((x.clone() + 1, x / 3))), |x| x.at(0));
        assert_eq!(fires(&FuseMaps, &plan), ["range(0, 10, 1)", "map(add(x0, 1))"]);
        let plan = mapped(&ten(), |x| x + 1).with_parallel_calls(Some(2)).expect("valid");
        let plan = mapped(&plan, |x| x * 2).with_parallel_calls(Some(2)).expect("valid");
        assert_eq!(
            fires(&FuseMaps, &plan),
            ["range(0, 10, 1)", "map(multiply(add(x0, 1), 2), num_parallel_calls=2)"]
        );
    }

    #[test]
    fn chains_and_inner_steps_are_reached() {
        let three = mapped(&mapped(&mapped(&ten(), |x| x + 1), |x| x * 2), |x| x - 3);
        let fused = "map(subtract(multiply(add(x0, 1), 2), 3))";
        assert_eq!(fires(&FuseMaps, &three), ["range(0, 10, 1)", fused]);
        let inside = three.repeat(Some(2)).batch(4, false).expect("valid");
        assert_eq!(fires(&FuseMaps, &inside), ["range(0, 10, 1)", fused, "repeat(2)", "batch(4)"]);
        let both = three.concatenate(&three).expect("valid");
        assert_eq!(
            fires(&FuseMaps, &both),
            ["range(0, 10, 1)", fused, "steps 1 to 2 again", "concatenate()"]
        );
    }

    #[test]
    fn errors_of_the_first_come_first_and_all_come() {
        let fails = |x: Symbolic| ops::floordiv(Symbolic::from((x.clone() + 7, x)).at(0), 3);
        let pair = mapped(&ten(), |x| Symbolic::from((x.clone(), fails(x) + 1)));
        let source = "range(0, 10, 1)";
        // Used, and nothing else fails: nothing to say.
        let used = mapped(&pair, |x| x.at(1) * 2);
        assert_eq!(fires(&FuseMaps, &used), [source, "map(multiply(add(floordiv(add(x0, 7), 3), 1), 2))"]);
        // Unused: computed all the same, without what cannot fail about it.
        let unused = mapped(&pair, |x| x.at(0) * 2);
        assert_eq!(
            fires(&FuseMaps, &unused),
            [source, "map(after([floordiv(add(x0, 7), 3)], multiply(x0, 2)))"]
        );
        // Used, but behind an operation of the second that fails.
        let later = mapped(&pair, |x| Symbolic::from((ops::floormod(x.at(0), 5), x.at(1))));
        assert_eq!(
            fires(&FuseMaps, &later),
            [
                source,
                "map((after([floordiv(add(x0, 7), 3)], floormod(x0, 5)), add(floordiv(add(x0, 7), 3), 1)))"
            ]
        );
        // A third map: the checks go with it.
        let third = mapped(&unused, |_| Symbolic::from(1));
        assert_eq!(fires(&FuseMaps, &third), [source, "map(after([floordiv(add(x0, 7), 3)], 1))"]);
    }

    #[test]
    fn random_operations_keep_their_places() {
        let random = |x: Symbolic| ops::cast(ops::random_uniform(Shape::scalar(), 1), DType::Int64) + x;
        let plan = mapped(&mapped(&mapped(&ten(), random), |x| x * 2), random);
        let fused = fires(&FuseMaps, &plan);
        assert_eq!(fused.len(), 2);
        assert!(fused[1].contains("place=1") && fused[1].contains("place=2"), "{fused:?}");
    }

    #[test]
    fn other_pairs_stay_two() {
        let native = |plan: &Plan| {
            let function = crate::NativeFunction {
                name: "same".to_owned(),
                output: ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)),
                call: std::sync::Arc::new(Ok),
                runtime: None,
            };
            plan.map_native(function, None).expect("valid")
        };
        let capped = |plan: Plan, calls| plan.with_parallel_calls(calls).expect("valid");
        let one = || mapped(&ten(), |x| x + 1);
        declines(&FuseMaps, &one());
        declines(&FuseMaps, &mapped(&native(&ten()), |x| x + 1));
        declines(&FuseMaps, &native(&one()));
        declines(&FuseMaps, &native(&native(&ten())));
        declines(&FuseMaps, &mapped(&one().prefetch(Some(1)), |x| x + 1));
        declines(&FuseMaps, &mapped(&one().repeat(Some(2)), |x| x + 1));
        // Limits that differ: neither may become the other's.
        declines(&FuseMaps, &mapped(&capped(one(), Some(2)), |x| x + 1));
        declines(&FuseMaps, &capped(mapped(&capped(one(), Some(2)), |x| x + 1), Some(3)));
        // Nothing comes out that an error could be tied to.
        let fails = mapped(&ten(), |x| ops::floordiv(x, 3));
        declines(&FuseMaps, &mapped(&fails, |_| Symbolic::tuple([])));
    }

    #[test]
    fn what_would_double_with_each_map_stops_growing() {
        let square = |plan: Plan, _: i32| mapped(&plan, |x| x.clone() * x);
        let plan = (0..60).fold(ten(), square);
        let fused = fires(&FuseMaps, &plan);
        assert!((8..20).contains(&fused.len()), "{}", fused.len());
        assert!(fused.iter().all(|line| line.len() < 10_000));
    }
}
