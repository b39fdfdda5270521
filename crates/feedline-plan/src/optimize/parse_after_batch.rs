//! Parses all records of a block (of a batch, behind `fuse_map_and_batch`) in one call of the parser instead of a call each.
//!
//! The plan says `map(parse_single_example)`, a record at a time, and `parse_example` behind the batch, which TensorFlow's
//! guides advise instead, would give something else: a record that does not parse would fail its whole batch. So nothing
//! moves: the call is marked ([`Features::parsed_together`]), and a bad record stays an error of its own row. Calls of
//! `parse_example` have a batch of records already.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Rule;
use super::calls::{NewFeatures, features_of, rebuilt, with_functions};
use crate::expr::{Expr, ExprNode, Features};
use crate::{Plan, Result};

/// Makes the parser take many records a call.
#[derive(Debug)]
pub struct ParseAfterBatch;

impl Rule for ParseAfterBatch {
    fn name(&self) -> &'static str {
        "parse_after_batch"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        with_functions(plan, |exprs| {
            let (mut seen, mut changed) = (HashSet::new(), HashMap::new());
            exprs.iter().for_each(|expr| visit(expr, &mut seen, &mut changed));
            if changed.is_empty() { Ok(None) } else { rebuilt(exprs, changed).map(Some) }
        })
    }
}

/// Finds the calls in `expr` that parse a record each.
fn visit(
    expr: &Expr,
    seen: &mut HashSet<*const ExprNode>,
    changed: &mut HashMap<*const ExprNode, NewFeatures>,
) {
    let node = expr.node();
    if !seen.insert(Arc::as_ptr(node)) {
        return;
    }
    if let Some(features) = features_of(&node.kind)
        && gives_single_records(node, features)
        && !features.is_parsed_together()
    {
        let features = features.parsed_together();
        changed.insert(Arc::as_ptr(node), NewFeatures { features, kept: None });
    }
    expr.inputs().iter().for_each(|input| visit(input, seen, changed));
}

/// Whether what comes out is what one record has of each feature, not a batch of it.
fn gives_single_records(node: &ExprNode, features: &Features) -> bool {
    node.outputs.iter().zip(features.iter()).all(|(output, (_, feature))| output.shape == feature.shape())
}

#[cfg(test)]
mod tests {
    use feedline_data::block::Tensor;
    use feedline_data::{DType, Structure};

    use super::super::tests::{declines, fires, ten};
    use super::super::{FuseMapAndBatch, FuseMaps, Optimizer, ParseOnlyUsedFeatures};
    use super::*;
    use crate::expr::Feature;
    use crate::{Symbolic, ops};

    fn records() -> Plan {
        let records = Tensor::from_strings(vec![2], ["", ""].iter().collect());
        Plan::from_tensor_slices(&Structure::Leaf(records)).expect("valid")
    }

    fn features() -> Features {
        Features::from([
            ("a", Feature::fixed_len(&[2], DType::Int64)),
            ("b", Feature::fixed_len(&[], DType::Int64)),
        ])
    }

    fn parse(record: Symbolic) -> Symbolic {
        ops::parse_single_example(record, features())
    }

    fn mapped(plan: &Plan, function: impl FnOnce(Symbolic) -> Symbolic) -> Plan {
        plan.map(function, None).expect("valid")
    }

    #[test]
    fn records_are_parsed_together() {
        let call = "parse_single_example(x0, features={'a': fixed_len([2], int64), 'b': fixed_len([], int64), \
                    parsed together})";
        let plan = mapped(&records(), |x| {
            let example = parse(x);
            example.get("a") + example.get("b")
        });
        let line = &fires(&ParseAfterBatch, &plan)[1];
        assert_eq!(line, &format!("map(add({call}.0, {call}.1))"));
    }

    #[test]
    fn predicates_batches_and_nested_datasets_are_reached() {
        let nested = |x: Symbolic| Plan::range_of(&0.into(), &parse(x).get("b"), &1.into());
        let inner = |_| Ok(mapped(&records(), |x| parse(x).get("b")));
        let plans = [
            records().filter(|x| parse(x).get("b").lt(3)).expect("valid"),
            records().flat_map(nested).expect("valid"),
            records().interleave(nested).expect("valid"),
            ten().flat_map(inner).expect("valid"),
        ];
        for plan in plans {
            let lines = fires(&ParseAfterBatch, &plan);
            assert!(lines.iter().any(|line| line.contains("parsed together")), "{lines:?}");
        }
        let plan = mapped(&mapped(&records(), parse), |x| x.get("b")).batch(2, false).expect("valid");
        let rules: [&'static dyn Rule; 4] =
            [&FuseMaps, &ParseOnlyUsedFeatures, &FuseMapAndBatch, &ParseAfterBatch];
        let lines = Optimizer::with_rules(&rules).optimize(&plan).expect("rules do not fail").plan.lines();
        assert!(lines[1].starts_with("map_and_batch("), "{lines:?}");
        assert!(lines[1].contains("only checked: 'a', parsed together"), "{lines:?}");
    }

    #[test]
    fn batches_of_records_and_functions_without_a_parser_stay() {
        declines(&ParseAfterBatch, &records());
        declines(&ParseAfterBatch, &mapped(&records(), |x| x));
        let batches = records().batch(2, false).expect("valid");
        declines(&ParseAfterBatch, &mapped(&batches, |x| ops::parse_example(x, features())));
        let together = |x| ops::parse_single_example(x, features().parsed_together());
        declines(&ParseAfterBatch, &mapped(&records(), together));
    }
}
