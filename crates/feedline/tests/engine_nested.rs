//! Datasets inside datasets: tf.data's results, in every mode, resumed everywhere.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine_support::{all_modes, check, floats, modes, numbers, show};
use feedline::data::block::{Strings, Tensor};
use feedline::data::{DType, Shape};
use feedline::records::RecordWriter;
use feedline::{Dataset, Options, State, Symbolic, ops};
use proptest::prelude::*;

fn shown(values: impl IntoIterator<Item = i64>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

#[test]
fn flat_map_gives_one_dataset_after_the_other() {
    let counted = numbers(&[1, 2, 3, 0, 1]).flat_map(|x| {
        let element = ops::expand_dims(x.clone(), 0);
        Dataset::from_tensors(element).repeat(x)
    });
    assert_eq!(check(&counted), ["[1]", "[2]", "[2]", "[3]", "[3]", "[3]", "[1]"]);
    let triangle = Dataset::range(4).flat_map(|x| Dataset::range_step(x.clone(), 4, 1).map(|y| y * 10 + x));
    assert_eq!(check(&triangle), shown([0, 10, 20, 30, 11, 21, 31, 22, 32, 33]));
    let slices = Dataset::range(12).batch(5).flat_map(Dataset::from_tensor_slices);
    assert_eq!(check(&slices), shown(0..12));
    let cut = Dataset::range(3).flat_map(|x| Dataset::range(5).skip(x.clone()).take(x + 1));
    assert_eq!(check(&cut), shown([0, 1, 2, 2, 3, 4]));
    assert_eq!(check(&Dataset::range(3).flat_map(|_| Dataset::range(0))), shown([]));
    assert_eq!(check(&Dataset::range(0).flat_map(Dataset::range)), shown([]));
    assert_eq!(counted.cardinality().unwrap(), -2);
}

#[test]
fn nested_shuffles_and_repeats_begin_anew_with_each_element() {
    // TensorFlow 2.21: range(3).flat_map(lambda x: range(5).shuffle(5, seed=3).repeat(2)).
    let dataset = Dataset::range(3).flat_map(|_| Dataset::range(5).shuffle(5).seed(3).repeat(2));
    let one = [4, 3, 2, 1, 0, 3, 4, 1, 2, 0];
    assert_eq!(check(&dataset), shown([one, one, one].concat()));
}

#[test]
fn functions_inside_functions_reach_all_elements_around() {
    let dataset = Dataset::range(3).flat_map(|x| {
        Dataset::range(2).flat_map(|y| {
            let both = x.clone() * 10 + y.clone();
            Dataset::range(2).filter(|z| z.ge(y.clone())).map(|z| (both + z) * 10 + x)
        })
    });
    let mut expected = Vec::new();
    for x in 0..3 {
        for y in 0..2 {
            expected.extend((y..2).map(|z| (x * 10 + y + z) * 10 + x));
        }
    }
    assert_eq!(check(&dataset), shown(expected));
}

#[test]
fn random_values_differ_between_nested_datasets() {
    let drawn = |x: Symbolic| ops::cast(ops::random_uniform(Shape::scalar(), 1) * 1e6, DType::Int64) + x - 0;
    let dataset = Dataset::range(5).flat_map(|_| Dataset::range(4).map(drawn));
    let mut items = check(&dataset);
    items.sort();
    items.dedup();
    assert_eq!(items.len(), 20);
}

/// tf.data's rule, word for word.
fn interleaved(lists: &[Vec<i64>], cycle_length: usize, block_length: u64) -> Vec<i64> {
    let mut to_come: VecDeque<VecDeque<i64>> = lists.iter().cloned().map(VecDeque::from).collect();
    let mut open: Vec<Option<VecDeque<i64>>> = vec![None; cycle_length];
    let mut out = Vec::new();
    while !to_come.is_empty() || open.iter().any(Option::is_some) {
        for place in &mut open {
            if place.is_none() {
                *place = to_come.pop_front();
            }
            for _ in 0..block_length {
                let Some(list) = place else { break };
                match list.pop_front() {
                    Some(value) => out.push(value),
                    None => *place = None,
                }
            }
        }
    }
    out
}

#[test]
fn interleave_takes_turns_as_tf_data_does() {
    let repeated = |values: &[i64], cycle_length, block_length| {
        numbers(values)
            .repeat(2)
            .interleave(|x| Dataset::from_tensors(x.clone()).repeat(x))
            .cycle_length(cycle_length)
            .block_length(block_length)
    };
    // tensorflow/python/data/kernel_tests/interleave_test.py.
    assert_eq!(
        check(&repeated(&[4, 5, 6], 2, 1)),
        shown([4, 5, 4, 5, 4, 5, 4, 5, 5, 6, 6, 4, 6, 4, 6, 4, 6, 4, 6, 5, 6, 5, 6, 5, 6, 5, 6, 5, 6, 6])
    );
    assert_eq!(
        check(&repeated(&[4, 0, 6], 2, 3)),
        shown([4, 4, 4, 4, 6, 6, 6, 4, 4, 4, 6, 6, 6, 4, 6, 6, 6, 6, 6, 6])
    );
    for (cycle_length, block_length) in [(1, 1), (1, 3), (2, 2), (7, 1), (7, 2), (7, 10)] {
        let lists: Vec<Vec<i64>> = [4, 5, 6, 4, 5, 6].iter().map(|&n| vec![n; n as usize]).collect();
        assert_eq!(
            check(&repeated(&[4, 5, 6], cycle_length, block_length)),
            shown(interleaved(&lists, cycle_length, block_length))
        );
    }
    assert_eq!(Dataset::range(5).interleave(Dataset::range).cardinality().unwrap(), -2);
    assert_eq!(Dataset::range(5).repeat(None).interleave(Dataset::range).cardinality().unwrap(), -1);
}

#[test]
fn errors_stay_in_their_places() {
    let checked = || floats(&[1.0, f32::NAN, 2.0, f32::NAN, 3.0]).map(|x| ops::check_numerics(x, "nan"));
    let kinds = |items: Vec<String>| -> Vec<String> {
        items.into_iter().map(|item| item.split(':').next().unwrap().to_owned()).collect()
    };
    for (cycle_length, block_length) in [(1, 1), (2, 2), (7, 3)] {
        let dataset =
            checked().interleave(Dataset::from_tensors).cycle_length(cycle_length).block_length(block_length);
        assert_eq!(kinds(check(&dataset)), ["1.0", "error", "2.0", "error", "3.0"]);
    }
    // TensorFlow 2.21, one at a time: an error does not count to the turn.
    let inside = floats(&[1.0, f32::NAN, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
        .batch(4)
        .interleave(|x| Dataset::from_tensor_slices(x).map(|x| ops::check_numerics(x, "nan")))
        .cycle_length(2)
        .block_length(2);
    assert_eq!(kinds(check(&inside)), ["1.0", "error", "2.0", "4.0", "5.0", "3.0", "6.0", "7.0"]);
    // A dataset that cannot be made is the error of its element.
    let steps = numbers(&[1, 0, 2]).flat_map(|step| Dataset::range_step(0, 3, step));
    assert_eq!(check(&steps), ["0", "1", "2", "error: range: step must not be 0", "0", "2"],);
}

#[test]
fn out_of_order_every_element_still_comes_once() {
    let dataset = Dataset::range(7)
        .interleave(|x| Dataset::range(9).map(|y| x * 10 + y))
        .cycle_length(3)
        .deterministic(false);
    let mut expected: Vec<i64> = (0..7).flat_map(|x| (0..9).map(move |y| x * 10 + y)).collect();
    expected.sort_unstable();
    let value = |item: <feedline::Elements as Iterator>::Item| item.unwrap().leaves()[0].as_slice::<i64>()[0];
    for (name, options) in modes() {
        let dataset = dataset.with_options(options);
        for passed in [0, 1, 10, 40, 63] {
            let mut first = dataset.iterator().unwrap();
            let mut seen: Vec<i64> = first.by_ref().take(passed).map(value).collect();
            let state = State::from_bytes(&first.state().to_bytes()).unwrap();
            seen.extend(dataset.resume(&state).unwrap().map(value));
            seen.sort_unstable();
            assert_eq!(seen, expected, "{name}, saved after {passed}");
        }
    }
}

#[test]
fn mistakes_are_told_with_their_line() {
    let told = |dataset: Dataset| dataset.check().expect_err("wrong").to_string();
    let error =
        told(Dataset::range(3).flat_map(|x| Dataset::range(2).map(|y| y + ops::cast(x, DType::Int32))));
    assert!(error.contains("flat_map") && error.contains("engine_nested.rs"), "{error}");
    let error = told(Dataset::range(3).interleave(Dataset::from_tensor_slices));
    assert!(error.contains("is a scalar, which has no slices"), "{error}");
    let error = told(Dataset::range(3).interleave(Dataset::tf_record_file));
    assert!(error.contains("a file's path must be a string"), "{error}");
    let error = told(Dataset::range(3).interleave(Dataset::range).cycle_length(0));
    assert!(error.contains("cycle_length must be greater than zero"), "{error}");
    let error = told(Dataset::range(3).cycle_length(2));
    assert!(error.contains("cycle_length: comes right after interleave, not after range"), "{error}");
    let mut carried_out = None;
    let _ = Dataset::range(3).flat_map(|x| {
        carried_out = Some(x);
        Dataset::range(2)
    });
    let error = Dataset::range(carried_out.unwrap()).iterator().expect_err("no element").to_string();
    assert!(error.contains("outside of the function"), "{error}");
}

fn files(folder: &std::path::Path) -> Vec<String> {
    (0..5)
        .map(|file| {
            let path = folder.join(format!("{file}.tfrecord"));
            let mut writer = RecordWriter::create(&path, None).unwrap();
            for record in 0..file * 3 {
                writer.write(format!("{file}/{record}").as_bytes()).unwrap();
            }
            writer.finish().unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn files_are_listed_and_read_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let pattern = [folder.path().join("*.tfrecord")];
    let sorted = Dataset::list_files_sorted(&pattern).unwrap();
    let listed: Vec<String> = check(&sorted).iter().map(|item| item.trim_matches('"').to_owned()).collect();
    assert_eq!(listed, paths);
    let shuffled = Dataset::list_files(&pattern).unwrap().seed(5);
    // tf.data's: all files through a shuffle as large as their number.
    let strings: Strings = paths.iter().map(String::as_bytes).collect();
    let by_hand = Dataset::from_tensor_slices(Tensor::from_strings(vec![5], strings)).shuffle(5).seed(5);
    assert_eq!(check(&shuffled), check(&by_hand));
    let read = check(&sorted.interleave(Dataset::tf_record_file).cycle_length(3).block_length(2));
    let lists: Vec<Vec<i64>> = (0..5).map(|file| (0..file * 3).map(|r| file * 100 + r).collect()).collect();
    let rule: Vec<String> =
        interleaved(&lists, 3, 2).into_iter().map(|n| format!("\"{}/{}\"", n / 100, n % 100)).collect();
    assert_eq!(read, rule);
    let in_turn = Dataset::tf_record(&pattern).unwrap().num_parallel_reads(3);
    let by_hand = sorted.interleave(Dataset::tf_record_file).cycle_length(3);
    assert_eq!(check(&in_turn), check(&by_hand));
    let misplaced = Dataset::range(3).num_parallel_reads(3).check().expect_err("no files").to_string();
    assert!(misplaced.contains("right after tf_record, text_line"), "{misplaced}");
    assert!(Dataset::list_files(&[folder.path().join("*.nothing")]).is_err());
    // A file that is not there is an error in its place.
    let missing = numbers(&[1]).flat_map(|_| Dataset::tf_record_file("no/such/file"));
    let items = all_modes(&missing);
    assert!(items.len() == 1 && items[0].contains("no/such/file"), "{items:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_lengths_and_turns_follow_the_rule(
        lengths in prop::collection::vec(0..9_i64, 0..9),
        cycle_length in 1..6_usize,
        block_length in 1..5_u64,
        calls in prop::option::of(1..4_usize),
    ) {
        let mut next = 0;
        let lists: Vec<Vec<i64>> = lengths.iter().map(|&length| {
            next += 100;
            (next..next + length).collect()
        }).collect();
        let starts: Vec<i64> = (1..).take(lengths.len()).map(|list| list * 100).collect();
        let dataset = Dataset::zip(&feedline::data::Structure::Tuple(vec![
            numbers(&starts).into(),
            numbers(&lengths).into(),
        ]))
        .interleave(|pair| Dataset::range_step(pair.at(0), pair.at(0) + pair.at(1), 1))
        .cycle_length(cycle_length)
        .block_length(block_length)
        .num_parallel_calls(calls);
        prop_assert_eq!(check(&dataset), shown(interleaved(&lists, cycle_length, block_length)));
    }
}

#[test]
fn many_streams_in_much_the_same_state_take_a_few_kilobytes() {
    let dataset = Dataset::range(500)
        .interleave(|x| Dataset::range(1000).shuffle(100).seed(1).map(|y| x * 1000 + y))
        .cycle_length(500);
    let mut elements = dataset.iterator().unwrap();
    elements.by_ref().take(70_000).for_each(drop);
    let state = elements.state().to_bytes();
    assert!(state.len() < 8 << 10, "{} bytes", state.len());
    let rest = dataset.resume(&State::from_bytes(&state).unwrap()).unwrap();
    assert!(rest.take(1000).map(|item| show(&item)).eq(elements.take(1000).map(|item| show(&item))));
}

#[test]
fn a_saved_state_stays_small_and_goes_on_after_a_skip() {
    let dataset = Dataset::range(1000).interleave(|x| Dataset::range(50).map(|y| x * 100 + y));
    let mut elements = dataset.with_options(Options::new().threads(2)).iterator().unwrap();
    let all: Vec<String> = dataset.iterator().unwrap().take(400).map(|item| show(&item)).collect();
    elements.by_ref().take(300).for_each(drop);
    assert!(elements.state().to_bytes().len() < 4 << 10, "{}", elements.state().to_bytes().len());
    let skipped: Vec<String> =
        dataset.skip(300).iterator().unwrap().take(100).map(|item| show(&item)).collect();
    assert_eq!(skipped, all[300..]);
}

#[test]
fn skipping_computes_nothing_of_streams_whose_length_is_certain() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let dataset = Dataset::range(10).flat_map(|x| {
        let counted = Arc::clone(&counted);
        let row = Dataset::range(10).map(move |y| x * 10 + y);
        row.map_native("count", row.element_spec().unwrap().clone(), move |element| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(element)
        })
    });
    let last: Vec<String> = dataset
        .skip(93)
        .with_options(Options::new().threads(0))
        .iterator()
        .unwrap()
        .map(|item| show(&item))
        .collect();
    assert_eq!(last, ["93", "94", "95", "96", "97", "98", "99"]);
    assert_eq!(calls.load(Ordering::Relaxed), 7);
    // More rows than anybody could look at.
    let long = Dataset::range(3)
        .interleave(|x| Dataset::range(1_i64 << 50).map(move |y| y * 3 + &x))
        .block_length(1 << 30);
    let turn = 1_i64 << 30;
    let far: Vec<String> =
        long.skip(1_u64 << 40).iterator().unwrap().take(3).map(|item| show(&item)).collect();
    // 1024 turns of the three, the last of them the first's.
    assert_eq!(far, [0, 1, 2].map(|row| (3 * (341 * turn + row) + 1).to_string()));
}

#[test]
fn skipping_in_streams_is_the_same_as_looking() {
    let rows = |x: Symbolic| Dataset::range(5).map(move |y| &x * 10 + y);
    let failing = |x: Symbolic| rows(x).map(|x| ops::floormod(x.clone(), x % 4));
    let outer = Dataset::range(9).map(|x| ops::floormod(x.clone(), x.clone() % 5) + x);
    let datasets = [
        outer.flat_map(rows),
        outer.flat_map(failing),
        outer.interleave(rows).cycle_length(3).block_length(2),
        outer.interleave(failing).cycle_length(2).block_length(2),
        outer.interleave(rows).cycle_length(3).deterministic(false),
    ];
    for (index, dataset) in datasets.iter().enumerate().take(4) {
        let all = all_modes(dataset);
        for count in [1, 11, 100] {
            assert_eq!(check(&dataset.skip(count)), all[all.len().min(count as usize)..], "{index} {count}");
        }
    }
    let count = |dataset: &Dataset| dataset.iterator().unwrap().count();
    assert_eq!(count(&datasets[4].skip(7)), count(&datasets[4]) - 7);
}

#[test]
fn restored_datasets_compute_their_own_element_again_and_none_behind_it() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let counted =
        Dataset::range(60).map_native("counted", Dataset::range(1).element_spec().unwrap().clone(), |x| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            Ok(x)
        });
    let three = |x| Dataset::from_tensors(x).repeat(3);
    for dataset in [counted.flat_map(three), counted.interleave(three).cycle_length(2)] {
        let dataset = dataset.with_options(Options::new().threads(2));
        let mut elements = dataset.iterator().unwrap();
        assert_eq!(elements.by_ref().take(90).flatten().count(), 90);
        let state = elements.state();
        drop(elements);
        let before = CALLS.load(Ordering::Relaxed);
        assert_eq!(dataset.resume(&state).unwrap().flatten().count(), 90);
        // Thirty are left, and those of datasets that were open. (Calls for the first iterator may end a little later.)
        let calls = CALLS.load(Ordering::Relaxed) - before;
        assert!(calls <= 30 + 8, "{calls} calls");
    }
}
