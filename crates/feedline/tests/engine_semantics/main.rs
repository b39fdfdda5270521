//! tf.data's behaviour, case by case: 124 cases read from TensorFlow's own tests (`tensorflow/python/data/kernel_tests`,
//! `tensorflow/python/data/experimental/kernel_tests`, `tensorflow/core/kernels/data`), restated in feedline's words. `ids.txt` lists
//! them all; each is in the table of a module here, or in [`OF_PYTHON`], and restated in `python/tests/test_semantics.py`.
//!
//! What comes out is checked in every mode and resumed everywhere. Where feedline differs on purpose the case asserts what feedline
//! does, says so, and COMPARE.md has the reason.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod caches;
mod cardinalities;
mod choices;
mod counts;
mod csv;
#[path = "../engine_support/mod.rs"]
mod engine_support;
mod errors;
mod files;
mod folds;
mod joins;
mod nested;
mod order;
mod shuffles;
mod windows;

use std::collections::BTreeSet;
use std::fmt::Display;

use engine_support::check;
use feedline::{Dataset, Functions};

/// A case by its id.
type Case = (&'static str, fn());

/// The cases of what Python alone has: `len`.
const OF_PYTHON: &[&str] = &["len_infinite"];

#[test]
fn every_case_is_restated() {
    let all: Vec<&str> = include_str!("ids.txt").lines().collect();
    let tables = [
        caches::CASES,
        cardinalities::CASES,
        choices::CASES,
        counts::CASES,
        csv::CASES,
        errors::CASES,
        files::CASES,
        folds::CASES,
        joins::CASES,
        nested::CASES,
        order::CASES,
        shuffles::CASES,
        windows::CASES,
    ];
    let restated = tables.into_iter().flatten().map(|(id, _)| *id);
    let of_python = include_str!("../../../../python/tests/test_semantics.py");
    OF_PYTHON.iter().for_each(|id| assert!(of_python.contains(&format!("\"{id}\"")), "{id} is not there"));
    let mut found = BTreeSet::new();
    for id in restated.chain(OF_PYTHON.iter().copied()) {
        assert!(found.insert(id), "{id} is here twice");
    }
    assert_eq!(all.len(), 124);
    assert_eq!(found, all.into_iter().collect());
}

/// Runs cases one after the other.
#[expect(clippy::print_stdout, reason = "shown if the test fails: the last id is the one")]
fn run(cases: &[Case]) {
    for (id, case) in cases {
        println!("case {id}");
        case();
    }
}

/// In every mode, and resumed everywhere, `dataset` has these elements.
fn gives<T: Display>(dataset: &Dataset, expected: impl IntoIterator<Item = T>) {
    let expected: Vec<String> = expected.into_iter().map(|item| item.to_string()).collect();
    assert_eq!(check(dataset), expected);
}

/// `dataset` cannot be made, and the error says so.
fn refused(dataset: &Dataset, message: &str) {
    let error = dataset.iterator().expect_err("wrong").to_string();
    assert!(error.contains(message), "{error}");
}

/// A `step` behind `range(10)` that Rust's types do not let anybody write, but a plan's text does, cannot be made.
fn refused_as_text(step: &str, message: &str) {
    let steps = format!(r#"{{"range": {{"start": 0, "stop": 10, "step": 1}}}}, {step}"#);
    let text = format!(r#"{{"feedline_plan": 1, "steps": [{steps}]}}"#);
    let error = Dataset::from_text(&text, &Functions::new()).expect_err("wrong").to_string();
    assert!(error.contains(message), "{error}");
}

/// 0 to 9 out of a tensor.
fn ten() -> Dataset {
    engine_support::numbers(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
}
