//! What an iterator says about itself: counts, waits, queues, memory, and what the caller holds.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::sync::mpsc;

use engine_support::modes;
use feedline::data::block::{Strings, Tensor};
use feedline::data::{ElementSpec, Structure};
use feedline::{AUTOTUNE, Dataset, Elements, Options, Snapshot, ops};

/// All of it, and what was counted then.
fn run(dataset: &Dataset, options: Options) -> (usize, Snapshot) {
    let dataset = dataset.with_options(options);
    let mut elements = dataset.iterator().unwrap();
    let count = elements.by_ref().map(Result::unwrap).collect::<Vec<_>>().len();
    (count, elements.metrics())
}

#[test]
fn every_queue_is_counted_and_empty_at_the_end() {
    let inner = |x| Dataset::range(20).map(move |y| y + ops::cast(&x, feedline::data::DType::Int64));
    let dataset = Dataset::range(50)
        .interleave(inner)
        .cycle_length(3)
        .shuffle(7)
        .seed(1)
        .batch(10)
        .prefetch(AUTOTUNE)
        .map(|x| x + 1)
        .prefetch(2);
    for (mode, options) in modes() {
        let has_workers = !mode.contains(" 0 threads");
        let (count, snapshot) = run(&dataset, options);
        assert_eq!(count, 100, "{mode}");
        let unit = |unit: &str| {
            let queues = snapshot.steps.iter().filter_map(|step| step.queue);
            queues.filter(|queue| queue.unit == unit).map(|queue| queue.max_depth).collect::<Vec<_>>()
        };
        assert_eq!(unit("streams"), [3], "{mode}");
        // Rows picked for a block are there until they are copied into it.
        assert!(unit("elements")[0] >= 7, "{mode}");
        let blocks = unit("blocks");
        assert_eq!(blocks.is_empty(), !has_workers, "{mode}");
        assert!(blocks.iter().all(|depth| (1..=64).contains(depth)), "{mode}: {blocks:?}");
        for step in &snapshot.steps {
            assert_eq!(step.queue.map_or(0, |queue| queue.depth), 0, "{mode}: {step:?}");
            assert!(step.under_way.is_empty() && step.waits_since_ns.is_none(), "{mode}: {step:?}");
            assert_eq!(step.not_ready > 0, step.waiting_ns > 0, "{mode}: {step:?}");
            assert!(has_workers || step.not_ready == 0, "the reference never waits: {step:?}");
        }
        assert_eq!(snapshot.budget_used_bytes, 0, "{mode}");
        assert!(snapshot.budget_peak_bytes <= snapshot.budget_limit_bytes, "{mode}");
        assert_eq!(snapshot.workers > 0, has_workers, "{mode}");
    }
}

#[test]
fn what_was_handed_out_is_the_callers_alone() {
    for (mode, options) in modes() {
        let dataset = Dataset::range(60).batch(10).with_options(options.block_size(1));
        let mut elements: Elements = dataset.iterator().unwrap();
        for taken in 1..=6_i64 {
            let batch = elements.next().unwrap().unwrap();
            assert_eq!(elements.metrics().held_by_caller_bytes, 80, "{mode}");
            drop(batch);
            // Not only when the next one is asked for.
            assert_eq!(elements.metrics().held_by_caller_bytes, 0, "{mode}");
            let rest = dataset.resume(&elements.state()).unwrap().count() as i64;
            assert_eq!(rest, 6 - taken, "{mode}");
        }
        // What is there and was not taken is nobody's yet.
        let mut elements: Elements = dataset.iterator().unwrap();
        elements.ready_unless(|| false).unwrap();
        let rest = dataset.resume(&elements.state()).unwrap().count();
        assert_eq!((elements.is_ready(), rest), (true, 6), "{mode}");
        let batch = elements.next_unless(|| false).unwrap().unwrap().unwrap();
        assert_eq!(batch.leaves()[0].as_slice::<i64>()[0], 0, "{mode}");
        drop(batch);
        assert_eq!(elements.metrics().held_by_caller_bytes, 0, "{mode}");
    }
}

#[test]
fn what_the_caller_holds_is_counted_until_the_last_view_of_it_is_gone() {
    let strings =
        Tensor::from_strings(vec![6], ["a", "bb", "ccc", "d", "ee", "fff"].iter().collect::<Strings>());
    let datasets = [
        // Batches of 80 bytes.
        (Dataset::range(60).batch(10), 80),
        // Strings, and twelve bytes for the place of each.
        (Dataset::from_tensor_slices(strings).batch(3), 6 + 3 * 12),
    ];
    for (dataset, batch_bytes) in datasets {
        for (mode, options) in modes() {
            let mut elements: Elements = dataset.with_options(options.block_size(1)).iterator().unwrap();
            let mut held: Vec<Structure<Tensor>> = elements.by_ref().map(|item| item.unwrap()).collect();
            let total = held.len() as u64 * batch_bytes;
            assert_eq!(elements.metrics().held_by_caller_bytes, total, "{mode}");
            // A copy of a tensor and a part of it are views of the same memory.
            let view = held.remove(0).leaves()[0].slices().unwrap().slice(1..2);
            assert_eq!(elements.metrics().held_by_caller_bytes, total, "{mode}");
            drop(view);
            assert_eq!(elements.metrics().held_by_caller_bytes, total - batch_bytes, "{mode}");
            drop(held);
            assert_eq!(elements.metrics().held_by_caller_bytes, 0, "{mode}");
        }
    }
}

#[test]
fn a_wait_is_counted_where_it_is_waited_for() {
    // The source gives its second element when the first was received: by then somebody waits for it, or will.
    let (send, receive) = mpsc::channel::<()>();
    let receive = std::sync::Arc::new(std::sync::Mutex::new(receive));
    let spec = ElementSpec::Leaf(feedline::data::TensorSpec::scalar(feedline::data::DType::Int64));
    let source = Dataset::from_iter("gated", spec, move || {
        let receive = std::sync::Arc::clone(&receive);
        (0..3_i64).map(move |number| {
            if number > 0 {
                receive.lock().unwrap().recv().unwrap();
            }
            Ok(Structure::Leaf(Tensor::scalar(number)))
        })
    });
    let dataset = source.map(|x| x + 1).with_options(Options::new().threads(2));
    let mut elements = dataset.iterator().unwrap();
    elements.next().unwrap().unwrap();
    let before = elements.metrics();
    send.send(()).unwrap();
    send.send(()).unwrap();
    assert_eq!(elements.by_ref().count(), 2);
    let after = elements.metrics();
    assert_eq!(after.steps[0].elements, 3);
    assert!(after.elapsed_ns >= before.elapsed_ns);
    assert!(after.steps.iter().all(|step| step.waiting_ns <= after.elapsed_ns), "{after}");
    assert!(after.steps[0].waiting_ns >= before.steps[0].waiting_ns);
}
