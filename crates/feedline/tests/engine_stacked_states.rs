//! States of steps that save several places of their input, many of them one behind the other: each place is saved once. Written out they
//! would double with every step, and no test would come to its end.
#![allow(clippy::unwrap_used, reason = "tests may")]

mod engine_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine_support::{check, modes, show};
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Structure, TensorSpec};
use feedline::{Dataset, State};

fn shuffled(dataset: &Dataset, times: usize) -> Dataset {
    (0..times).fold(dataset.clone(), |dataset, time| dataset.shuffle(3).seed(time as i64))
}

fn nested(dataset: &Dataset, times: usize) -> Dataset {
    (0..times).fold(dataset.clone(), |dataset, _| dataset.flat_map(|x| Dataset::from_tensors(x)))
}

#[test]
fn many_steps_that_save_several_places_have_small_states_and_go_on_from_them() {
    let range = Dataset::range(200);
    let cases = [
        ("shuffles", shuffled(&range, 30)),
        ("datasets of an element between", nested(&shuffled(&nested(&range, 2), 12), 2).batch(3)),
        ("epochs", shuffled(&range.take(20), 12).repeat(3)),
    ];
    for (name, dataset) in cases {
        let mut elements = dataset.iterator_of(0).unwrap();
        for taken in [0, 1, 1, 15, 1] {
            elements.by_ref().take(taken).for_each(|item| drop(item.unwrap()));
            let bytes = elements.state().to_bytes();
            assert!(bytes.len() < 200_000, "{name}: {} bytes", bytes.len());
            let state = State::from_bytes(&bytes).unwrap();
            // It is what it was, and what was not written down yet goes on alike.
            assert_eq!(state.to_json(), elements.state().to_json(), "{name}");
            let live = dataset.resume(&elements.state()).unwrap().map(|item| show(&item));
            let mut restored = dataset.resume(&state).unwrap();
            assert_eq!(restored.state().to_json(), state.to_json(), "{name}");
            restored.by_ref().take(2).for_each(|item| drop(item.unwrap()));
            let again = State::from_bytes(&restored.state().to_bytes()).unwrap();
            let rest: Vec<String> = dataset.resume(&again).unwrap().map(|item| show(&item)).collect();
            assert!(live.skip(2).eq(rest), "{name}");
        }
    }
}

/// The numbers below 200, and how often they were begun.
fn counted() -> (Dataset, Arc<AtomicUsize>) {
    let starts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&starts);
    let dataset =
        Dataset::from_iter("counted", ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)), move || {
            counted.fetch_add(1, Ordering::Relaxed);
            (0..200_i64).map(|number| Ok(Structure::Leaf(Tensor::scalar(number))))
        });
    (dataset, starts)
}

#[test]
fn many_datasets_of_one_element_one_inside_the_other_are_gone_on_with_at_once() {
    for levels in [1, 14, 60] {
        let (numbers, starts) = counted();
        let whole = nested(&numbers, levels);
        for (name, options) in modes() {
            let dataset = whole.with_options(options);
            let mut elements = dataset.iterator_of(0).unwrap();
            elements.by_ref().take(9).for_each(|item| drop(item.unwrap()));
            let bytes = elements.state().to_bytes();
            assert!(bytes.len() < 200_000, "{name}: {} bytes", bytes.len());
            let state = State::from_bytes(&bytes).unwrap();
            assert_eq!(state.to_json(), elements.state().to_json(), "{name}");
            drop(elements);
            let before = starts.load(Ordering::Relaxed);
            // Each step reads its element and those behind it of the step before.
            let rest: Vec<String> =
                dataset.resume(&state).unwrap().take(30).map(|item| show(&item)).collect();
            assert_eq!(rest, (9..39).map(|number| number.to_string()).collect::<Vec<_>>(), "{name}");
            assert_eq!(starts.load(Ordering::Relaxed) - before, 1, "{name}, {levels} levels");
        }
    }
}

#[test]
fn the_dataset_opened_last_shares_a_reader_with_those_to_come() {
    let (numbers, starts) = counted();
    let failing = numbers.map(|x| feedline::ops::floormod(x.clone(), (&x + 1) % 3) + x);
    let pairs = |x| Dataset::from_tensors(x).repeat(2);
    let uneven =
        numbers.interleave(|x| Dataset::from_tensors(x.clone()).repeat((x + 1) % 2 * 2 + 1)).cycle_length(2);
    let behind_error = failing.interleave(pairs).cycle_length(3);
    // The readers are those of the open datasets, and one for the elements to come where the last of these has ended or was an error.
    let cases = [
        ("one is open", numbers.interleave(pairs).cycle_length(3), 1, 1),
        ("three are open", numbers.interleave(pairs).cycle_length(3), 3, 3),
        ("one is open, the last has ended", uneven, 4, 2),
        ("two are open, the last was an error", behind_error.clone(), 3, 3),
        ("three are open, of which an error was between two", behind_error, 4, 3),
    ];
    for (name, dataset, taken, expected) in cases {
        let whole: Vec<String> = dataset.iterator().unwrap().map(|item| show(&item)).collect();
        for (mode, options) in modes() {
            let dataset = dataset.with_options(options);
            let mut elements = dataset.iterator().unwrap();
            elements.by_ref().take(taken).for_each(drop);
            let state = elements.state();
            drop(elements);
            let before = starts.load(Ordering::Relaxed);
            let rest: Vec<String> = dataset.resume(&state).unwrap().map(|item| show(&item)).collect();
            assert_eq!(rest, whole[taken..], "{name}, {mode}");
            let found = starts.load(Ordering::Relaxed) - before;
            assert_eq!(found, expected, "{name}, {mode}: {}", state.to_json());
            // States from before it was saved which one was opened last.
            let mut text = state.to_json();
            (0..3).for_each(|place| text = text.replace(&format!("\"newest\":{place},"), ""));
            let rest = dataset.resume(&serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!(rest.map(|item| show(&item)).collect::<Vec<_>>(), whole[taken..], "{name}, {mode}");
        }
    }
}

#[test]
fn a_few_of_them_are_the_same_every_way() {
    let range = Dataset::range(24);
    check(&nested(&shuffled(&range, 4), 4));
    check(&shuffled(&range.interleave(|x| Dataset::range(x % 3 + 1)).cycle_length(3), 5).batch(4));
}
