//! The same work on each of many items, on several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;

/// Calls `work` with every item and returns the results in order, or the first error in order.
///
/// Items are begun in order, so all before a failed one are finished and the error does not depend on timing.
/// Nobody waits for anybody but the end.
pub(super) fn map_parallel<T: Sync, R: Send>(
    items: &[T],
    num_threads: usize,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let results: Vec<Mutex<Option<Result<R>>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = || {
        // Relaxed: the flag only saves work; results are published by their locks and the threads' end.
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = work(item);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..num_threads.min(items.len()) {
            scope.spawn(run);
        }
        run();
    });
    // What was not begun comes after an error.
    results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn results_and_the_first_error_come_in_order() {
        let items: Vec<u32> = (0..100).collect();
        for num_threads in [1, 2, 4] {
            let doubled = map_parallel(&items, num_threads, |item| Ok(item * 2)).unwrap();
            assert!(doubled.into_iter().eq((0..100).map(|item| item * 2)));
            let error = map_parallel(&items, num_threads, |&item| match item {
                17 | 18 | 60 => Err(Error::Argument { message: item.to_string(), hint: None }),
                _ => Ok(()),
            });
            assert_eq!(error.unwrap_err().to_string(), "17");
        }
    }
}
