//! Operators that choose, join and number elements: tf.data's results, in every mode, resumed everywhere.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use engine_support::{all_modes, check, floats, numbers, show};
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{Dataset, Symbolic, ops};

fn shown(values: impl IntoIterator<Item = i64>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

#[test]
fn take_and_skip() {
    let ten = || numbers(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(check(&ten().take(None)), shown(0..10));
    assert_eq!(check(&ten().take(25)), shown(0..10));
    assert_eq!(check(&ten().take(4)), shown(0..4));
    assert_eq!(check(&ten().take(0)), shown([]));
    assert_eq!(check(&ten().skip(0)), shown(0..10));
    assert_eq!(check(&ten().skip(4)), shown(4..10));
    assert_eq!(check(&ten().skip(10)), shown([]));
    assert_eq!(check(&ten().skip(25)), shown([]));
    assert_eq!(check(&ten().skip(None)), shown([]));
    assert_eq!(check(&ten().skip(2).take(5).skip(1).repeat(2)), shown([3, 4, 5, 6, 3, 4, 5, 6]));
    assert_eq!(check(&ten().shuffle(4).seed(1).skip(3).take(4)), check(&ten().shuffle(4).seed(1))[3..7]);
    assert_eq!(check(&ten().repeat(5).skip(23).take(4)), shown([3, 4, 5, 6]));
    assert_eq!(check(&ten().batch(3).skip(1)), ["[3, 4, 5]", "[6, 7, 8]", "[9]"]);
    assert_eq!(check(&ten().repeat(None).skip(1_000_000_000_007).take(2)), shown([7, 8]));
    let cardinalities = [
        (ten().take(4), 4),
        (ten().take(None), 10),
        (ten().skip(4), 6),
        (ten().skip(None), 0),
        (ten().repeat(None).take(3), 3),
        (ten().repeat(None).skip(3), -1),
    ];
    for (dataset, expected) in cardinalities {
        assert_eq!(dataset.cardinality().unwrap(), expected);
    }
}

#[test]
fn skipped_rows_are_not_computed() {
    let spec = || ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = std::sync::Arc::clone(&calls);
    let dataset = Dataset::range(1000)
        .map_native("count", spec(), move |element| {
            counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(element)
        })
        .with_options(feedline::Options::new().threads(0));
    assert_eq!(dataset.skip(990).iterator().unwrap().count(), 10);
    assert_eq!(calls.swap(0, std::sync::atomic::Ordering::Relaxed), 10);
    assert_eq!(dataset.shard(100, 7).iterator().unwrap().count(), 10);
    assert_eq!(calls.swap(0, std::sync::atomic::Ordering::Relaxed), 10);
    assert_eq!(dataset.take(5).iterator().unwrap().count(), 5);
    assert_eq!(calls.swap(0, std::sync::atomic::Ordering::Relaxed), 5);
    // Before a map that runs ahead, what belongs to others is gone.
    let sharded = dataset.map(|x| x + 1).shard(100, 7).with_options(feedline::Options::new().threads(2));
    assert_eq!(sharded.iterator().unwrap().count(), 10);
    assert_eq!(calls.swap(0, std::sync::atomic::Ordering::Relaxed), 10);
    // Restoring computes what is still to come, not what came: of a shuffle, the buffer and the rest.
    let shuffled = dataset.shuffle(100).seed(1);
    let mut elements = shuffled.iterator().unwrap();
    elements.by_ref().take(600).for_each(drop);
    let state = elements.state();
    calls.store(0, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(shuffled.resume(&state).unwrap().count(), 400);
    assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 400);
}

#[test]
fn shards() {
    assert_eq!(check(&Dataset::range(10).shard(5, 2)), shown([2, 7]));
    assert_eq!(check(&Dataset::range(10).shard(5, 0)), shown([0, 5]));
    assert_eq!(check(&Dataset::range(10).shard(5, 4)), shown([4, 9]));
    assert_eq!(check(&Dataset::range(10).shard(20, 5)), shown([5]));
    assert_eq!(check(&Dataset::range(10).shard(20, 15)), shown([]));
    assert_eq!(check(&Dataset::range(11).map(|x| x * 2).shard(3, 1)), shown([2, 8, 14, 20]));
    assert_eq!(check(&Dataset::range(11).shard(3, 1).skip(2)), shown([7, 10]));
    assert_eq!(Dataset::range(11).shard(3, 1).cardinality().unwrap(), 4);
    assert_eq!(Dataset::range(11).shard(3, 2).cardinality().unwrap(), 3);
    for (dataset, expected) in [
        (Dataset::range(10).shard(0, 1), "num_shards must be greater than zero"),
        (Dataset::range(10).shard(2, 2), "index 2 of 2 shards"),
    ] {
        assert!(dataset.iterator().unwrap_err().to_string().contains(expected));
    }
}

/// Numbers of rows beyond any stream are no reason to lose count.
#[test]
fn shards_of_any_number() {
    let five = Dataset::range(5);
    let computed = five.map(|x| x + 1);
    for num_shards in [1 << 63, u64::MAX - 1, u64::MAX] {
        assert_eq!(check(&five.shard(num_shards, 2)), shown([2]));
        assert_eq!(check(&computed.shard(num_shards, 2)), shown([3]));
        assert_eq!(check(&five.shard(num_shards, num_shards - 1)), shown([]));
        for dataset in [&five, &computed] {
            for skipped in [1, 2, 3, u64::MAX] {
                assert_eq!(check(&dataset.shard(num_shards, 2).skip(skipped)), shown([]));
                assert_eq!(check(&dataset.shard(2, 1).skip(skipped).shard(num_shards, 2)), shown([]));
            }
            assert_eq!(check(&dataset.shard(num_shards, 4).skip(1).skip(u64::MAX)), shown([]));
            assert_eq!(check(&dataset.shard(num_shards, 2).take(u64::MAX)).len(), 1);
            assert_eq!(check(&dataset.shard(num_shards, 2).repeat(2).skip(1)).len(), 1);
            assert_eq!(check(&dataset.repeat(2).shard(num_shards, 7)).len(), 1);
            assert_eq!(check(&dataset.batch(2).shard(num_shards, 2).unbatch()).len(), 1);
            assert_eq!(check(&dataset.skip(u64::MAX).shard(num_shards, 0)), shown([]));
            assert_eq!(check(&dataset.shuffle(3).seed(1).shard(num_shards, 2)).len(), 1);
            assert_eq!(check(&dataset.filter(|x| x.ge(2)).enumerate(0).shard(num_shards, 2)).len(), 1);
            assert_eq!(check(&dataset.cache().shard(num_shards, 2).repeat(2)).len(), 2);
            assert_eq!(check(&dataset.concatenate(&five).shard(num_shards, 7)).len(), 1);
            assert_eq!(check(&dataset.flat_map(Dataset::range).shard(num_shards, 7)).len(), 1);
        }
    }
}

#[test]
fn filters_pass_some() {
    let dataset = Dataset::range(20).filter(|x| (x % 3).eq(0));
    assert_eq!(check(&dataset), shown([0, 3, 6, 9, 12, 15, 18]));
    assert_eq!(check(&dataset.batch(3)), ["[0, 3, 6]", "[9, 12, 15]", "[18]"]);
    assert_eq!(check(&dataset.skip(2).take(3)), shown([6, 9, 12]));
    assert_eq!(check(&dataset.shuffle(4).seed(3).repeat(2)).len(), 14);
    assert_eq!(check(&Dataset::range(20).filter(|x| x.lt(0))), shown([]));
    assert_eq!(dataset.cardinality().unwrap(), -2);
    // Errors of the predicate are errors of the element; others pass.
    let dataset = Dataset::range(5).filter(|x| ops::floordiv(Symbolic::from(Tensor::scalar(6_i64)), x).gt(1));
    assert_eq!(check(&dataset), ["error: element 0: floordiv: division by zero", "1", "2", "3"]);
    for (dataset, expected) in [
        (Dataset::range(3).filter(|x| x), "the predicate gives int64[], not one bool"),
        (Dataset::range(4).batch(2).filter(|x| x.eq(1)), "the predicate gives bool[?], not one bool"),
    ] {
        let message = dataset.iterator().unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn enumerations() {
    let dataset = floats(&[5.0, f32::NAN, 6.0]).map(|x| ops::check_numerics(x, "bad")).enumerate(10);
    assert_eq!(
        check(&dataset),
        ["(10, 5.0)", "error: element 1: check_numerics: bad: the tensor has NaN values", "(12, 6.0)"]
    );
    assert_eq!(check(&Dataset::range(3).enumerate(0).skip(1)), ["(1, 1)", "(2, 2)"]);
}

#[test]
fn zips() {
    let pair = |a: Dataset, b: Dataset| Dataset::zip(&Structure::Tuple(vec![a.into(), b.into()]));
    let dataset = pair(Dataset::range(10), Dataset::range_step(10, 0, -1));
    assert_eq!(check(&dataset.shard(5, 2)), ["(2, 8)", "(7, 3)"]);
    assert_eq!(dataset.cardinality().unwrap(), 10);
    assert_eq!(
        check(&pair(Dataset::range(3), Dataset::range(7).batch(2))),
        ["(0, [0, 1])", "(1, [2, 3])", "(2, [4, 5])"]
    );
    assert_eq!(check(&pair(Dataset::range(3).repeat(None), Dataset::range(4))).len(), 4);
    assert_eq!(check(&pair(Dataset::range(0), Dataset::range(4))), [""; 0]);
    // An error drops its row from both sides.
    let numbers = floats(&[1.0, 2.0, 0.0, 4.0]);
    let inverse =
        numbers.map(|x| ops::check_numerics(Symbolic::from(Tensor::scalar(1.0_f32)) / x, "inverse"));
    let dataset = pair(inverse, numbers);
    assert_eq!(check(&dataset)[2], "error: element 2: check_numerics: inverse: the tensor has Inf values");
    assert_eq!(check(&dataset.ignore_errors()), ["(1.0, 1.0)", "(0.5, 2.0)", "(0.25, 4.0)"]);
    let named =
        Dataset::zip(&Structure::dict([("a", Dataset::range(2).into()), ("b", Dataset::range(2).into())]));
    assert_eq!(check(&named), ["{'a': 0, 'b': 0}", "{'a': 1, 'b': 1}"]);
}

#[test]
fn rows_of_inputs_joined_again_and_again_draw_numbers_of_their_own() {
    let range = || Dataset::range(6);
    let sampled = |inputs: &[Dataset]| {
        let count = inputs.len() as i64;
        Dataset::choose_from_datasets(inputs, &Dataset::range(36).map(|x| x % count), false)
    };
    let joined = [
        range().concatenate(&range()).concatenate(&range()).concatenate(&range()),
        range().concatenate(&range().concatenate(&range())),
        range().concatenate(&range()).concatenate(&range().concatenate(&range())),
        sampled(&[sampled(&[range(), range()]), range()]),
        sampled(&[range().concatenate(&range()), range(), range().concatenate(&range())]),
    ];
    for dataset in joined {
        let drawn = check(&dataset.map(|_| ops::random_uniform(Shape::scalar(), 1)));
        let distinct: std::collections::HashSet<&String> = drawn.iter().collect();
        assert!(drawn.len() >= 18 && distinct.len() == drawn.len(), "{} of {}", distinct.len(), drawn.len());
    }
}

#[test]
fn concatenations() {
    let dataset = Dataset::range(3).concatenate(&numbers(&[7, 8]));
    assert_eq!(check(&dataset), shown([0, 1, 2, 7, 8]));
    assert_eq!(check(&dataset.repeat(2).skip(4).take(3)), shown([8, 0, 1]));
    assert_eq!(dataset.cardinality().unwrap(), 5);
    let shapes =
        Dataset::range(4).batch(2).drop_remainder().concatenate(&Dataset::range(3).batch(3).drop_remainder());
    assert_eq!(shapes.element_spec().unwrap().to_string(), "int64[?]");
    assert_eq!(check(&shapes), ["[0, 1]", "[2, 3]", "[0, 1, 2]"]);
    let wrong = Dataset::range(3).concatenate(&floats(&[1.0])).iterator().unwrap_err().to_string();
    assert!(wrong.contains("is int64 here and float32 there"), "{wrong}");
    // Both halves draw their own random values.
    let random = || Dataset::range(2).map(|_| ops::random_uniform(Shape::scalar(), 1));
    let drawn = check(&random().concatenate(&random()));
    assert_eq!(drawn[..2], drawn[2..], "a salted id is no part of what was drawn before it");
    let drawn = check(
        &Dataset::range(2).concatenate(&Dataset::range(2)).map(|_| ops::random_uniform(Shape::scalar(), 1)),
    );
    assert_ne!(drawn[..2], drawn[2..]);
}

#[test]
fn unbatches() {
    assert_eq!(check(&Dataset::range(7).batch(3).unbatch()), shown(0..7));
    assert_eq!(check(&Dataset::range(7).batch(3).unbatch().batch(2)), ["[0, 1]", "[2, 3]", "[4, 5]", "[6]"]);
    assert_eq!(check(&Dataset::range(7).batch(3).unbatch().skip(4)), shown(4..7));
    assert_eq!(check(&Dataset::range(8).batch(4).shuffle(2).seed(1).unbatch().repeat(2)).len(), 16);
    assert_eq!(Dataset::range(8).batch(4).drop_remainder().unbatch().cardinality().unwrap(), 8);
    let uneven = |lengths: &[usize]| {
        let tensors =
            lengths.iter().map(|&length| Tensor::from_vec(vec![length], vec![0_i64; length]).into());
        Dataset::from_tensors(Structure::Tuple(tensors.collect())).unbatch().iterator()
    };
    let message = uneven(&[7, 8, 9]).unwrap_err().to_string();
    assert!(message.contains("the tensor[0] has 7 slices, the tensor[1] 8"), "{message}");
    assert!(Dataset::range(3).unbatch().iterator().unwrap_err().to_string().contains("is a scalar"));
    // Lengths that only the data knows; elements without slices vanish.
    let spec = ElementSpec::Leaf(TensorSpec::new(DType::Int64, Shape::new(vec![None])));
    let dataset = Dataset::range(5).map_native("repeat", spec, |element| {
        let value = element.leaves()[0].as_slice::<i64>()[0];
        Ok(Tensor::from_vec(vec![value as usize % 3], vec![value; value as usize % 3]).into())
    });
    assert_eq!(check(&dataset.unbatch()), shown([1, 2, 2, 4]));
}

#[test]
fn ignored_errors_leave_no_trace() {
    let dataset = floats(&[1.0, 2.0, 3.0, f32::NAN, 5.0]).map(|x| ops::check_numerics(x, "bad")).prefetch(2);
    assert_eq!(check(&dataset.ignore_errors()), ["1.0", "2.0", "3.0", "5.0"]);
    assert_eq!(
        check(&dataset.ignore_errors().batch(2).repeat(2)),
        ["[1.0, 2.0]", "[3.0, 5.0]", "[1.0, 2.0]", "[3.0, 5.0]"]
    );
    assert_eq!(check(&dataset.ignore_errors().skip(2)), ["3.0", "5.0"]);
}

#[test]
fn one_element_of_tensors() {
    let pair = Structure::Tuple(vec![
        Tensor::scalar(1_i64).into(),
        Tensor::from_vec(vec![2], vec![2.0_f32, 3.0]).into(),
    ]);
    let dataset = Dataset::from_tensors(pair);
    assert_eq!(dataset.element_spec().unwrap().to_string(), "(int64[], float32[2])");
    assert_eq!(check(&dataset.repeat(2)), ["(1, [2.0, 3.0])", "(1, [2.0, 3.0])"]);
    assert_eq!(
        check(&Dataset::from_tensors(Tensor::scalar(4_i64)).repeat(3).apply(|d| d.batch(2))),
        ["[4, 4]", "[4]"]
    );
}

#[test]
fn a_source_of_no_tensors_is_refused_by_its_name() {
    let nothing = || Structure::<Tensor>::Tuple(vec![]);
    for (dataset, expected) in [
        (Dataset::from_tensors(nothing()), "from_tensors: no tensors"),
        (Dataset::from_tensors(Structure::Tuple(vec![nothing(), nothing()])), "from_tensors: no tensors"),
        (Dataset::from_tensor_slices(nothing()), "from_tensor_slices: no tensors"),
        (Dataset::zip(&Structure::Tuple(vec![])), "zip: no datasets"),
        (Dataset::range(3).flat_map(|_| Dataset::from_tensors(nothing())), "from_tensors: no tensors"),
        (
            Dataset::range(3).map(|_| nothing()).flat_map(|x| Dataset::from_tensors(x)),
            "from_tensors: no tensors",
        ),
    ] {
        let error = dataset.check().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_batch_that_the_budget_has_no_room_for_is_an_error() {
    let large =
        |x: Symbolic| ops::cast(x, DType::Float32) + Tensor::from_vec(vec![1 << 18], vec![0_f32; 1 << 18]);
    // Rows of 1 MiB; how many pass nobody knows before.
    let rows = || Dataset::range(200).filter(|x| x.ge(0)).map(large);
    let options = || feedline::Options::new().threads(2).memory_budget(32 << 20);
    let error = rows().batch(200).with_options(options()).iterator().unwrap().find_map(Result::err).unwrap();
    assert!(error.to_string().contains("the memory budget is 33554432 bytes"), "{error}");
    let batches = rows().batch(20).with_options(options()).iterator().unwrap();
    assert_eq!(batches.map(|batch| usize::from(batch.is_ok())).sum::<usize>(), 10);
    let known = Dataset::range(200).map(large).batch(200).with_options(options());
    assert!(known.iterator().expect_err("too large").to_string().contains("batch"));
}

#[test]
fn choices_of_what_has_ended_alone_are_an_error_and_the_end() {
    let zeros = Dataset::range(i64::MAX).map(|x| ops::minimum(x, 0));
    let dataset = Dataset::choose_from_datasets(&[Dataset::range(3), Dataset::range(5)], &zeros, false);
    let items: Vec<String> = dataset.iterator().unwrap().map(|item| show(&item)).collect();
    assert_eq!(items[..3], ["0", "1", "2"]);
    assert_eq!(items.len(), 4);
    assert!(
        items[3].contains("choices are all of datasets that have ended, none of those that have not (1)"),
        "{}",
        items[3]
    );
    // Restored behind the error there is nothing, as without.
    let mut elements = dataset.iterator().unwrap();
    assert_eq!(elements.by_ref().take(4).count(), 4);
    assert_eq!(dataset.resume(&elements.state()).unwrap().count(), 0);
}

/// Errors make an epoch longer than the plan says, and a wrong expectation makes it shorter.
#[test]
fn epochs_are_skipped_as_long_as_they_are() {
    let failing = Dataset::range(6).map(|x| ops::floordiv(6, x - 2)).batch(2);
    let too_few = Dataset::range(2).assert_cardinality(5);
    for epoch in [failing.clone(), too_few, failing.shuffle(3).seed(1), failing.cache()] {
        let all = all_modes(&epoch.repeat(4));
        for skipped in (1..all.len()).step_by(5) {
            let left = check(&epoch.repeat(4).skip(skipped as u64));
            assert_eq!(left, all[skipped..], "{skipped} skipped");
        }
    }
}
