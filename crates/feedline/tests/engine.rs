//! The engine from outside: what pipelines give, in every mode, and resumed at every element.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod engine_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use engine_support::{all_modes, check, floats, modes, numbers, show};
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{AUTOTUNE, Dataset, EVERYTHING, Options, State, Symbolic, ops};

#[test]
fn ranges_as_tf_data_counts() {
    let cases = [
        (Dataset::range_step(2, 8, 1), vec![2, 3, 4, 5, 6, 7]),
        (Dataset::range_step(10, 2, 1), vec![]),
        (Dataset::range_step(10, 2, -1), vec![10, 9, 8, 7, 6, 5, 4, 3]),
        (Dataset::range_step(2, 10, -1), vec![]),
        (Dataset::range_step(i64::MAX - 2, i64::MAX, 5), vec![i64::MAX - 2]),
        (Dataset::range(0), vec![]),
    ];
    for (dataset, expected) in cases {
        assert_eq!(check(&dataset), expected.iter().map(i64::to_string).collect::<Vec<_>>());
    }
}

#[test]
fn shuffles_give_tf_datas_order() {
    // From the semantics' README, confirmed on TensorFlow 2.21.
    let dataset = Dataset::range(10).repeat(3).shuffle(3).seed(42).batch(7);
    assert_eq!(
        check(&dataset),
        [
            "[0, 3, 4, 2, 1, 5, 8]",
            "[6, 9, 7, 2, 3, 1, 4]",
            "[6, 0, 7, 9, 0, 1, 2]",
            "[8, 4, 5, 5, 3, 8, 9]",
            "[7, 6]"
        ]
    );
    let fixed = Dataset::range(10).shuffle(10).seed(0).reshuffle_each_iteration(false);
    let expected = ["1", "2", "8", "4", "9", "6", "3", "0", "5", "7"];
    assert_eq!(check(&fixed), expected);
    assert_eq!(check(&fixed.repeat(2)), [expected, expected].concat());
}

#[test]
fn each_epoch_has_its_order_and_each_iterator_counts_on() {
    let epoch = |iteration: u64| -> Vec<String> {
        let dataset = Dataset::range(20).shuffle(20).seed(3);
        dataset.iterator_of(iteration).unwrap().map(|item| show(&item)).collect()
    };
    let dataset = Dataset::range(20).shuffle(20).seed(3).repeat(2);
    assert_eq!(check(&dataset), [epoch(0), epoch(1)].concat());
    let second: Vec<String> = dataset.iterator_of(1).unwrap().map(|item| show(&item)).collect();
    assert_eq!(second, [epoch(2), epoch(3)].concat());
    assert_ne!(epoch(0), epoch(1));
    let counted = Dataset::range(20).shuffle(20).seed(3);
    let first: Vec<String> = counted.iterator().unwrap().map(|item| show(&item)).collect();
    let again: Vec<String> = counted.iterator().unwrap().map(|item| show(&item)).collect();
    assert_eq!((first, again), (epoch(0), epoch(1)));
}

#[test]
fn epochs_and_iterators_give_tf_datas_orders() {
    // `[list(ds) for _ in range(4)]` and `list(ds.repeat(2))` twice, in TensorFlow 2.21.
    let orders = [
        [4, 7, 2, 6, 8, 0, 3, 1, 5, 9],
        [8, 6, 4, 1, 7, 9, 3, 0, 5, 2],
        [8, 4, 9, 2, 5, 6, 7, 3, 1, 0],
        [0, 6, 4, 8, 1, 3, 7, 5, 9, 2],
    ];
    let values = |elements: feedline::Elements| -> Vec<i64> {
        elements.map(|item| item.unwrap().leaves()[0].as_slice::<i64>()[0]).collect()
    };
    let dataset = Dataset::range(10).shuffle(10).seed(3);
    let twice = dataset.repeat(2);
    for order in orders {
        assert_eq!(values(dataset.iterator().unwrap()), order);
    }
    assert_eq!(values(twice.iterator().unwrap()), [orders[0], orders[1]].concat());
    assert_eq!(values(twice.iterator().unwrap()), [orders[2], orders[3]].concat());
}

