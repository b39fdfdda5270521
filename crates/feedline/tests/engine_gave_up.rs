//! Where a step gave up for want of memory, the state behind its error tries again: nothing is lost, and nothing comes twice.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::Command;

use feedline::data::block::Tensor;
use feedline::{Dataset, Elements, Options, State, Symbolic, ops};

/// As another process would read it.
fn saved(elements: &Elements) -> State {
    State::from_bytes(&elements.state().to_bytes()).unwrap()
}

/// The elements up to the first error, which there must be.
fn until_error(elements: &mut Elements) -> (usize, String) {
    let mut count = 0;
    loop {
        match elements.next().expect("an error comes first") {
            Ok(_) => count += 1,
            Err(error) => return (count, error.to_string()),
        }
    }
}

#[test]
fn a_shuffle_that_found_no_memory_goes_on_with_more() {
    let words: Vec<String> = (0..4000).map(|line| format!("{line:0>500}")).collect();
    let records = Tensor::from_strings(vec![4000], words.iter().collect());
    // Of unknown size, so that it is refused as it grows.
    let shuffled = Dataset::from_tensor_slices(records).filter(|text| text.ne("")).shuffle(3000).seed(1);
    for threads in [0, 2] {
        let of = |bytes| Options::new().threads(threads).memory_budget(bytes);
        let mut elements = shuffled.with_options(of(1 << 20)).iterator().unwrap();
        let (before, error) = until_error(&mut elements);
        assert!(error.contains("shuffle"), "{error}");
        let rest = shuffled.with_options(of(1 << 30)).resume(&saved(&elements)).unwrap();
        let mut all: Vec<String> = rest.map(|element| format!("{:?}", element.unwrap())).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(before + all.len(), 4000, "{threads} threads: {error}");
    }
}

#[test]
fn a_batch_too_large_is_made_where_there_is_more_memory() {
    // Of unknown size, so that it is not refused before it runs; an error while the batch is collected, and one behind it.
    let row = |x: Symbolic| {
        let quotient = ops::floordiv(100, x.clone() % 500 - 10);
        ops::fill(ops::stack([ops::clip_by_value(quotient, 1000, 1000)], 0), 0.5)
    };
    let batches = Dataset::range(700).map(row).batch(400);
    for threads in [0, 2] {
        let of = |bytes| Options::new().threads(threads).memory_budget(bytes);
        let mut elements = batches.with_options(of(1 << 20)).iterator().unwrap();
        let mut errors = Vec::new();
        for element in elements.by_ref() {
            errors.push(element.unwrap_err().to_string());
        }
        assert!(errors.len() == 2 && errors[0].contains("zero") && errors[1].contains("batch"), "{errors:?}");
        let rest = batches.with_options(of(1 << 30)).resume(&saved(&elements)).unwrap();
        let rest: Vec<_> = rest.map(|item| item.map_or(0, |batch| batch.leaves()[0].shape()[0])).collect();
        assert_eq!(rest, [400, 0, 298], "{threads} threads");
    }
}

/// The budget of a process is what its environment says when its first iterator is made.
#[test]
fn an_epoch_that_found_no_memory_is_begun_again() {
    passes_with_small_memory("child_of_small_memory");
}

/// A worker may be in the middle of something when its iterator is dropped, and have its memory for a moment longer.
#[test]
fn memory_of_an_iterator_that_was_dropped_is_waited_for() {
    passes_with_small_memory("child_that_begins_again_and_again");
}

fn passes_with_small_memory(test: &str) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
    let output = command.env("FEEDLINE_MEMORY_BUDGET", "1M").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
#[ignore = "run by memory_of_an_iterator_that_was_dropped_is_waited_for"]
fn child_that_begins_again_and_again() {
    // The buffer takes more than half of the budget.
    let shuffled = Dataset::range(60_000).map(|x| x + 1).shuffle(40_000).seed(1).map(|x| x - 1).prefetch(2);
    let shuffled = shuffled.with_options(Options::new().threads(2));
    for _ in 0..300 {
        let mut elements = shuffled.iterator().unwrap();
        elements.next().unwrap().unwrap();
    }
}

#[test]
#[ignore = "run by an_epoch_that_found_no_memory_is_begun_again"]
fn child_of_small_memory() {
    const COUNT: usize = 60_000;
    let mut num_refused = 0;
    for (threads, optimizer) in [(0, false), (2, false), (2, true)] {
        let make = || {
            let numbers = Dataset::range(COUNT as i64).map(|x| x + 1).shuffle(40_000).seed(1).map(|x| x - 1);
            numbers.repeat(2).with_options(Options::new().threads(threads).optimizer(optimizer))
        };
        let mut first = make().iterator().unwrap();
        assert_eq!(first.by_ref().take(COUNT).flatten().count(), COUNT);
        // Another takes the memory, if the first does not keep it for its next epoch.
        let mut other = make().iterator();
        let has_taken = other.as_mut().is_ok_and(|other| other.next().is_some_and(|element| element.is_ok()));
        let next = first.next().unwrap();
        assert_eq!(next.is_err(), has_taken, "{threads} threads");
        let state = saved(&first);
        drop((first, other));
        let left = COUNT - usize::from(next.is_ok());
        let rest = make().resume(&state).unwrap();
        assert_eq!(rest.flatten().count(), left, "{threads} threads");
        num_refused += usize::from(has_taken);
    }
    assert!(num_refused > 0, "nothing was refused");
}
