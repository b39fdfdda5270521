//! Keeps the values of features nobody uses from being produced: the parser goes on checking them, and makes no columns.
//! (3 of 40 numbers: the parser takes 250 ns a record instead of 290, and 200 where it need not check;
//! `tf_record → shuffle → map(parse) → batch(1024)` a tenth less time of two cores. `bench/src/parse.rs` and `tabular.rs`.)
//!
//! Outputs nobody reads are found by walking the function: after `fuse_maps` the parser and what picks from it are one.
//!
//! A record that lacks a feature, or has another type or number of values in it, is an error, whoever uses the feature;
//! how many errors there were is a part of saved states. So features are not dropped but *only checked*
//! ([`Features::only_checking`]): the same records fail with the same message. A function that uses none of them (it is
//! there for its errors alone) keeps the cheapest one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use feedline_data::DType;

use super::Rule;
use super::calls::{NewFeatures, features_of, rebuilt, with_functions};
use crate::expr::{Expr, ExprKind, ExprNode, Feature, Features};
use crate::{Plan, Result};

/// Makes the parser only check what nobody uses.
#[derive(Debug)]
pub struct ParseOnlyUsedFeatures;

impl Rule for ParseOnlyUsedFeatures {
    fn name(&self) -> &'static str {
        "parse_only_used_features"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        with_functions(plan, narrowed)
    }
}

/// The same expressions with calls that give no more than is used; `None` where all is used.
fn narrowed(exprs: &[&Expr]) -> Result<Option<Vec<Expr>>> {
    let mut uses = Uses::default();
    exprs.iter().for_each(|expr| uses.visit(expr, true));
    let mut changed = HashMap::new();
    for (node, used) in uses.of_parsers {
        let features = features_of(&node.kind).expect("only such calls are noted");
        let used = if used.is_empty() { BTreeSet::from([cheapest(features)]) } else { used };
        if used.len() < features.len() {
            let features = features.only_checking(|place| used.contains(&place));
            changed.insert(Arc::as_ptr(node), NewFeatures { features, kept: Some(used) });
        }
    }
    if changed.is_empty() {
        return Ok(None);
    }
    rebuilt(exprs, changed).map(Some)
}

/// The place of the feature that costs least to read: a single number, where there is one.
fn cheapest(features: &Features) -> usize {
    let cost = |feature: &Feature| {
        let num_values = feature.shape().to_fixed().map_or(usize::MAX, |dims| dims.iter().product());
        (num_values, feature.dtype() == DType::String)
    };
    let costs = features.iter().map(|(_, feature)| cost(feature)).enumerate();
    costs.min_by_key(|(_, cost)| *cost).map_or(0, |(place, _)| place)
}

/// Which outputs of parsers something is made of.
#[derive(Default)]
struct Uses<'a> {
    of_parsers: Vec<(&'a Arc<ExprNode>, BTreeSet<usize>)>,
    places: HashMap<*const ExprNode, usize>,
    seen: HashSet<*const ExprNode>,
}