#[test]
fn shuffles_larger_and_smaller_than_their_input() {
    for buffer_size in [1, 2, 7, 50, 51, 1000] {
        let dataset = Dataset::range(50).shuffle(buffer_size).seed(7);
        let mut items: Vec<i64> = check(&dataset).iter().map(|item| item.parse().unwrap()).collect();
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>(), "buffer of {buffer_size}");
    }
    assert_eq!(all_modes(&Dataset::range(5).shuffle(1).seed(9)), ["0", "1", "2", "3", "4"]);
}

#[test]
fn shuffles_of_shuffles_resume() {
    let dataset = Dataset::range(12).shuffle(5).seed(1).repeat(3).shuffle(7).seed(2);
    assert_eq!(check(&dataset).len(), 36);
}

#[test]
fn shuffles_skip_over_rows_that_differ_in_shape() {
    let dataset = Dataset::range(7).batch(2).shuffle(4).seed(0).shuffle(2).seed(0);
    assert_eq!(check(&dataset).len(), 4);
}

#[test]
fn batches_are_full_but_the_last() {
    let squares = numbers(&[0, 1, 2, 3, 4, 5, 6]).map(|x| x.clone() * x).repeat(4).batch(14);
    assert_eq!(check(&squares), vec!["[0, 1, 4, 9, 16, 25, 36, 0, 1, 4, 9, 16, 25, 36]"; 2]);
    assert_eq!(check(&Dataset::range(5).batch(2)), ["[0, 1]", "[2, 3]", "[4]"]);
    assert_eq!(check(&Dataset::range(5).batch(2).drop_remainder()), ["[0, 1]", "[2, 3]"]);
    assert_eq!(check(&Dataset::range(5).repeat(0).batch(2)), [""; 0]);
    assert_eq!(check(&Dataset::range(7).batch(2).batch(3)), ["[3, 2][0, 1, 2, 3, 4, 5]", "[1, 1][6]"]);
}

#[test]
fn repeats_end_where_there_is_nothing() {
    assert_eq!(check(&Dataset::range(0).repeat(None)), [""; 0]);
    assert_eq!(check(&Dataset::range(3).repeat(0)), [""; 0]);
    assert_eq!(check(&Dataset::range(2).repeat(2).repeat(2)).len(), 8);
    assert_eq!(check(&Dataset::range(3).repeat(None)).len(), engine_support::ENOUGH);
    assert_eq!(Dataset::range(3).repeat(None).cardinality().unwrap(), -1);
}

#[test]
fn no_order_comes_twice() {
    for count in [Some(3), None] {
        let dataset = Dataset::range(20).shuffle(20).seed(1).repeat(count);
        let mut orders = std::collections::HashSet::new();
        for iteration in 0..3 {
            let shown: Vec<String> =
                dataset.iterator_of(iteration).unwrap().take(60).map(|item| show(&item)).collect();
            orders.extend(shown.chunks(20).map(|epoch| epoch.join(" ")));
        }
        assert_eq!(orders.len(), 9, "{count:?}");
    }
}

#[test]
fn prefetches_change_nothing() {
    for buffer in [Some(0), Some(1), Some(3), AUTOTUNE] {
        let dataset =
            Dataset::range(30).prefetch(buffer).map(|x| x + 1).prefetch(buffer).batch(4).prefetch(buffer);
        assert_eq!(check(&dataset).len(), 8);
    }
}

#[test]
fn structures_pass_through_everything() {
    let tensors = Structure::dict([
        ("pixels", Structure::Leaf(Tensor::from_vec(vec![6, 2], (0..12).collect::<Vec<u8>>()))),
        (
            "name",
            Structure::Leaf(Tensor::from_strings(vec![6], ["a", "b", "", "dd", "e", "f"].iter().collect())),
        ),
    ]);
    let dataset = Dataset::from_tensor_slices(tensors)
        .map(|x| {
            Symbolic::dict([
                ("scaled", ops::cast(x.get("pixels"), DType::Float32) / 2.0),
                ("is_b", x.get("name").eq("b")),
                ("name", x.get("name")),
            ])
        })
        .shuffle(4)
        .seed(5)
        .repeat(2)
        .batch(4)
        .prefetch(AUTOTUNE);
    assert_eq!(
        dataset.element_spec().unwrap().to_string(),
        "{'is_b': bool[?], 'name': string[?], 'scaled': float32[?, 2]}"
    );
    let items = check(&dataset);
    assert_eq!(items.len(), 3);
    assert!(items[0].starts_with("{'is_b': ["), "{}", items[0]);
}

