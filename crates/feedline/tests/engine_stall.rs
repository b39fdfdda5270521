//! When nothing moves: who waits for whom, told once.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, TensorSpec};
use feedline::{AUTOTUNE, Dataset, Options};

/// Something that hangs until somebody lets it go.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    hangs: bool,
    is_open: bool,
    reports: Vec<String>,
}

impl Gate {
    fn hang(&self) {
        let mut state = self.state.lock().unwrap();
        state.hangs = true;
        drop(self.changed.wait_while(state, |state| !state.is_open).unwrap());
    }

    /// What is told before anything hangs is a slow machine's and none of this test's business.
    fn report(&self, text: &str) {
        let mut state = self.state.lock().unwrap();
        if state.hangs && !state.is_open {
            state.reports.push(text.to_owned());
            state.is_open = true;
            self.changed.notify_all();
        }
    }

    fn options(self: &Arc<Gate>) -> Options {
        let gate = Arc::clone(self);
        let options = Options::new().threads(2).optimizer(false).stall_after(Duration::from_millis(20));
        options.on_notice(move |text| gate.report(text))
    }
}

fn number() -> ElementSpec {
    ElementSpec::Leaf(TensorSpec::scalar(DType::Int64))
}

/// The lines of a report, without the times.
fn check_report(gate: &Gate, expected: &[&str]) {
    let reports = &gate.state.lock().unwrap().reports;
    let [report] = &reports[..] else { panic!("told once: {reports:?}") };
    for line in expected {
        assert!(report.contains(line), "`{line}` is not in:\n{report}");
    }
}

#[test]
fn a_source_that_hangs_is_named_and_the_stream_goes_on_when_it_does() {
    let gate = Arc::new(Gate::default());
    let source = {
        let gate = Arc::clone(&gate);
        Dataset::from_iter("hanging", number(), move || {
            let gate = Arc::clone(&gate);
            (0..10_i64).map(move |n| {
                if n == 5 {
                    gate.hang();
                }
                Ok(Tensor::scalar(n).into())
            })
        })
    };
    let dataset = source.map(|x| x + 1).prefetch(AUTOTUNE).batch(2).with_options(gate.options());
    let items: Vec<_> = dataset.iterator().unwrap().map(|item| item.unwrap()).collect();
    assert_eq!(items.len(), 5);
    check_report(
        &gate,
        &[
            "feedline: nothing has moved for ",
            "The caller waits for an element of step 4",
            "waits for what is done for it, ",
            "running the iterator's own code, for ",
            "waits for step 1, ",
            "waits for its input, which runs ahead on the workers, ",
            "waits for step 3, ",
            "hint: step 1 is the one that holds up the others: running the iterator's own code",
            "threads: 2 workers",
        ],
    );
}

#[test]
fn a_function_that_hangs_is_named() {
    let gate = Arc::new(Gate::default());
    let hanging = Arc::clone(&gate);
    let dataset = Dataset::range(100)
        .prefetch(4)
        .map_native("hanging", number(), move |element| {
            if element.leaves()[0].as_slice::<i64>()[0] == 20 {
                hanging.hang();
            }
            Ok(element)
        })
        .batch(10)
        .with_options(gate.options());
    assert_eq!(dataset.iterator().unwrap().flatten().count(), 10);
    check_report(
        &gate,
        &["hint: step 3 is the one that holds up the others: computing ", "step 4", "holds "],
    );
}

#[test]
fn a_time_that_is_no_number_is_refused_by_name() {
    // Set for this process alone: each test has its own.
    // SAFETY: no other thread runs yet that could read the environment at the same time.
    unsafe { std::env::set_var("FEEDLINE_STALL_S", "soon") };
    let error = Dataset::range(3).iterator().map(drop).unwrap_err().to_string();
    assert!(error.contains("FEEDLINE_STALL_S") && error.contains("soon"), "{error}");
    // SAFETY: as above.
    unsafe { std::env::set_var("FEEDLINE_STALL_S", "0.5") };
    assert_eq!(Dataset::range(3).iterator().unwrap().count(), 3);
}

#[test]
fn without_workers_a_caller_is_asked_in_the_middle_of_a_block() {
    let calls = Arc::new(Mutex::new(0));
    let calls_there = Arc::clone(&calls);
    let slow = Dataset::range(1000).map_native("slow", number(), move |element| {
        *calls_there.lock().unwrap() += 1;
        std::thread::sleep(Duration::from_millis(1));
        Ok(element)
    });
    let mut elements = slow.with_options(Options::new().threads(0)).iterator().unwrap();
    // Ctrl-C is looked for between elements that are given, and what was computed stays.
    for _ in 0..3 {
        elements.next_unless(|| false).unwrap().unwrap().unwrap();
    }
    assert!(*calls.lock().unwrap() < 500, "{calls:?}");
    assert_eq!(elements.by_ref().map(Result::unwrap).count(), 997);
    assert_eq!(*calls.lock().unwrap(), 1000, "each once");
}
