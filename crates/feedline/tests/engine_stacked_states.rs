//! States of steps that save several places of their input, many of them one behind the other: each place is saved once. Written out they
//! would double with every step, and no test would come to its end.
#![allow(clippy::unwrap_used, reason = "tests may")]

mod engine_support;

use engine_support::{check, show};
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

#[test]
fn many_datasets_of_one_element_one_inside_the_other_have_small_states() {
    // To go on from one, each of the steps reads its element and those behind it: as often as there are ways through so many.
    let dataset = nested(&Dataset::range(200), 60);
    let mut elements = dataset.iterator_of(0).unwrap();
    elements.by_ref().take(9).for_each(|item| drop(item.unwrap()));
    let bytes = elements.state().to_bytes();
    assert!(bytes.len() < 200_000, "{} bytes", bytes.len());
    assert_eq!(State::from_bytes(&bytes).unwrap().to_json(), elements.state().to_json());
}

#[test]
fn a_few_of_them_are_the_same_every_way() {
    let range = Dataset::range(24);
    check(&nested(&shuffled(&range, 4), 4));
    check(&shuffled(&range.interleave(|x| Dataset::range(x % 3 + 1)).cycle_length(3), 5).batch(4));
}