#[test]
fn errors_come_at_their_place_and_the_stream_goes_on() {
    let dataset = floats(&[1.0, f32::NAN, 2.0, f32::NAN, 3.0]).map(|x| ops::check_numerics(x, "bad"));
    let [bad, other] =
        &[1, 3].map(|n| format!("error: element {n}: check_numerics: bad: the tensor has NaN values"));
    assert_eq!(check(&dataset), ["1.0", bad, "2.0", other, "3.0"]);
    // What a batch has collected stays.
    assert_eq!(check(&dataset.batch(2)), [bad, "[1.0, 2.0]", other, "[3.0]"]);
    assert_eq!(
        check(&dataset.repeat(2).batch(5)),
        [bad, other, bad, "[1.0, 2.0, 3.0, 1.0, 2.0]", other, "[3.0]"]
    );
    // An error behind the last element of a batch is not met again.
    let ends_badly = floats(&[1.0, 2.0, 3.0, f32::NAN]).map(|x| ops::check_numerics(x, "bad"));
    assert_eq!(check(&ends_badly.batch(2)), ["[1.0, 2.0]", other, "[3.0]"]);
    // A shuffle hands errors on when it meets them.
    let shuffled = check(&dataset.shuffle(2).seed(1));
    assert_eq!(shuffled.iter().filter(|item| [bad, other].contains(item)).count(), 2);
    assert_eq!(shuffled.len(), 5);
    let divided = Dataset::range(4).map(|x| ops::floordiv(Symbolic::from(Tensor::scalar(12_i64)), x));
    assert_eq!(check(&divided), ["error: element 0: floordiv: division by zero", "12", "6", "4"]);
}

#[test]
fn random_values_belong_to_elements_not_to_places() {
    let random =
        |dataset: Dataset| dataset.map(|x| Symbolic::from((x, ops::random_uniform(Shape::scalar(), 1))));
    let mut before: Vec<String> = check(&random(Dataset::range(20)).shuffle(20).seed(4));
    let mut after: Vec<String> = check(&random(Dataset::range(20).shuffle(20).seed(4)));
    assert_eq!(before, after);
    before.sort();
    after.sort();
    assert_eq!(before, after);
    // Another epoch draws others, and two operations of one plan draw apart.
    let epochs = check(&random(Dataset::range(3)).repeat(2));
    assert_ne!(epochs[..3], epochs[3..]);
    let twice = check(&Dataset::range(3).map(|_| {
        Symbolic::from((ops::random_uniform(Shape::scalar(), 1), ops::random_uniform(Shape::scalar(), 1)))
    }));
    for pair in twice {
        let (one, two) = pair.trim_matches(['(', ')']).split_once(", ").unwrap();
        assert_ne!(one, two);
    }
    // What is drawn once is the same wherever it is used.
    let shared = check(&Dataset::range(3).map(|_| {
        let drawn = ops::random_uniform(Shape::scalar(), 1);
        Symbolic::from((&drawn, &drawn))
    }));
    for pair in shared {
        let (one, two) = pair.trim_matches(['(', ')']).split_once(", ").unwrap();
        assert_eq!(one, two);
    }
}

#[test]
fn native_functions_run_in_order_and_their_errors_are_elements() {
    let spec = || ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let dataset = Dataset::range(30).map_native("halve", spec(), |element| {
        let value = element.leaves()[0].as_slice::<i64>()[0];
        if value % 10 == 7 {
            return Err("seven".into());
        }
        assert!(value != 13, "thirteen");
        Ok(Tensor::scalar(value / 2).into())
    });
    let items = check(&dataset);
    assert_eq!(items.len(), 30);
    assert_eq!(items[7], "error: element 7: halve: seven");
    assert_eq!(items[13], "error: element 13: halve panicked: thirteen");
    assert_eq!(items[29], "14");
}

#[test]
fn elements_that_do_not_stack_are_named() {
    let spec = ElementSpec::Leaf(TensorSpec::new(DType::Int64, Shape::new(vec![None])));
    let dataset = Dataset::range(7)
        .map_native("lengthen", spec, |element| {
            let value = element.leaves()[0].as_slice::<i64>()[0];
            let length = if value == 3 { 2 } else { 1 };
            Ok(Tensor::from_vec(vec![length], vec![value; length]).into())
        })
        .batch(2);
    let items = check(&dataset);
    assert_eq!(items[0], "[2, 1][0, 1]");
    assert!(
        items[1].contains("shape is [1] in the element with id 2 and [2] in the one with id 3"),
        "{}",
        items[1]
    );
    assert_eq!(items[2..], ["[2, 1][4, 5]", "[1, 1][6]"]);
    let dataset = dataset.shuffle(3).seed(1);
    assert_eq!(check(&dataset).len(), 4);
}

