//! What only this crate can see: places of random operations and caches that several steps share.

use feedline_data::Shape;

use super::Functions;
use crate::expr::{Expr, ExprKind};
use crate::{CacheCell, CachePlace, Function, NodeKind, Plan, Symbolic, ops};

fn ten() -> Plan {
    Plan::range(0, 10, 1).expect("valid")
}

/// Written, read, and written again: the same plan and the same text.
fn again(plan: &Plan) -> Plan {
    let text = plan.to_text().expect("it has a text");
    let again = Plan::from_text(&text, &Functions::new()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.lines(), plan.lines(), "{text}");
    assert_eq!((again.spec(), again.cardinality()), (plan.spec(), plan.cardinality()));
    assert_eq!(again.num_places(), plan.num_places(), "{text}");
    assert_eq!(again.to_text().as_deref(), Ok(text.as_str()));
    again
}

fn random() -> Symbolic {
    ops::random_uniform(Shape::scalar(), 1)
}

#[test]
fn random_operations_keep_their_places_and_later_ones_count_on() {
    let pair = |_| Symbolic::from((random(), random()));
    let plan = ten().map(pair, None).expect("valid").filter(|_| random().lt(0.5)).expect("valid");
    let plan =
        plan.flat_map(|_| Plan::tensors_of(&random(), false)?.map(|x| x + random(), None)).expect("valid");
    let read = again(&plan);
    assert_eq!(plan.num_places(), 4);
    let longer = |plan: &Plan| plan.map(|x| x + random(), None).expect("valid").lines();
    assert!(longer(&plan).last().is_some_and(|line| line.contains("place=5")), "{:?}", longer(&plan));
    assert_eq!(longer(&read), longer(&plan));
    // One that was written by hand gets its place from the builder.
    let text = plan.to_text().expect("it has a text").replace(", \"place\": 3", "");
    let text: String = text.lines().filter(|line| !line.contains("fingerprint")).collect();
    assert_eq!(Plan::from_text(&text, &Functions::new()).expect("valid").lines(), plan.lines());
}

#[test]
fn random_operations_behind_a_check_have_their_places_too() {
    let checked = |x: Symbolic| {
        let drawn = random();
        Symbolic::from((&drawn + random(), drawn)).after([ops::assert_less(x, 100, "")])
    };
    let line = ten().map(checked, None).expect("valid").lines().pop().expect("a map");
    // What both results have in common is one draw, written twice.
    let count = |place: &str| line.matches(place).count();
    assert_eq!((count("random_uniform("), count("place=1"), count("place=2")), (3, 2, 1), "{line}");
}

fn cells(plan: &Plan, found: &mut Vec<CacheCell>) {
    let node = plan.node();
    node.inputs.iter().for_each(|input| cells(input, found));
    if let Some(nested) = node.kind.nested() {
        cells(&nested.plan, found);
    }
    if let NodeKind::Cache { place: CachePlace::Memory(cell) } = &node.kind {
        found.push(cell.clone());
    }
}

#[test]
fn steps_that_had_one_cache_together_have_one_again() {
    let cached = ten().cache();
    let inside = ten().flat_map(|_| Ok(cached.clone())).expect("valid");
    let plan = cached.concatenate(&cached.skip(Some(1))).expect("valid");
    let plan = plan.concatenate(&ten().cache()).expect("valid").concatenate(&inside).expect("valid");
    let (mut before, mut after) = (Vec::new(), Vec::new());
    cells(&plan, &mut before);
    cells(&again(&plan), &mut after);
    assert_eq!(before.len(), 4);
    for one in 0..4 {
        assert!(!after.iter().any(|cell| cell.is_same(&before[one])), "made anew");
        for two in 0..4 {
            assert_eq!(after[one].is_same(&after[two]), before[one].is_same(&before[two]), "{one} and {two}");
        }
    }
}

#[test]
fn what_is_used_twice_is_written_once_and_stays_so() {
    // Of the last 2^40 calls if each were written where it is used.
    for num_calls in [9, 13, 14, 40] {
        let plan = ten().map(
            |x| {
                let twice = (0..num_calls).fold(x, |x, _| &x + &x);
                Symbolic::from((twice.clone(), twice))
            },
            None,
        );
        let read = again(&plan.expect("valid"));
        let NodeKind::Map { function: Function::Traced(result), .. } = &read.node().kind else {
            panic!("{read:?}")
        };
        let mut calls = 0;
        let count: &mut dyn FnMut(&Expr) = &mut |expr| {
            expr.any(&mut |node| {
                calls += usize::from(matches!(node.kind, ExprKind::Call(_)));
                false
            });
        };
        count(result.leaves()[0]);
        assert_eq!(calls, num_calls);
    }
    let doubled = |times: usize| (0..times).fold(ten(), |plan, _| plan.concatenate(&plan).expect("valid"));
    assert!(doubled(60).to_text().is_err());
    let doubled = doubled(3);
    assert_eq!(doubled.to_text().expect("it has a text").matches("concatenate").count(), 3);
    again(&doubled);
}

#[test]
fn steps_the_optimizer_made_have_no_text() {
    let plan = ten().shuffle(3, crate::SeedPair { seed: 1, seed2: 2, is_given: true }, true).expect("valid");
    let optimized = crate::Optimizer::new().optimize(&plan.repeat(Some(2))).expect("valid").plan;
    let error = optimized.to_text().expect_err("made by the optimizer").to_string();
    assert!(error.starts_with("shuffle_and_repeat: a step that the optimizer made"), "{error}");
    let folder = ten().map(|x| x + 1, None).and_then(|plan| plan.map(|x| x * 2, None));
    let folder = folder.and_then(|plan| plan.cache_to("numbers".into())).expect("valid");
    again(&folder);
    let optimized = crate::Optimizer::new().optimize(&folder).expect("valid").plan;
    assert!(optimized.to_text().is_err_and(|error| error.to_string().contains("rewritten by the optimizer")));
}

#[test]
fn names_that_mean_something_are_no_operations() {
    let taken = |name: &str| crate::expr::Operation::find(name).is_some();
    assert!(!taken("after"));
    let mut arguments = crate::expr::catalogue::CATALOGUE.iter().flat_map(|operation| operation.attributes());
    assert!(arguments.all(|argument| argument.name != "place"));
}
