//! Texts that are no plans: each is an error with its place, none a panic.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod plan_text_support;

use feedline::{Dataset, Functions};
use plan_text_support::{functions, plans};
use proptest::prelude::*;
use serde_json::Value;

fn error_of(steps: &str) -> String {
    let text = format!("{{\"feedline_plan\": 1, \"steps\": [{steps}]}}");
    match Dataset::from_text(&text, &functions()) {
        Ok(dataset) => panic!("{text} is {:?}", dataset.plan().map(feedline::plan::Plan::lines)),
        Err(error) => error.to_string(),
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn what_is_wrong_is_refused_with_its_place() {
    let range = r#"{"range": {"start": 0, "stop": 9, "step": 1}}"#;
    let cases: &[(&str, &str)] = &[
        ("", "there is no step"),
        ("7", "step 0: needs an object, not 7"),
        ("{}", "step 0: needs the step's name"),
        (r#"{"range": {}, "map": {}}"#, r#"step 0: has two names, "range" and "map""#),
        (r#"{"rnage": {}}"#, "step 0 (rnage): there is no such step\nhint: steps are range"),
        (r#"{"range": {"start": 0, "stop": 9}}"#, "step 0 (range): 'step' is missing"),
        (r#"{"range": {"start": 0, "stop": 9, "step": 0}}"#, "step 0 (range): range: step must not be 0"),
        (
            r#"{"range": {"start": 0, "stop": 9, "step": 1, "stride": 1}}"#,
            r#"step 0 (range): "stride" is unknown here"#,
        ),
        (
            r#"{"range": {"start": 0, "stop": 9, "step": 1}, "spec": "int32[]"}"#,
            "step 0 (range): its elements are int64[], the text says int32[]",
        ),
        (
            r#"{"range": {"start": 0, "stop": "outer0", "step": {"constant": {"int64": 1}}}}"#,
            "needs an object, not 0",
        ),
        (r#"{"take": {"count": 1}}"#, "step 0 (take): it needs a step before it"),
        (r#"{"tf_record": {"paths": [7]}}"#, "step 0 (tf_record): paths: needs a string, not 7"),
        (r#"{"from_tensors": {"tensors": []}}"#, "0 tensors for the 1 places of the structure"),
        (r#"{"from_tensor_slices": {"tensors": [{"int64": 1}]}}"#, "a scalar, which has no slices"),
        (
            r#"RANGE, {"batch": {"batch_size": 0, "drop_remainder": true}}"#,
            "step 1 (batch): batch: batch_size must be greater than zero",
        ),
        (
            r#"RANGE, {"batch": {"batch_size": -1, "drop_remainder": true}}"#,
            "step 1 (batch): batch_size: needs a whole number",
        ),
        (
            r#"RANGE, {"batch": {"batch_size": "4", "drop_remainder": true}}"#,
            "step 1 (batch): batch_size: needs a whole number, not \"4\"",
        ),
        (r#"RANGE, {"take": {"count": 1.5}}"#, "step 1 (take): count: needs a whole number, not 1.5"),
        (r#"RANGE, {"take": {"count": -2}}"#, "step 1 (take): count: needs a whole number, not -2"),
        (
            r#"RANGE, {"take": {"count": "outer0"}}"#,
            "there is no outer0: the nested plan is started with 0 values",
        ),
        (r#"RANGE, {"unbatch": {}}"#, "step 1 (unbatch): unbatch: the tensor is a scalar"),
        (
            r#"RANGE, {"take": {"count": 1}, "inputs": [1]}"#,
            "step 1 (take): inputs: 1 does not come before it",
        ),
        (r#"RANGE, {"take": {"count": 1}, "inputs": [2]}"#, "inputs: 2 does not come before it"),
        (r#"RANGE, {"take": {"count": 1}, "inputs": [0, 0]}"#, "inputs: it takes one, not 2"),
        (r"RANGE, RANGE", "step 0 is the input of no other step"),
        (r#"RANGE, {"concatenate": {}, "inputs": [0]}"#, "needs two inputs"),
        (r#"RANGE, {"zip": {"structure": ["_", "_"]}, "inputs": [0]}"#, "more places than inputs"),
        (r#"RANGE, {"zip": {"structure": ["a"]}}"#, r#"structure: needs "_" for a place, not "a""#),
        (
            r#"RANGE, {"shuffle": {"buffer_size": 2, "reshuffle_each_iteration": true}}"#,
            "needs either seeds or drawn_seeds",
        ),
        (r#"RANGE, {"cache": {}}"#, "needs either memory or path"),
        (
            r#"RANGE, {"cache": {"memory": 0}}, {"skip": {"count": 1}}, {"cache": {"memory": 0}}"#,
            "step 3 (cache): memory: 0 is the cache of other steps already",
        ),
        (r#"RANGE, {"map": {}}"#, "step 1 (map): 'function' is missing"),
        (
            r#"RANGE, {"map": {"function": {"give": "x1"}}}"#,
            "there is no \"x1\" here\nhint: the element has 1 tensors",
        ),
        (
            r#"RANGE, {"map": {"function": {"give": "v0"}}}"#,
            "there is no \"v0\" here\nhint: only entries of `let` further up",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "add", "v1", 1], ["v1", "add", "v0", 1]], "give": "v1"}}}"#,
            "step 1 (map): let: v0: add: there is no \"v1\" here",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v1", "add", "x0", 1]], "give": "v1"}}}"#,
            r#"let: needs ["v0", "#,
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "plus", "x0", 1]], "give": "v0"}}}"#,
            r#"let: v0: there is no operation "plus""#,
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "add", "x0"]], "give": "v0"}}}"#,
            "v0: add takes 2 tensors (x, y), not 1",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "add", "x0", {"int32": 1}]], "give": "v0"}}}"#,
            "the types int64 and int32 differ",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "add", 1, 2]], "give": "v0"}}}"#,
            "the type of 1 is not clear",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "add", "x0", 1.5]], "give": "v0"}}}"#,
            "v0: add: 1.5 is no int64",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "cast", "x0"]], "give": "v0"}}}"#,
            "cast: needs an object of arguments last",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "cast", "x0", {"dtype": "int9"}]], "give": "v0"}}}"#,
            "cast: dtype: there is no type \"int9\"",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "cast", "x0", {"dtype": "int8", "place": 1}]], "give": "v0"}}}"#,
            "it has no argument \"place\"",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "random_uniform", {"shape": "[]", "seed": 1, "place": 18446744073709551615}]], "give": "v0"}}}"#,
            "place: 18446744073709551615 is larger than any plan",
        ),
        (
            r#"RANGE, {"map": {"function": {"let": [["v0", "random_uniform", {"shape": "[9223372036854775807, 4]", "seed": 1}], ["v1", "reshape", "v0", {"shape": "[?]"}]], "give": "v1"}}}"#,
            "has more than 4294967296 values",
        ),
        (
            r#"RANGE, {"filter": {"predicate": {"give": "x0"}}}"#,
            "step 1 (filter): filter: the predicate gives int64[], not one bool",
        ),
        (
            r#"RANGE, {"map": {"native": {"name": "missing", "output": "int64[]"}}}, {"map": {"native": {"name": "same", "output": "int64[]"}}}"#,
            "step 1 (map): there is no function \"missing\" among those given\nhint: the plan needs missing, same",
        ),
        (
            r#"RANGE, {"map": {"native": {"name": "same", "output": "int32[]"}}}"#,
            "the function \"same\" gives int64[], the plan was made with one that gave int32[]",
        ),
        (
            r#"RANGE, {"flat_map": {"function": {"captures": ["x0"], "steps": [{"rnage": {}}]}}}"#,
            "step 1 (flat_map): step 0 (rnage): there is no such step",
        ),
        (
            r#"RANGE, {"flat_map": {"function": {"captures": ["x0"], "steps": [{"from_tensors": {"tensors": ["outer0"]}}, {"cache": {"path": "kept"}}]}}}"#,
            "depends on the element this dataset is made of",
        ),
        (
            r#"RANGE, {"flat_map": {"function": {"captures": "x0", "steps": [RANGE]}}}"#,
            "captures: needs a list of names",
        ),
        (
            r#"RANGE, {"interleave": {"function": {"captures": [], "steps": [RANGE]}, "cycle_length": 0, "block_length": 1, "deterministic": true}}"#,
            "must be greater than zero",
        ),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .map(|(steps, expected)| (error_of(&steps.replace("RANGE", range)), expected, steps))
        .filter(|(error, expected, _)| !error.contains(**expected))
        .map(|(error, expected, steps)| format!("{steps}\ngives: {error}\nnot: {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_is_no_plan_of_this_version_is_refused() {
    let cases = [
        ("", "this is no plan of feedline: EOF"),
        ("[]", "this is no plan of feedline: 'feedline_plan' with its version is missing"),
        (r#"{"feedline_plan": "1"}"#, "this is no plan of feedline"),
        (r#"{"feedline_plan": 2, "steps": 7}"#, "the plan is of version 2, this feedline reads version 1"),
        (r#"{"feedline_plan": 1}"#, "'steps' is missing"),
        (
            r#"{"feedline_plan": 1, "steps": [{"range": {"start": 0, "stop": 1, "step": 1}}], "more": 1}"#,
            r#""more" is unknown here"#,
        ),
    ];
    for (text, expected) in cases {
        let error = Dataset::from_text(text, &Functions::new()).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let text = Dataset::range(10).to_text().unwrap().replace("\"stop\": 10", "\"stop\": 11");
    let error = Dataset::from_text(&text, &Functions::new()).unwrap_err().to_string();
    assert!(error.contains("not the one whose fingerprint the text has"), "{error}");
}

#[test]
fn depth_and_absurd_sizes_are_refused_not_followed() {
    let range = r#"{"range": {"start": 0, "stop": 9, "step": 1}}"#;
    let long = format!("{range}{}", r#", {"take": {"count": 1}}"#.repeat(100_000));
    assert!(error_of(&long).contains("more than 500 steps"));
    let doubled = (1..60)
        .map(|step| format!(", {{\"concatenate\": {{}}, \"inputs\": [{0}, {0}]}}", step - 1))
        .collect::<Vec<_>>()
        .concat();
    assert!(error_of(&format!("{range}{doubled}")).contains("too large to be gone through"));
    let entries: Vec<String> = (0..100_000)
        .map(|entry| match entry {
            0 => r#"["v0", "add", "x0", 1]"#.to_owned(),
            _ => format!("[\"v{entry}\", \"add\", \"v{}\", 1]", entry - 1),
        })
        .collect();
    let deep = format!(
        r#"{range}, {{"map": {{"function": {{"let": [{}], "give": "v99999"}}}}}}"#,
        entries.join(", ")
    );
    assert!(error_of(&deep).contains("nested deeper than 500 calls"));
    let entries_of_two: Vec<String> = (0..60)
        .map(|entry| match entry {
            0 => r#"["v0", "add", "x0", "x0"]"#.to_owned(),
            _ => format!("[\"v{entry}\", \"add\", \"v{0}\", \"v{0}\"]", entry - 1),
        })
        .collect();
    let function = format!(r#"{{"let": [{}], "give": "v59"}}"#, entries_of_two.join(", "));
    // A function may: what is used twice is gone through once.
    let doubled = format!(r#"{range}, {{"map": {{"function": {function}}}}}"#);
    let text = format!("{{\"feedline_plan\": 1, \"steps\": [{doubled}]}}");
    assert!(Dataset::from_text(&text, &Functions::new()).is_ok());
    let levels = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    assert!(Dataset::from_text(&levels, &Functions::new()).is_err());
    // What is as deep as it may be is read.
    let entries = &entries[..500];
    let deep =
        format!(r#"{range}, {{"map": {{"function": {{"let": [{}], "give": "v499"}}}}}}"#, entries.join(", "));
    let text = format!("{{\"feedline_plan\": 1, \"steps\": [{deep}]}}");
    assert!(Dataset::from_text(&text, &Functions::new()).is_ok());
    // Written too deep: refused there already.
    let nested = (0..60).fold(Dataset::range(1), |dataset, _| Dataset::range(1).flat_map(|_| dataset));
    assert!(nested.to_text().unwrap_err().to_string().contains("too deep to be written"));
}

/// A text with some of its parts changed: other characters, parts left out, written twice, or taken from elsewhere.
fn mutated(text: &str, changes: &[(u8, usize, usize)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for &(what, at, amount) in changes {
        let at = at % chars.len().max(1);
        let end = (at + 1 + amount % 20).min(chars.len());
        let words = [
            "-1",
            "0",
            "18446744073709551615",
            "null",
            "[]",
            "{}",
            "\"\"",
            "1e308",
            "\"v0\"",
            "\"outer0\"",
            "x",
            ",",
        ];
        match what % 4 {
            0 => drop(chars.drain(at..end)),
            1 => {
                let part: Vec<char> = chars[at..end].to_vec();
                chars.splice(at..at, part);
            }
            2 => drop(chars.splice(at..end, words[amount % words.len()].chars())),
            _ => {
                let from = amount * 7919 % chars.len().max(1);
                let part: Vec<char> = chars[from..(from + 12).min(chars.len())].to_vec();
                chars.splice(at..end, part);
            }
        }
    }
    chars.into_iter().collect()
}

/// A JSON value somewhere in the text replaced by another: what is still JSON gets further than what is not.
fn replaced(value: &mut Value, places: &mut usize, with: &Value) {
    if *places == 0 {
        *value = with.clone();
    }
    *places = places.wrapping_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replaced(item, places, with)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replaced(field, places, with)),
        _ => {}
    }
}

fn collect_all(value: &Value, found: &mut Vec<Value>) {
    found.push(value.clone());
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_all(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect_all(field, found)),
        _ => {}
    }
}

proptest! {
    #[test]
    fn no_text_panics(which in 0..1000_usize, changes in prop::collection::vec((any::<u8>(), 0..5000_usize, 0..5000_usize), 1..4)) {
        let plans = plans();
        let text = plans[which % plans.len()].1.to_text().unwrap();
        let text: String = text.lines().filter(|line| !line.contains("fingerprint")).collect();
        let broken = mutated(&text, &changes);
        if let Ok(dataset) = Dataset::from_text(&broken, &functions()) {
            // What can be read can be written, and printed.
            dataset.plan().unwrap().fingerprint();
            dataset.to_text().ok();
        }
    }

    #[test]
    fn no_value_in_a_wrong_place_panics(which in 0..1000_usize, place in 0..200_usize, with in 0..1000_usize, from in 0..200_usize) {
        let plans = plans();
        let parse = |which: usize| -> Value {
            serde_json::from_str(&plans[which % plans.len()].1.to_text().unwrap()).unwrap()
        };
        let mut found = vec![];
        collect_all(&parse(with), &mut found);
        let absurd = ["-1", "0", "9223372036854775807", "18446744073709551615", "\"[9223372036854775807, 9]\"", "null", "[0]", "0.5"];
        found.extend(absurd.iter().map(|text| serde_json::from_str(text).unwrap()));
        let mut value = parse(which);
        value.as_object_mut().unwrap().remove("fingerprint");
        replaced(&mut value, &mut (place + 1), &found[from % found.len()]);
        if let Ok(dataset) = Dataset::from_text(&value.to_string(), &functions()) {
            dataset.plan().unwrap().fingerprint();
            dataset.to_text().ok();
        }
    }
}
