//! Code of the user's is not called for elements that nobody asks for: behind a `take`, whatever is between.
#![allow(clippy::unwrap_used, reason = "tests may fail by panicking")]

mod engine_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use feedline::data::block::Tensor;
use feedline::data::{DType, ElementSpec, Structure, TensorSpec};
use feedline::{Dataset, Options, Symbolic, ops};

/// How often code was called.
#[derive(Clone, Default)]
struct Calls(Arc<AtomicUsize>);

impl Calls {
    fn take(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }

    /// The elements of `dataset`, each called for.
    fn of(&self, dataset: &Dataset) -> Dataset {
        let calls = Arc::clone(&self.0);
        dataset.map_native("count", number(), move |element| {
            calls.fetch_add(1, Ordering::Relaxed);
            Ok(element)
        })
    }

    /// 0 to 2999, each called for.
    fn numbers(&self) -> Dataset {
        self.of(&Dataset::range(3000))
    }

    /// The same, of code that is called for one after the other.
    fn given(&self) -> Dataset {
        let calls = Arc::clone(&self.0);
        Dataset::from_iter("numbers", number(), move || {
            let calls = Arc::clone(&calls);
            (0..3000_i64).map(move |number| {
                calls.fetch_add(1, Ordering::Relaxed);
                Ok(Structure::Leaf(Tensor::scalar(number)))
            })
        })
    }
}

fn number() -> ElementSpec {
    ElementSpec::Leaf(TensorSpec::scalar(DType::Int64))
}

