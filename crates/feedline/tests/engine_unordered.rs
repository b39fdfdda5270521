//! Maps whose results come as they are ready.
#![allow(clippy::unwrap_used, reason = "tests")]

mod engine_support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use engine_support::modes;
use feedline::data::block::Tensor;
use feedline::data::{DType, Structure, TensorSpec};
use feedline::{AUTOTUNE, Dataset, Functions, Options, State};

fn scalar() -> Structure<TensorSpec> {
    Structure::Leaf(TensorSpec::scalar(DType::Int64))
}

fn number(element: &Structure<Tensor>) -> i64 {
    element.leaves()[0].as_slice::<i64>()[0]
}

type Item = <feedline::Elements as Iterator>::Item;

/// The number, or that of an element that is an error.
fn seen(item: Item) -> Result<i64, String> {
    item.map(|element| number(&element)).map_err(|error| error.to_string())
}

/// Squares, the odd ones later than the even ones; 13 fails.
fn uneven(input: &Dataset) -> Dataset {
    input.map_native("uneven", scalar(), |element| {
        let value = number(&element);
        if value == 13 {
            return Err("13 is unlucky".into());
        }
        if value % 2 == 1 {
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(Structure::Leaf(Tensor::scalar(value * value)))
    })
}

#[test]
fn every_element_comes_exactly_once_whenever_it_is_interrupted() {
    let plain = uneven(&Dataset::range(60).filter(|x| (x % 7).ne(0)));
    let mut expected: Vec<_> = plain.iterator().unwrap().map(seen).collect();
    expected.sort();
    let dataset = plain.deterministic(false);
    for (name, options) in modes() {
        let dataset = dataset.with_options(options);
        for passed in [0, 1, 2, 10, 25, expected.len() - 1, expected.len()] {
            let mut first = dataset.iterator().unwrap();
            let mut all: Vec<_> = first.by_ref().take(passed).map(seen).collect();
            let state = State::from_bytes(&first.state().to_bytes()).unwrap();
            // And once more on the way.
            let mut second = dataset.resume(&state).unwrap();
            all.extend(second.by_ref().take(5).map(seen));
            let state = State::from_bytes(&second.state().to_bytes()).unwrap();
            all.extend(dataset.resume(&state).unwrap().map(seen));
            all.sort();
            assert_eq!(all, expected, "{name}, saved after {passed}");
        }
    }
}

#[test]
fn states_go_from_one_mode_to_another() {
    let dataset = uneven(&Dataset::range(40)).deterministic(false);
    let mut expected: Vec<_> = dataset.iterator().unwrap().map(seen).collect();
    expected.sort();
    let modes: Vec<_> = modes().into_iter().collect();
    for ((name, options), (other_name, other)) in modes.iter().zip(modes.iter().rev()) {
        let mut first = dataset.with_options(options.clone()).iterator().unwrap();
        let mut all: Vec<_> = first.by_ref().take(17).map(seen).collect();
        let state = first.state();
        all.extend(dataset.with_options(other.clone()).resume(&state).unwrap().map(seen));
        all.sort();
        assert_eq!(all, expected, "{name}, then {other_name}");
    }
}

#[test]
fn options_that_give_up_order_are_a_part_of_what_a_dataset_is() {
    let plain = Dataset::range(40).map(|x| x.clone() * x);
    let given_up = Options::new().deterministic(false);
    let of_options = plain.with_options(given_up.clone());
    let of_step = plain.deterministic(false);
    assert_eq!(of_options.fingerprint().unwrap(), of_step.fingerprint().unwrap());
    assert_eq!(of_options.to_text().unwrap(), of_step.to_text().unwrap());
    // The step's own word wins, also where it was written and read in between.
    let kept = plain.deterministic(true);
    let read = Dataset::from_text(&kept.to_text().unwrap(), &Functions::new()).unwrap();
    for kept in [&kept, &read] {
        let fingerprint = kept.with_options(given_up.clone()).fingerprint().unwrap();
        assert_eq!(fingerprint, plain.fingerprint().unwrap());
    }
    // A state goes on with what is the same, and with nothing else.
    let mut first = of_options.iterator().unwrap();
    let mut all: Vec<_> = first.by_ref().take(17).map(seen).collect();
    let state = first.state();
    all.extend(of_step.resume(&state).unwrap().map(seen));
    all.sort();
    assert_eq!(all, (0..40).map(|x| Ok(x * x)).collect::<Vec<_>>());
    let error = plain.resume(&state).expect_err("another plan").to_string();
    assert!(error.contains("deterministic(false)"), "{error}");
    let explained = of_options.explain().unwrap().to_string();
    assert!(explained.contains("deterministic(false)"), "{explained}");
}

#[test]
fn what_is_ready_does_not_wait_for_what_is_not() {
    // The first element takes until all others have come out.
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let opened = Arc::clone(&gate);
    let dataset = Dataset::range(50)
        .map_native("gate", scalar(), move |element| {
            if number(&element) == 0 {
                let (is_open, changed) = &*opened;
                let mut is_open = is_open.lock().unwrap();
                while !*is_open {
                    is_open = changed.wait(is_open).unwrap();
                }
            }
            Ok(element)
        })
        .num_parallel_calls(4)
        .deterministic(false)
        .with_options(Options::new().threads(4));
    let mut elements = dataset.iterator().unwrap();
    let mut first: Vec<i64> = elements.by_ref().take(49).map(|item| number(&item.unwrap())).collect();
    first.sort_unstable();
    assert_eq!(first, (1..50).collect::<Vec<_>>());
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    assert_eq!(elements.map(|item| number(&item.unwrap())).collect::<Vec<_>>(), [0]);
}

#[test]
fn a_restored_map_computes_nothing_that_has_come_out() {
    let unordered = |map: feedline::Dataset| map.deterministic(false);
    let shuffled = |map: feedline::Dataset| map.shuffle(150).seed(1);
    let behind: [&dyn Fn(feedline::Dataset) -> feedline::Dataset; 2] = [&unordered, &shuffled];
    for behind in behind {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let dataset = behind(Dataset::range(1000).map_native("count", scalar(), move |element| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(element)
        }));
        let mut first = dataset.iterator_of(0).unwrap();
        let mut all: Vec<i64> = first.by_ref().take(400).map(|item| number(&item.unwrap())).collect();
        let state = first.state();
        drop(first);
        // What was under way when it was dropped may still end.
        let mut before = calls.load(Ordering::Relaxed);
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let now = calls.load(Ordering::Relaxed);
            if now == before {
                break;
            }
            before = now;
        }
        all.extend(dataset.resume(&state).unwrap().map(|item| number(&item.unwrap())));
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        assert_eq!(calls.load(Ordering::Relaxed) - before, 600);
    }
}