#[test]
fn mistakes_are_told_with_their_line_before_anything_runs() {
    let cases: [(Dataset, &str); 8] = [
        (Dataset::range_step(2, 10, 0), "range: step must not be 0"),
        (Dataset::range(10).shuffle(0), "buffer_size must be greater than zero"),
        (Dataset::range(10).batch(0), "batch_size must be greater than zero"),
        (Dataset::range(10).map(|x| x + 0.5), "the number 0.5 beside a tensor of int64"),
        (Dataset::range(10).map(|x| x.get("a")), "'a' of x0, which is no dict"),
        (Dataset::range(10).seed(1), "seed: comes right after shuffle or random, not after range"),
        (Dataset::range(10).map(|x| x).num_parallel_calls(0), "num_parallel_calls must be greater than zero"),
        (Dataset::from_tensor_slices(Tensor::scalar(1_i64)), "is a scalar, which has no slices"),
    ];
    for (dataset, expected) in cases {
        // A later step does not hide it.
        let message = dataset.batch(3).iterator().unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("tests/engine.rs:"), "{message}");
    }
}

#[test]
fn a_state_of_another_plan_is_refused_by_its_first_difference() {
    let dataset = Dataset::range(10).shuffle(5).seed(1).batch(2);
    let mut elements = dataset.iterator().unwrap();
    elements.next();
    let state = elements.state();
    let other = Dataset::range(10).shuffle(6).seed(1).batch(2);
    let message = other.resume(&state).unwrap_err().to_string();
    assert!(message.contains("step 2 was `shuffle(5, seeds=(87654321, 1))`"), "{message}");
    assert!(message.contains("is `shuffle(6, "), "{message}");
    let longer = dataset.repeat(2);
    assert!(longer.resume(&state).unwrap_err().to_string().contains("step 4 was nothing"), "{message}");
}

#[test]
fn states_of_unseeded_shuffles_carry_their_seeds() {
    let dataset = || Dataset::range(40).shuffle(10).repeat(2).batch(3);
    let mut elements = dataset().iterator().unwrap();
    elements.nth(4);
    let state = State::from_bytes(&elements.state().to_bytes()).unwrap();
    let rest: Vec<String> = elements.map(|item| show(&item)).collect();
    // Another dataset of the same steps, as another process would build it: its own seeds are others.
    let resumed: Vec<String> = dataset().resume(&state).unwrap().map(|item| show(&item)).collect();
    assert_eq!(resumed, rest);
}

#[test]
fn states_are_small() {
    let dataset = Dataset::range(1_000_000).shuffle(10_000).seed(1).repeat(None).batch(32).prefetch(AUTOTUNE);
    let mut elements = dataset.iterator().unwrap();
    for _ in 0..20_000 {
        elements.next().unwrap().unwrap();
    }
    let state = elements.state().to_bytes();
    assert!(state.len() < 500, "{} bytes", state.len());
    let next = show(&elements.next().unwrap());
    assert_eq!(show(&dataset.resume(&State::from_bytes(&state).unwrap()).unwrap().next().unwrap()), next);
}