impl<'a> Uses<'a> {
    /// Notes what `expr` is made of, and it itself if it is a value: what is only computed for its errors is none.
    fn visit(&mut self, expr: &'a Expr, is_value: bool) {
        let node = expr.node();
        if features_of(&node.kind).is_some() {
            let place = *self.places.entry(Arc::as_ptr(node)).or_insert_with(|| {
                self.of_parsers.push((node, BTreeSet::new()));
                self.of_parsers.len() - 1
            });
            if is_value {
                self.of_parsers[place].1.insert(expr.output());
            }
        }
        if !self.seen.insert(Arc::as_ptr(node)) {
            return;
        }
        let num_checks = match &node.kind {
            ExprKind::After { inputs } => inputs.len() - 1,
            _ => 0,
        };
        for (place, input) in expr.inputs().iter().enumerate() {
            self.visit(input, place >= num_checks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{declines, fires, ten};
    use super::super::{FuseMaps, Optimizer};
    use super::*;
    use crate::{Symbolic, ops};
    use feedline_data::Structure;
    use feedline_data::block::Tensor;

    fn records() -> Plan {
        let records = Tensor::from_strings(vec![2], ["", ""].iter().collect());
        Plan::from_tensor_slices(&Structure::Leaf(records)).expect("valid")
    }

    fn parse(record: Symbolic) -> Symbolic {
        let features = [
            ("a", Feature::fixed_len(&[2], DType::Int64)),
            ("b", Feature::fixed_len(&[], DType::Int64)),
            ("c", Feature::fixed_len(&[], DType::String)),
            ("d", Feature::ragged(DType::Float32)),
        ];
        ops::parse_single_example(record, features)
    }

    fn mapped(plan: &Plan, function: impl FnOnce(Symbolic) -> Symbolic) -> Plan {
        plan.map(function, None).expect("valid")
    }

    #[test]
    fn what_nobody_uses_is_only_checked() {
        let plan = mapped(&records(), |x| parse(x).get("b") + 1);
        let parsed =
            "parse_single_example(x0, features={'b': fixed_len([], int64), only checked: 'a', 'c', 'd'})";
        assert_eq!(fires(&ParseOnlyUsedFeatures, &plan)[1], format!("map(add({parsed}, 1))"));
        // Two outputs of one call stay two of one call.
        let plan = mapped(&records(), |x| {
            let example = parse(x);
            Symbolic::from((example.get("d"), example.get("b") * 2))
        });
        let features = "features={'b': fixed_len([], int64), 'd': ragged(float32), only checked: 'a', 'c'}";
        assert_eq!(
            fires(&ParseOnlyUsedFeatures, &plan)[1],
            format!(
                "map((parse_single_example(x0, {features}).1, \
                 multiply(parse_single_example(x0, {features}).0, 2)))"
            )
        );
    }

    #[test]
    fn what_a_second_map_picks_is_known_after_they_are_fused() {
        let plan = mapped(&mapped(&records(), parse), |x| x.get("b"));
        declines(&ParseOnlyUsedFeatures, &plan);
        let optimizer = Optimizer::with_rules(&[&FuseMaps, &ParseOnlyUsedFeatures]);
        let lines = optimizer.optimize(&plan).expect("rules do not fail").plan.lines();
        assert!(lines.len() == 2 && lines[1].contains("only checked: 'a', 'c', 'd'"), "{lines:?}");
    }

    #[test]
    fn what_is_there_for_its_errors_alone_keeps_its_cheapest_feature() {
        let plan = mapped(&records(), |x| Symbolic::from((parse(x.clone()).get("d"), x)));
        let plan = mapped(&plan, |x| x.at(1));
        let optimizer = Optimizer::with_rules(&[&FuseMaps, &ParseOnlyUsedFeatures]);
        let lines = optimizer.optimize(&plan).expect("rules do not fail").plan.lines();
        let parsed =
            "parse_single_example(x0, features={'b': fixed_len([], int64), only checked: 'a', 'c', 'd'})";
        assert_eq!(lines[1], format!("map(after([{parsed}], x0))"));
    }

    #[test]
    fn predicates_batches_and_nested_datasets_are_reached() {
        let predicate = records().filter(|x| parse(x).get("b").lt(3)).expect("valid");
        let nested = |x: Symbolic| Plan::range_of(&0.into(), &parse(x).get("b"), &1.into());
        let batch = mapped(&records().batch(2, false).expect("valid"), |x| {
            let features =
                [("a", Feature::fixed_len(&[2], DType::Int64)), ("b", Feature::fixed_len(&[], DType::Int64))];
            ops::parse_example(x, features).get("b")
        });
        let inner = |_| Ok(mapped(&records(), |x| parse(x).get("b")));
        let plans = [
            predicate,
            records().flat_map(nested).expect("valid"),
            records().interleave(nested).expect("valid"),
            batch,
            ten().flat_map(inner).expect("valid"),
        ];
        for plan in plans {
            let lines = fires(&ParseOnlyUsedFeatures, &plan);
            assert!(lines.iter().any(|line| line.contains("only checked: 'a'")), "{lines:?}");
        }
        let fused = mapped(&records(), |x| parse(x).get("b")).batch(2, false).expect("valid");
        let fused =
            Optimizer::with_rules(&[&super::super::FuseMapAndBatch]).optimize(&fused).expect("valid").plan;
        let lines = fires(&ParseOnlyUsedFeatures, &fused);
        assert!(lines[1].starts_with("map_and_batch(") && lines[1].contains("only checked"), "{lines:?}");
    }

    #[test]
    fn what_is_used_stays() {
        declines(&ParseOnlyUsedFeatures, &records());
        declines(&ParseOnlyUsedFeatures, &mapped(&records(), parse));
        let one = |x| ops::parse_single_example(x, [("a", Feature::fixed_len(&[], DType::Int64))]);
        declines(&ParseOnlyUsedFeatures, &mapped(&records(), |x| one(x).get("a")));
        // There for its errors, and there is nothing left to leave out.
        let alone =
            mapped(&mapped(&records(), |x| Symbolic::from((one(x.clone()).get("a"), x))), |x| x.at(1));
        let fused = Optimizer::with_rules(&[&FuseMaps]).optimize(&alone).expect("valid").plan;
        declines(&ParseOnlyUsedFeatures, &fused);
    }
}