#[test]
fn batches_and_other_steps_go_behind_it() {
    let dataset =
        uneven(&Dataset::range(13)).deterministic(false).num_parallel_calls(2).batch(4).prefetch(AUTOTUNE);
    for (name, options) in modes() {
        let batches: Vec<Vec<i64>> = dataset
            .with_options(options)
            .iterator()
            .unwrap()
            .map(|batch| batch.unwrap().leaves()[0].as_slice::<i64>().to_vec())
            .collect();
        assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4, 1], "{name}");
        let mut all = batches.concat();
        all.sort_unstable();
        assert_eq!(all, (0..13).map(|x| x * x).collect::<Vec<_>>(), "{name}");
    }
    let explained = dataset.explain().unwrap().to_string();
    assert!(explained.contains("deterministic(false)"), "{explained}");
}

#[test]
fn it_can_be_taken_back_and_comes_right_after_a_map() {
    let map = Dataset::range(3).map(|x| x + 1);
    let again = map.deterministic(false).deterministic(true);
    assert_eq!(again.fingerprint().unwrap(), map.fingerprint().unwrap());
    let running = |dataset: &Dataset| dataset.explain().unwrap().running().step_names();
    assert_eq!(running(&again), running(&map));
    let error = Dataset::range(3).deterministic(false).check().unwrap_err().to_string();
    assert!(error.contains("deterministic: comes right after map or interleave, not after range"), "{error}");
    let text = map.deterministic(false).to_text().unwrap();
    let read = Dataset::from_text(&text, &feedline::Functions::default()).unwrap();
    assert_eq!(read.to_text().unwrap(), text);
}

