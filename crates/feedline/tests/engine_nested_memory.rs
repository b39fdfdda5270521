//! Datasets inside datasets that need memory: what runs ahead never takes it from what is needed.
#![allow(clippy::unwrap_used, reason = "tests")]

mod engine_support;

use engine_support::show;
use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Shape, Structure, TensorSpec};
use feedline::{Dataset, Options, Symbolic, ops};

/// What comes, without workers; the same must come with workers.
fn with_any_threads(dataset: &Dataset, budget_bytes: u64) -> Vec<String> {
    let items = |threads| -> Vec<String> {
        let options = Options::new().threads(threads).memory_budget(budget_bytes);
        dataset.with_options(options).iterator_of(0).unwrap().map(|item| show(&item)).collect()
    };
    let reference = items(0);
    for threads in [1, 2, 4] {
        assert!(items(threads) == reference, "{threads} threads, {budget_bytes} bytes");
    }
    reference
}

fn num_errors(items: &[String]) -> usize {
    items.iter().filter(|item| item.starts_with("error")).count()
}

#[test]
fn streams_opened_ahead_leave_the_memory_that_others_need() {
    // A buffer takes 100,000 bytes: two fit each of these budgets, and in some of them a few more.
    let shuffled = |x| Dataset::range(x + 20).shuffle(5000).seed(1);
    let two = Dataset::range(60).interleave(shuffled).cycle_length(2);
    let one = Dataset::range(60).flat_map(shuffled);
    // Of sixteen places one is taken at a time: each stream ends within its first turn.
    let in_turn = Dataset::range(60).interleave(shuffled).cycle_length(16).block_length(1000);
    for budget_bytes in [300_000, 500_000, 1 << 20, 16 << 20] {
        for dataset in [&two, &one, &in_turn] {
            let items = with_any_threads(dataset, budget_bytes);
            assert_eq!((items.len(), num_errors(&items)), (60 * 20 + 59 * 30, 0));
        }
    }
}

#[test]
fn what_is_queued_leaves_the_memory_that_others_need() {
    // A buffer is nearly all that may be reserved, and when the first is needed the queue has filled all of it.
    let shuffled = |x| Dataset::range(x + 2000).shuffle(14_000).seed(1);
    let dataset = Dataset::range(60_000).concatenate(&Dataset::range(4).flat_map(shuffled));
    let dataset = dataset.batch(100).prefetch(10_000);
    let items = with_any_threads(&dataset, 330_000);
    assert_eq!(num_errors(&items), 0);
}

#[test]
fn buffers_that_do_not_fit_together_are_refused_with_what_is_left() {
    let shuffled = |_| Dataset::range(5000).shuffle(5000).seed(1);
    let dataset = Dataset::range(3).interleave(shuffled).cycle_length(3);
    let items = with_any_threads(&dataset, 250_000);
    assert_eq!((items.len(), num_errors(&items)), (10_001, 1));
    let options = Options::new().threads(2).memory_budget(250_000);
    let error = dataset.with_options(options).iterator().unwrap().find_map(Result::err).unwrap().to_string();
    assert!(
        error.contains(
            "a buffer of 5000 elements needs 100000 bytes, of the memory budget of 250000 bytes other shuffles and caches hold 200000"
        ),
        "{error}"
    );
    assert!(error.contains("hint: about 937 elements fit into the 18750 that are left"), "{error}");
}

/// Elements of 800 bytes.
fn wide(x: Symbolic) -> Symbolic {
    ops::one_hot(x % 100, 100, 1, 0, -1, DType::Int64)
}

/// A prefetch in the middle of a nested plan gives a block and looks for the next, while the steps behind it still need their turn for the first.
#[test]
fn steps_behind_a_nested_prefetch_go_on_whatever_the_budget() {
    let number = || ElementSpec::Leaf(TensorSpec::scalar(DType::Int64));
    let same = |element: Structure<_>| Ok(element);
    let all: [(&str, Dataset); 4] = [
        (
            "flat_map behind it",
            Dataset::range(6)
                .flat_map(|_| Dataset::range(5).prefetch(1).flat_map(|_| Dataset::range(5).map(wide))),
        ),
        (
            "code of the user's behind it",
            Dataset::range(20).interleave(move |_| {
                Dataset::range(20).prefetch(2).map_native("same", number(), same).map(wide).map(|x| x + 1)
            }),
        ),
        (
            "batches behind it",
            Dataset::range(20)
                .interleave(|_| Dataset::range(20).map(wide).prefetch(2).batch(2).unbatch().map(|x| x + 1)),
        ),
        (
            "an input of several",
            Dataset::choose_from_datasets(
                &[
                    Dataset::range(100).map(wide).prefetch(2).map(|x| x + 1),
                    Dataset::range(100).map(wide).prefetch(2).map(|x| x + 2),
                ],
                &Dataset::range(200).map(|x| x % 2),
                false,
            ),
        ),
    ];
    for (name, dataset) in all {
        for budget_bytes in [8_000, 64_000, 256_000] {
            for _ in 0..10 {
                let items = with_any_threads(&dataset, budget_bytes);
                assert_eq!(num_errors(&items), 0, "{name}, {budget_bytes} bytes");
            }
        }
    }
}

