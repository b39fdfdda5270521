//! Datasets inside datasets that need memory: what runs ahead never takes it from what is needed.
#![allow(clippy::unwrap_used, reason = "tests")]

mod engine_support;

use engine_support::show;
use feedline::{Dataset, Options};

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