#[test]
fn steps_that_read_elements_again_get_them_in_order() {
    let unordered = uneven(&Dataset::range(40).filter(|x| x.ne(13))).deterministic(false);
    let pairs = unordered.batch(2).map(|x| x).deterministic(false);
    let datasets = [
        unordered.shuffle(10).seed(1),
        unordered.shuffle(10).seed(1).repeat(1),
        unordered.flat_map(|x| Dataset::range(2).map(move |y| y + &x * 2)),
        unordered.cache(),
        pairs.unbatch(),
        Dataset::range(8)
            .interleave(|x| uneven(&Dataset::range(3).map(move |y| y + &x * 3)))
            .deterministic(false)
            .shuffle(5),
    ];
    for (index, dataset) in datasets.iter().enumerate() {
        let dataset = dataset.with_options(Options::new().threads(4).block_size(1));
        let mut expected: Vec<i64> = dataset.iterator_of(0).unwrap().flatten().map(|x| number(&x)).collect();
        expected.sort_unstable();
        for passed in [1, 7, expected.len() / 2] {
            let mut first = dataset.iterator_of(0).unwrap();
            let mut all: Vec<_> = first.by_ref().take(passed).flatten().map(|x| number(&x)).collect();
            let state = State::from_bytes(&first.state().to_bytes()).unwrap();
            all.extend(dataset.resume(&state).unwrap().flatten().map(|x| number(&x)));
            all.sort_unstable();
            assert_eq!(all, expected, "dataset {index}, saved after {passed}");
        }
    }
}

#[test]
fn the_map_counts_what_came_out_of_it() {
    let dataset = uneven(&Dataset::range(30)).deterministic(false);
    for (name, options) in modes() {
        let mut elements = dataset.with_options(options).iterator().unwrap();
        assert_eq!(elements.by_ref().count(), 30);
        let snapshot = elements.metrics();
        let counts = |step: &feedline::StepSnapshot| (step.elements, step.errors, step.bytes);
        let map = snapshot.steps.iter().find(|step| step.name.starts_with("map(")).unwrap();
        assert_eq!(counts(map), (29, 1, 29 * 8), "{name}: {snapshot}");
        let behind = snapshot.steps.iter().find(|step| step.name.contains("deterministic")).unwrap();
        assert_eq!(counts(behind), counts(map), "{name}: {snapshot}");
        assert!(
            map.queue.is_some_and(|queue| queue.unit == "tasks") || name.contains(" 0 threads"),
            "{snapshot}"
        );
    }
}

/// One that waits now and then.
fn waiting(input: &Dataset) -> Dataset {
    input.map_native("waiting", scalar(), |element| {
        if number(&element) % 5 == 0 {
            std::thread::sleep(Duration::from_micros(300));
        }
        Ok(element)
    })
}

#[test]
fn unordered_steps_behind_each_other_lose_nothing() {
    let nested = Dataset::range(10)
        .interleave(|x| Dataset::range(10).map(move |y| y + x * 10))
        .cycle_length(4)
        .deterministic(false);
    let maps = waiting(&Dataset::range(100)).deterministic(false);
    let datasets = [
        maps.map(|x| x + 0).deterministic(false),
        waiting(&maps).deterministic(false),
        waiting(&nested).deterministic(false),
    ];
    for dataset in datasets {
        let dataset = dataset.with_options(Options::new().threads(4));
        for passed in [0, 5, 20] {
            let mut first = dataset.iterator().unwrap();
            let mut all: Vec<_> = first.by_ref().take(passed).map(seen).collect();
            let mut second = dataset.resume(&first.state()).unwrap();
            all.extend(second.by_ref().take(7).map(seen));
            all.extend(dataset.resume(&second.state()).unwrap().map(seen));
            all.sort();
            assert_eq!(all, (0..100).map(Ok).collect::<Vec<_>>(), "saved after {passed}");
        }
    }
}
