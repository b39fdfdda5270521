//! The driver, and what the tests of rules share.

use std::panic::AssertUnwindSafe;

use super::*;
use crate::SeedPair;

pub(super) fn ten() -> Plan {
    Plan::range(0, 10, 1).expect("valid")
}

pub(super) fn seeds(seed2: i64) -> SeedPair {
    SeedPair { seed: 0, seed2, is_given: true }
}

/// What `rule` alone makes of `plan`; it must change it.
pub(super) fn fires(rule: &'static dyn Rule, plan: &Plan) -> Vec<String> {
    let optimized = Optimizer::with_rules(&[rule]).optimize(plan).expect("rules do not fail");
    assert!(!optimized.changes.is_empty(), "{} left {:?} as it is", rule.name(), plan.lines());
    optimized.plan.lines()
}

/// Checks that `rule` has nothing to do with `plan`.
pub(super) fn declines(rule: &'static dyn Rule, plan: &Plan) {
    let optimized = Optimizer::with_rules(&[rule]).optimize(plan).expect("rules do not fail");
    assert_eq!(optimized.changes, []);
    assert!(std::ptr::eq(plan.node(), optimized.plan.node()));
}

fn sample() -> Plan {
    let mapped = ten().map(|x| x + 1, None).expect("valid").repeat(Some(1));
    mapped.map(|x| x * 2, None).expect("valid").batch(4, false).expect("valid")
}

#[test]
fn rules_are_applied_until_none_changes_anything_and_the_changes_are_kept() {
    let optimized = Optimizer::new().optimize(&sample()).expect("rules do not fail");
    assert_eq!(
        optimized.plan.lines(),
        ["range(0, 10, 1)", "map_and_batch(multiply(add(x0, 1), 2), 4)", "prefetch()"]
    );
    assert_eq!(
        text_of(&optimized.changes),
        "\
insert_prefetch, after step 5
  + prefetch()
drop_noops, step 3
  - repeat(1)
fuse_maps, steps 2 to 3
  - map(add(x0, 1))
  - map(multiply(x0, 2))
  + map(multiply(add(x0, 1), 2))
fuse_map_and_batch, steps 2 to 3
  - map(multiply(add(x0, 1), 2))
  - batch(4)
  + map_and_batch(multiply(add(x0, 1), 2), 4)"
    );
    let again = Optimizer::new().optimize(&optimized.plan).expect("rules do not fail");
    assert_eq!(again.changes, []);
}

#[test]
fn steps_are_numbered_through_all_inputs() {
    let one = ten().take(Some(3));
    let plan = one.concatenate(&one.repeat(Some(1))).expect("valid");
    let optimized = Optimizer::with_rules(&[&DropNoops]).optimize(&plan).expect("rules do not fail");
    assert_eq!(text_of(&optimized.changes), "drop_noops, step 5\n  - repeat(1)");
}

#[test]
fn rules_are_switched_off_by_name() {
    let plan = sample();
    let off = Optimizer::new().switched(false).optimize(&plan).expect("nothing to do");
    assert!(off.changes.is_empty() && off.plan.lines() == plan.lines());
    for rule in RULES {
        let optimizer = Optimizer::new().without(rule.name()).expect("it exists");
        let optimized = optimizer.optimize(&plan).expect("rules do not fail");
        assert!(optimized.changes.iter().all(|change| change.rule != rule.name()));
    }
    let error = Optimizer::new().without("fuse_map").expect_err("misspelt").to_string();
    assert_eq!(
        error,
        "there is no optimizer rule 'fuse_map'\n\
         hint: did you mean 'fuse_maps'? The rules are read_shape_from_header, filter_before_decode, read_files_as_stream, insert_prefetch, \
         drop_noops, push_filter_before_map, push_shard_before_map, map_before_batch, fuse_maps, parse_only_used_features, parse_after_batch, \
         crop_and_scale_in_decode, fuse_map_and_batch, fuse_shuffle_and_repeat"
    );
    let error = Optimizer::new().without("x").expect_err("no rule").to_string();
    assert!(error.contains("hint: the rules are"), "{error}");
}

#[test]
fn names_are_those_of_the_files() {
    for rule in RULES {
        let camel: String =
            rule.name().split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        assert_eq!(format!("{rule:?}"), camel);
    }
}

/// A rule that does what rules must not.
macro_rules! bad_rule {
    ($name:ident, $plan:ident => $result:expr) => {
        #[derive(Debug)]
        struct $name;
        impl Rule for $name {
            fn name(&self) -> &'static str {
                stringify!($name)
            }
            fn reach(&self) -> Reach {
                Reach::WholePlan
            }
            fn rewrite(&self, $plan: &Plan) -> Result<Option<Plan>> {
                Ok(Some($result))
            }
        }
    };
}

bad_rule!(DropsTheLastStep, plan => plan.node().inputs[0].clone());
bad_rule!(TakesLess, plan => plan.take(Some(1)));
bad_rule!(ForgetsABatch, plan => plan.with_inputs(plan.node().inputs[0].node().inputs.clone()));
bad_rule!(NeverEnds, plan => plan.prefetch(Some(1)));

#[test]
#[cfg(debug_assertions)]
fn a_rule_that_changes_what_comes_out_is_caught() {
    let plan = ten().batch(2, false).and_then(|plan| plan.batch(1, false)).expect("valid");
    let repeated = plan.repeat(Some(2)).repeat(Some(2));
    let cases: [(&'static dyn Rule, &Plan, &str); 4] = [
        (&DropsTheLastStep, &plan, "DropsTheLastStep changed the spec from int64[?, ?] to int64[?]"),
        (&TakesLess, &plan, "TakesLess changed the cardinality from 5 to 1"),
        (&ForgetsABatch, &repeated, "ForgetsABatch changed what is saved from"),
        (&NeverEnds, &plan, "rules undo each other"),
    ];
    for (rule, plan, expected) in cases {
        let run = AssertUnwindSafe(|| Optimizer::with_rules(&[rule]).optimize(plan).map(drop));
        let panic = std::panic::catch_unwind(run);
        let message = *panic.expect_err(rule.name()).downcast::<String>().expect("a formatted message");
        assert!(message.contains(expected), "{message}");
    }
}