/// The most memory this process had at a time, in MiB.
#[cfg(target_os = "linux")]
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.split_whitespace().next().unwrap().parse::<u64>().unwrap() >> 10
}

#[test]
#[cfg(target_os = "linux")]
fn many_datasets_of_one_element_one_inside_the_other_hold_little() {
    // What 60 steps remember of each of 8192 rows, which is as many as a block has, took 280 MB.
    let one = (0..60).fold(Dataset::range(9000), |dataset, _| dataset.flat_map(|x| Dataset::from_tensors(x)));
    let before = peak_mib();
    for dataset in [one.clone(), one.batch(8192)] {
        let elements = dataset.with_options(Options::new().threads(0)).iterator().unwrap();
        assert!(elements.map(Result::unwrap).count() >= 2);
    }
    let taken = peak_mib() - before;
    assert!(taken < 120, "{taken} MiB");
}

/// What is computed on the way is a hundred times as large as what comes of it, which alone is asked for.
#[test]
fn a_map_that_was_refused_on_the_way_waits_until_it_is_needed() {
    let tiled = |x: &Symbolic, count: i64| {
        let row = ops::reshape(x, Shape::fixed(&[1]));
        ops::reduce_min(ops::tile(row, Tensor::from_vec(vec![1], vec![count])), None::<i64>, false)
    };
    let nested = |is_ordered| {
        let seven = |x| Dataset::from_tensors(x).repeat(7).map(|x| tiled(&x, 500)).deterministic(is_ordered);
        Dataset::range(140).flat_map(seven).prefetch(3)
    };
    let with_next = |dataset: &Dataset| {
        let next = dataset.prefetch(2).skip(1);
        let pairs = Dataset::zip(&Structure::Tuple(vec![dataset.clone().into(), next.into()]));
        pairs.map(|pair| pair.at(0) + pair.at(1))
    };
    let zipped = |count| {
        let numbers = Dataset::range(400).map(|x| tiled(&x, count));
        with_next(&with_next(&with_next(&numbers)))
    };
    for (dataset, budget_bytes, num_items) in
        [(nested(true), 64 << 10, 980), (zipped(400), 1 << 20, 397), (zipped(100), 256 << 10, 397)]
    {
        let items = with_any_threads(&dataset, budget_bytes);
        assert_eq!((items.len(), num_errors(&items)), (num_items, 0));
    }
    let unordered = nested(false).with_options(Options::new().threads(2).memory_budget(64 << 10));
    assert_eq!(unordered.iterator().unwrap().flatten().count(), 980);
}

/// In a cycle that is much longer than there are streams, empty places take no memory.
#[test]
#[cfg(target_os = "linux")]
fn turns_of_nobody_take_no_memory() {
    let few = Dataset::range(10).interleave(|_| Dataset::range(100)).cycle_length(30_000);
    let empty = Dataset::range(100_000).flat_map(|_| Dataset::range(0));
    for (dataset, num_items) in [(few, 1000), (empty, 0)] {
        for threads in [0, 2] {
            let dataset = dataset.with_options(Options::new().threads(threads).memory_budget(16 << 20));
            assert_eq!(dataset.iterator().unwrap().flatten().count(), num_items);
            assert!(peak_mib() < 100, "{} MiB", peak_mib());
        }
    }
}

/// What many streams keep at a time, beside what runs ahead in others.
#[test]
fn caches_that_fill_side_by_side_keep_to_the_budget() {
    const BUDGET_BYTES: u64 = 8 << 20;
    // Each row is an eighth of the budget, and none is another stream's.
    let row = |x: Symbolic| ops::fill(Tensor::from_vec(vec![1], vec![(BUDGET_BYTES / 64) as i64]), x);
    let kept =
        Dataset::range(40).interleave(|x| Dataset::range(3).map(|y| row(y + &x)).cache()).cycle_length(8);
    for threads in [0, 2] {
        for _ in 0..5 {
            let options = Options::new().threads(threads).memory_budget(BUDGET_BYTES);
            let mut elements = kept.with_options(options).iterator().unwrap();
            assert_eq!(elements.by_ref().flatten().count(), 120);
            let peak = elements.budget().peak_bytes();
            assert!(peak <= BUDGET_BYTES, "{threads} threads: {peak} bytes");
        }
    }
}