#[test]
fn a_shuffle_that_cannot_fit_says_so_before_it_starts() {
    let dataset = Dataset::range(1_000_000).shuffle(100_000).seed(1);
    let message =
        dataset.with_options(Options::new().memory_budget(1 << 20)).iterator().unwrap_err().to_string();
    assert!(
        message.contains("a buffer of 100000 elements needs 2000000 bytes, the memory budget has 1048576"),
        "{message}"
    );
    assert!(message.contains("hint: about 45875 elements fit"), "{message}");
    // Its epochs are, too, fused with it or not.
    for is_optimized in [false, true] {
        let options = Options::new().memory_budget(1 << 20).optimizer(is_optimized);
        let repeated = dataset.repeat(2).with_options(options).iterator().unwrap_err().to_string();
        assert!(repeated.contains("a buffer of 100000 elements needs"), "{repeated}");
    }
    // What the data fills is what counts, not the size given.
    assert!(
        Dataset::range(10)
            .shuffle(usize::MAX)
            .with_options(Options::new().memory_budget(1 << 20))
            .iterator()
            .is_ok()
    );
    // Nor is it refused before it starts where nobody knows how much everything is.
    let few = Dataset::range(1_000_000).filter(|x| (x % 50_000).eq(0)).shuffle(EVERYTHING);
    assert_eq!(few.with_options(Options::new().memory_budget(1 << 20)).iterator().unwrap().count(), 20);
    let many = Dataset::range(1_000_000).filter(|x| x.ge(0)).shuffle(EVERYTHING);
    let mut items = many.with_options(Options::new().memory_budget(1 << 20)).iterator().unwrap();
    let message = items.next().unwrap().unwrap_err().to_string();
    assert!(message.contains("a buffer of everything needs more bytes than there are"), "{message}");
    // Strings are counted as they come.
    let long = "x".repeat(1000);
    let strings = Tensor::from_strings(vec![5000], vec![long; 5000].iter().collect());
    // (Straight from memory only row numbers would be held.)
    let dataset = Dataset::from_tensor_slices(strings).filter(|x| x.ne("")).shuffle(4000).seed(1);
    for (mode, options) in modes() {
        let items: Vec<String> = dataset
            .with_options(options.memory_budget(1 << 20))
            .iterator()
            .unwrap()
            .map(|item| show(&item))
            .collect();
        assert_eq!(items.len(), 1, "{mode}");
        assert!(items[0].contains("a buffer of 4000 elements needs"), "{mode}: {}", items[0]);
    }
}

#[test]
fn the_budget_is_kept() {
    let budget = 1 << 20;
    let dataset = Dataset::range(200_000)
        .map(|x| ops::cast(x, DType::Float64) * 0.5)
        .prefetch(AUTOTUNE)
        .shuffle(20_000)
        .seed(1)
        .batch(100)
        .prefetch(AUTOTUNE)
        .with_options(Options::new().threads(4).memory_budget(budget));
    let mut elements = dataset.iterator().unwrap();
    for item in elements.by_ref() {
        item.unwrap();
    }
    // One block for each step may be held without asking.
    let peak = elements.budget().peak_bytes();
    assert!(peak <= budget + 4 * (64 << 10), "peak {peak}");
    assert!(peak > 20_000 * 8, "the shuffle is counted: {peak}");
    assert_eq!(elements.budget().used_bytes(), 0);
}

#[test]
fn metrics_count_what_passed() {
    let dataset = Dataset::range(1000).map(|x| x + 1).batch(10);
    for (mode, options) in modes() {
        let dataset = dataset.with_options(options.without_rule("fuse_map_and_batch").unwrap());
        let mut elements = dataset.iterator().unwrap();
        assert_eq!(elements.by_ref().count(), 100);
        let counted: Vec<(String, u64, u64)> = elements
            .metrics()
            .steps
            .iter()
            .map(|step| (step.name.clone(), step.elements, step.bytes))
            .collect();
        let expected = [("range(0, 1000, 1)", 1000), ("map(add(x0, 1))", 1000), ("batch(10)", 100)];
        let expected = expected.map(|(name, elements)| (name.to_owned(), elements, 8000));
        assert_eq!(counted[..3], expected, "{mode}");
        // The steps are those that run.
        let running = dataset.explain().unwrap().running().lines();
        let names: Vec<String> = counted.into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, running, "{mode}");
    }
}

#[test]
fn dropping_an_iterator_ends_what_runs_for_it() {
    let dataset = Dataset::range(i64::MAX).map(|x| x + 1).prefetch(AUTOTUNE).batch(7).prefetch(AUTOTUNE);
    let pool_threads = || std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    for round in 0..300 {
        let threads = round % 3 + 1;
        let mut elements = dataset.with_options(Options::new().threads(threads)).iterator().unwrap();
        for _ in 0..round % 5 {
            elements.next().unwrap().unwrap();
        }
    }
    // Threads end on their own time: wait for it, the limit of the test is the limit.
    while pool_threads() > 20 {
        std::thread::yield_now();
    }
}

