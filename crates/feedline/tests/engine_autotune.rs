//! AUTOTUNE: whatever the shape of a pipeline, the elements are the same and the budget is kept.
//!
//! How well it does is measured (`feedline-bench tune`), and that its controller settles is shown on a simulated machine
//! (`feedline-exec/src/tune/simulation.rs`): neither depends on a clock here. Functions that wait do so for a moment, and
//! nothing is asserted about how long.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engine_support::check;
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{AUTOTUNE, Dataset, Options};

const BUDGET_BYTES: u64 = 1 << 20;

/// Rows of `values` numbers each, the first of which counts from 1, made by code that waits so long for each.
fn rows(count: i64, values: usize, wait: fn(i64) -> Duration) -> Dataset {
    let spec = ElementSpec::Leaf(TensorSpec::new(DType::Int64, Shape::new(vec![Some(values)])));
    Dataset::range(count).map_native("make", spec, move |element| {
        let number = element.leaves()[0].as_slice::<i64>()[0];
        std::thread::sleep(wait(number));
        Ok(Structure::Leaf(Tensor::from_vec(vec![values], vec![number + 1; values])))
    })
}

fn no_wait(_: i64) -> Duration {
    Duration::ZERO
}

/// Now and then a long one.
fn jittery(number: i64) -> Duration {
    Duration::from_micros(if number % 20 == 7 { 5000 } else { 100 })
}

/// A name, a pipeline, how many elements to take of it, and what its consumer does after each.
type Pipeline = (&'static str, Dataset, u64, fn(usize));

#[test]
fn the_budget_is_kept_by_every_shape() {
    // Name, pipeline, bytes of the largest block it moves, and what the consumer does after each element.
    let shapes: [Pipeline; 8] = [
        ("1 ms", rows(1500, 512, |_| Duration::from_millis(1)), 4096, |_| {}),
        ("10 ms", rows(400, 512, |_| Duration::from_millis(10)), 4096, |_| {}),
        ("jittery", rows(1500, 512, jittery), 4096, |_| {}),
        ("computing", rows(20_000, 16, no_wait), 64 << 10, |_| {}),
        ("tiny", Dataset::range(3_000_000).map(|x| x + 1).batch(256), 64 << 10, |_| {}),
        // Larger than a part of the budget that anybody may fill by running ahead.
        ("huge", rows(60, 50_000, no_wait), 400_000, |_| {}),
        ("slow consumer", rows(300, 512, no_wait), 64 << 10, |_| {
            std::thread::sleep(Duration::from_millis(1));
        }),
        ("bursts", rows(2000, 512, no_wait), 64 << 10, |taken| {
            if taken % 100 == 0 {
                std::thread::sleep(Duration::from_millis(10));
            }
        }),
    ];
    for (name, dataset, block_bytes, consume) in shapes {
        let options = Options::new().threads(4).memory_budget(BUDGET_BYTES);
        let dataset = dataset.prefetch(AUTOTUNE).with_options(options);
        let mut elements = dataset.iterator().unwrap();
        for taken in 1.. {
            let Some(element) = elements.next() else { break };
            element.unwrap();
            consume(taken);
        }
        // A block of the map and one of the prefetch may be held without asking.
        let peak = elements.budget().peak_bytes();
        assert!(peak <= BUDGET_BYTES + 2 * block_bytes, "{name}: peak {peak}");
        assert_eq!(elements.budget().used_bytes(), 0, "{name}");
    }
}

/// How many calls there are at a time, and the most there ever were.
#[derive(Default)]
struct Calls {
    running: AtomicUsize,
    most: AtomicUsize,
}

/// The numbers of `dataset`, passed on by code that waits a moment for each.
fn waiting(dataset: &Dataset, calls: &Arc<Calls>) -> Dataset {
    let (spec, calls) = (ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)), Arc::clone(calls));
    dataset.map_native("wait", spec, move |element| {
        calls.most.fetch_max(calls.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(2));
        calls.running.fetch_sub(1, Ordering::SeqCst);
        Ok(element)
    })
}

#[test]
fn streams_that_wait_are_opened_ahead() {
    let calls = Arc::new(Calls::default());
    // One element each: the next waits unless it was begun before.
    let dataset = Dataset::range(i64::MAX).flat_map(|x| waiting(&Dataset::from_tensors(x), &calls));
    let mut elements = dataset.with_options(Options::new().threads(2)).iterator().unwrap();
    let mut number = 0;
    while calls.most.load(Ordering::SeqCst) <= 12 {
        assert_eq!(elements.next().unwrap().unwrap().leaves()[0].as_slice::<i64>(), [number]);
        number += 1;
    }
}

#[test]
fn code_that_waits_waits_for_more_than_there_are_workers() {
    let calls = Arc::new(Calls::default());
    // There is no end: the test ends when enough have waited at a time, or by its own limit.
    let dataset = waiting(&Dataset::range(i64::MAX), &calls);
    let mut elements = dataset.with_options(Options::new().threads(2)).iterator().unwrap();
    let mut number = 0;
    while calls.most.load(Ordering::SeqCst) <= 24 {
        assert_eq!(elements.next().unwrap().unwrap().leaves()[0].as_slice::<i64>(), [number]);
        number += 1;
    }
    // Not so if the user says how many.
    let capped = dataset.num_parallel_calls(3).with_options(Options::new().threads(2));
    drop(elements);
    while calls.running.load(Ordering::SeqCst) > 0 {
        std::thread::yield_now();
    }
    calls.most.store(0, Ordering::SeqCst);
    assert_eq!(capped.take(200).iterator().unwrap().count(), 200);
    let most = calls.most.load(Ordering::SeqCst);
    assert!(most <= 3, "{most}");
}

#[test]
fn tuning_changes_nothing_that_comes_out() {
    let waiting = rows(14, 2, |number| Duration::from_micros(number as u64 % 7 * 100));
    let dataset = waiting.shuffle(8).seed(3).batch(3).prefetch(AUTOTUNE);
    assert_eq!(check(&dataset).len(), 5);
}