/// In every mode each dataset calls as often as is said, and once more after a state that was saved in its middle no more than that.
fn check(calls: &Calls, chains: &[(&str, Dataset, usize)]) {
    let mut wrong = Vec::new();
    for (mode, options) in engine_support::modes() {
        for (name, dataset, expected) in chains {
            let dataset = dataset.with_options(options.clone());
            calls.take();
            let count = dataset.iterator().unwrap().map(Result::unwrap).count();
            let called = calls.take();
            if called != *expected {
                wrong.push(format!("{name}, {mode}: {called} calls, not {expected}"));
            }
            let called =
                (0..3).map(|_| calls_after_a_state(calls, &dataset, count)).find(|called| called <= expected);
            if called.is_none() {
                wrong.push(format!("{name}, {mode}: more than {expected} calls after a state"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How often is called from a state in its middle on. (A call that was under way when the iterator before was dropped may count, too.)
fn calls_after_a_state(calls: &Calls, dataset: &Dataset, count: usize) -> usize {
    let mut elements = dataset.iterator().unwrap();
    elements.by_ref().take(count / 2).for_each(drop);
    let state = elements.state();
    drop(elements);
    std::thread::sleep(std::time::Duration::from_millis(1));
    calls.take();
    assert_eq!(dataset.resume(&state).unwrap().count(), count - count / 2);
    calls.take()
}

#[test]
fn steps_that_count_say_what_they_need() {
    let calls = Calls::default();
    let counted = || calls.numbers();
    let both = Structure::Tuple(vec![counted().into(), counted().into()]);
    check(
        &calls,
        &[
            ("take", counted().take(5), 5),
            ("skip", counted().skip(3).take(5), 5),
            ("prefetch", counted().take(700).prefetch(4), 700),
            ("enumerate", counted().prefetch(4).enumerate(7).take(5), 5),
            ("batch", counted().batch(4).take(3), 12),
            ("batch and skip", counted().map(|x| x + 1).batch(4).skip(2).take(3), 20),
            ("repeated take", counted().take(3).repeat(4).take(11), 11),
            ("repeat and skip", counted().repeat(None).skip(2998).take(4), 4),
            ("epochs skipped", counted().take(10).repeat(5).take(28).skip(25), 3),
            ("concatenate", counted().concatenate(&counted()).take(3001), 3001),
            ("zip", Dataset::zip(&both).take(6), 12),
            ("window", counted().window_by(4, 2, 1).flat_map(Dataset::of_window).take(8), 6),
            ("shuffle", counted().shuffle(10).take(3), 12),
            ("shuffle of a generator", calls.given().shuffle(10).take(3), 12),
            ("shuffle and repeat, first epoch", counted().take(20).shuffle(10).repeat(2).take(5), 14),
            ("shuffle and repeat, whole epoch", counted().take(20).shuffle(10).repeat(2).take(20), 20),
            ("shuffle and repeat, second epoch", counted().take(20).shuffle(10).repeat(2).take(23), 32),
            ("cache", counted().cache().take(3), 3),
            ("cache behind a skip", counted().cache().skip(2).take(3), 5),
            (
                "choices",
                {
                    let choices = Dataset::range(100).map(|x| x % 2);
                    Dataset::choose_from_datasets(&[counted(), counted()], &choices, true).take(5)
                },
                5,
            ),
        ],
    );
}

#[test]
fn steps_that_drop_elements_ask_for_no_more_than_are_missing() {
    let calls = Calls::default();
    let counted = || calls.numbers();
    let failing = |dataset: &Dataset| dataset.map(|x| ops::floordiv(6_i64, x % 3));
    check(
        &calls,
        &[
            ("filter", counted().filter(|x| (x % 20).eq(19)).take(3), 60),
            ("filter of a generator", calls.given().filter(|x| (x % 20).eq(19)).take(3), 60),
            ("filter and skip", counted().filter(|x| (x % 2).eq(0)).skip(3).take(2), 9),
            (
                "filter behind others",
                counted().map(|x| x + 1).enumerate(0).filter(|x| (x.at(1) % 20).eq(0)).take(3),
                60,
            ),
            ("filter behind a prefetch", counted().prefetch(4).filter(|x| (x % 20).eq(19)).take(3), 60),
            ("filter before a prefetch", counted().filter(|x| (x % 20).eq(19)).prefetch(4).take(3), 60),
            ("filter before a batch", counted().filter(|x| (x % 10).eq(9)).batch(2).take(3), 60),
            ("filter before a shuffle", counted().filter(|x| (x % 10).eq(9)).shuffle(4).take(3), 60),
            (
                "two filters",
                counted().filter(|x| (x.clone() % 2).eq(1)).filter(|x| (x % 3).eq(0)).take(2),
                10,
            ),
            ("take_while", counted().take_while(|x| x.lt(1000)).take(4), 4),
            ("unique", counted().map(|x| ops::floordiv(x, 5)).unique().take(3), 11),
            ("ignore_errors", failing(&counted()).ignore_errors().take(4), 6),
            ("cache of a filter", counted().filter(|x| (x % 20).eq(19)).cache().take(3), 60),
            ("group", counted().group_by_window(|x| x % 2, 3, |_, window| window.batch(3)).take(2), 6),
        ],
    );
}

#[test]
fn steps_that_make_several_elements_of_one_ask_for_one_as_long_as_they_do_not_know() {
    let calls = Calls::default();
    let counted = || calls.numbers();
    let of_four = |x: Symbolic| Dataset::range(4).map(move |y| y + x.clone());
    let nested = || calls.numbers();
    check(
        &calls,
        &[
            ("unbatch", counted().batch(2).unbatch().take(3), 4),
            ("unbatch, more", counted().batch(7).unbatch().take(15), 21),
            ("unbatch behind a prefetch", counted().batch(4).prefetch(2).unbatch().take(6), 8),
            ("rebatch", counted().batch(4).rebatch(vec![3]).take(3), 12),
            ("flat_map", counted().flat_map(of_four).take(9), 3),
            ("flat_map of code", Dataset::range(10).flat_map(|_| nested()).take(5), 5),
            ("interleave", counted().interleave(of_four).cycle_length(4).take(3), 3),
            ("interleave, more", counted().interleave(of_four).cycle_length(2).take(13), 4),
            ("interleave of code", Dataset::range(10).interleave(|_| nested()).cycle_length(4).take(3), 3),
            (
                "interleave of code, more",
                Dataset::range(10).interleave(|_| nested()).cycle_length(4).take(10),
                10,
            ),
            (
                "interleave of blocks of code",
                Dataset::range(10).interleave(|_| nested()).cycle_length(4).block_length(3).take(17),
                17,
            ),
            (
                "interleave of batches of code",
                Dataset::range(10).interleave(|_| nested().batch(2)).cycle_length(3).take(4),
                8,
            ),
        ],
    );
}

/// Nobody knows that one element makes more than all before it: as many are called for as were before, at most.
#[test]
fn where_elements_make_more_than_those_before_few_are_called_for_in_vain() {
    let calls = Calls::default();
    let rows_of = |x: Symbolic| Dataset::range(ops::where_(x.lt(3), 1_i64, 1000_i64));
    let several = |dataset: &Dataset| {
        dataset.map(|x| ops::range(0_i64, ops::where_(x.lt(3), 1_i64, 1000_i64), 1_i64)).unbatch()
    };
    for (mode, options) in engine_support::modes() {
        for (name, dataset, needed, most) in [
            ("flat_map", calls.numbers().flat_map(rows_of).take(100), 4, 7),
            ("flat_map of a generator", calls.given().flat_map(rows_of).take(100), 4, 7),
            ("unbatch", several(&calls.numbers()).take(100), 4, 7),
            ("unbatch of a generator", several(&calls.given()).take(100), 4, 7),
            ("interleave", calls.numbers().interleave(rows_of).cycle_length(4).take(200), 7, 12),
        ] {
            calls.take();
            assert!(dataset.with_options(options.clone()).iterator().unwrap().all(|item| item.is_ok()));
            let called = calls.take();
            assert!((needed..=most).contains(&called), "{name}, {mode}: {called} calls");
        }
    }
}

/// Datasets whose turn is far away are read ahead behind a `take` as without it, and not only their first rows.
#[test]
fn a_take_far_away_leaves_short_datasets_their_threads() {
    let (running, alone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&alone);
    let dataset = Dataset::range(1_000_000)
        .flat_map(move |x| {
            let (running, alone) = (Arc::clone(&running), Arc::clone(&seen));
            let rows = Dataset::range(2).map(move |y| y + x.clone());
            rows.map_native("slow", number(), move |element| {
                if running.fetch_add(1, Ordering::Relaxed) == 0 {
                    alone.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::sleep(std::time::Duration::from_millis(2));
                running.fetch_sub(1, Ordering::Relaxed);
                Ok(element)
            })
        })
        .take(1_000_000)
        .with_options(Options::new().threads(4));
    assert_eq!(dataset.iterator().unwrap().take(200).map(Result::unwrap).count(), 200);
    let alone = alone.load(Ordering::Relaxed);
    assert!(alone < 60, "{alone} calls of 200 began while no other ran");
}

/// Any may be the first that is ready, so each has one.
#[test]
fn without_an_order_no_more_is_called_than_may_be_the_next() {
    let calls = Calls::default();
    for threads in [0, 2, 4] {
        let options = Options::new().threads(threads);
        let interleaved =
            Dataset::range(10).interleave(|_| calls.numbers()).cycle_length(4).deterministic(false);
        for (dataset, most) in [(calls.numbers().deterministic(false).take(9), 9), (interleaved.take(3), 12)]
        {
            calls.take();
            let count = dataset.with_options(options.clone()).iterator().unwrap().map(Result::unwrap).count();
            let called = calls.take();
            assert!(
                (count..=most).contains(&called),
                "{called} calls for {count} elements, {threads} threads"
            );
        }
    }
}

/// What was told is told anew as it is used up: the last rows do not come one by one from a code that takes long.
#[test]
fn who_asks_for_many_gets_them_from_all_threads() {
    let running = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let seen = Arc::clone(&running);
    let dataset = Dataset::range(400)
        .map_native("slow", number(), move |element| {
            let now = seen.0.fetch_add(1, Ordering::Relaxed) + 1;
            seen.1.fetch_max(now, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(1));
            seen.0.fetch_sub(1, Ordering::Relaxed);
            Ok(element)
        })
        .num_parallel_calls(4)
        .filter(|x| (x % 2).eq(0))
        .take(100)
        .with_options(Options::new().threads(4));
    let mut elements = dataset.iterator().unwrap();
    elements.by_ref().take(50).map(Result::unwrap).for_each(drop);
    running.1.store(0, Ordering::Relaxed);
    elements.by_ref().take(40).map(Result::unwrap).for_each(drop);
    assert!(running.1.load(Ordering::Relaxed) >= 3, "{running:?}");
}