#[test]
fn a_wait_can_be_interrupted_and_goes_on() {
    use std::sync::mpsc;
    let (gate, opened) = mpsc::channel::<()>();
    let opened = std::sync::Mutex::new(opened);
    let output = Dataset::range(1).element_spec().unwrap().clone();
    let dataset = Dataset::range(1).map_native("slow", output, move |element| {
        opened.lock().unwrap().recv()?;
        Ok(element)
    });
    let mut elements = dataset.iterator().unwrap();
    assert!(!elements.is_ready());
    let mut asked = 0;
    let interrupted = elements.next_unless(|| {
        asked += 1;
        asked == 3
    });
    assert_eq!((interrupted.unwrap_err(), asked), (feedline::Interrupted, 3));
    gate.send(()).unwrap();
    assert!(elements.next_unless(|| false).unwrap().unwrap().is_ok());
    assert!(elements.next_unless(|| false).unwrap().is_none());
}

#[test]
fn calls_of_native_code_are_as_many_as_were_asked_for_also_inside_datasets() {
    for calls in [1, 2] {
        let running = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let counted = Arc::clone(&running);
        let output = Dataset::range(1).element_spec().unwrap().clone();
        let inner = Dataset::range(2).map_native("counted", output, move |element| {
            let (now, most) = &*counted;
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // A moment in which others could begin.
            (0..20).for_each(|_| thread::yield_now());
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(element)
        });
        let inner = inner.num_parallel_calls(calls);
        let dataset = Dataset::range(200).interleave(move |_| inner.clone()).cycle_length(8);
        assert_eq!(dataset.with_options(Options::new().threads(4)).iterator().unwrap().count(), 400);
        assert!(running.1.load(Ordering::SeqCst) <= calls, "{calls} calls");
    }
}

#[test]
fn without_workers_an_element_that_never_comes_can_be_given_up() {
    let never = Dataset::range(i64::MAX).filter(|x| x.lt(0));
    for dataset in [
        never.clone(),
        never.shuffle(10),
        never.batch(3),
        Dataset::range(3).interleave(move |_| never.clone()),
    ] {
        let mut elements =
            dataset.with_options(Options::new().threads(0).optimizer(false)).iterator().unwrap();
        let mut times_asked = 0;
        let interrupted = elements.next_unless(|| {
            times_asked += 1;
            times_asked == 5
        });
        assert!(interrupted.is_err() && times_asked == 5);
    }
}

/// What TensorFlow 2.21 says of each.
#[test]
fn cardinalities_are_those_of_tf_data() {
    let range = Dataset::range;
    let filter = |count: i64| Dataset::range(count).filter(|x| x.ge(0));
    let endless = range(3).repeat(None);
    let cases = [
        ("filter.repeat", filter(3).repeat(None), -1),
        ("filter.repeat(0)", filter(3).repeat(0), 0),
        ("filter.repeat(2)", filter(3).repeat(2), -2),
        ("range(0).filter.repeat", filter(0).repeat(None), -1),
        ("range(0).repeat", range(0).repeat(None), 0),
        ("filter.take(0)", filter(3).take(0), -2),
        ("filter.skip(-1)", filter(3).skip(None), -2),
        ("range.skip(-1)", range(3).skip(None), 0),
        ("endless.skip(-1)", endless.skip(None), -1),
        ("endless.take(0)", endless.take(0), 0),
        ("endless.take(-1)", endless.take(None), -1),
        ("range(0).filter", filter(0), -2),
        ("range(0).ignore_errors", range(0).ignore_errors(), -2),
        ("endless.ignore_errors", endless.ignore_errors(), -2),
        ("endless.filter", endless.filter(|x| x.ge(0)), -2),
        (
            "zip(range(0), filter)",
            Dataset::zip(&Structure::Tuple(vec![range(0).into(), filter(3).into()])),
            -2,
        ),
        (
            "zip(endless, range)",
            Dataset::zip(&Structure::Tuple(vec![endless.clone().into(), range(2).into()])),
            2,
        ),
        ("endless.concatenate(filter)", endless.concatenate(&filter(3)), -1),
        ("filter.concatenate(endless)", filter(3).concatenate(&endless), -1),
        ("endless.repeat(0)", endless.repeat(0), 0),
        ("endless.shard", endless.shard(2, 0), -1),
        ("endless.flat_map", endless.flat_map(|_| Dataset::range(2)), -2),
    ];
    for (name, dataset, expected) in cases {
        assert_eq!(dataset.cardinality().unwrap(), expected, "{name}");
    }
}
