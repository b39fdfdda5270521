//! The same work for every item of a list, on a few threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope};

/// Calls `work` with each item, on up to `num_threads` threads (the caller's included), and returns the results in order.
///
/// Threads take items one by one from the front, so that long and short ones even out.
pub(crate) fn map<T: Sync, R: Send>(
    num_threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        // Relaxed: the counter hands out indexes and publishes nothing; results are published by their locks.
        while let Some(index) =
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < items.len())
        {
            let result = work(&items[index]);
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    std::thread::scope(|scope| {
        start_more(scope, num_threads.min(items.len()).saturating_sub(1), run);
        run();
    });
    let results =
        results.into_iter().map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner));
    results
        .map(|result| result.expect("every index was taken, and a panic in `work` ends the scope"))
        .collect()
}

/// Starts up to `num_threads` threads that do `work`, of which the caller does its share, too.
///
/// Fewer, also none, where the system starts no more of them (`ulimit -u`, a limit of the container): that takes longer and is
/// no reason to fail.
pub(crate) fn start_more<'scope>(
    scope: &'scope Scope<'scope, '_>,
    num_threads: usize,
    work: impl Fn() + Copy + Send + 'scope,
) {
    for _ in 0..num_threads {
        if Builder::new().spawn_scoped(scope, work).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_in_order_whatever_the_threads() {
        let items: Vec<u32> = (0..100).collect();
        for num_threads in [0, 1, 3, 200] {
            assert_eq!(
                super::map(num_threads, &items, |item| item * 2),
                (0..200).step_by(2).collect::<Vec<_>>()
            );
        }
        assert!(super::map(4, &[], |item: &u32| *item).is_empty());
    }
}
