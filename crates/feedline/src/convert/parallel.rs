//! Work that can fail, on each of many items, on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::parallel;

/// Calls `work` with every item and returns the results in order, or the first error in order.
///
/// An item is passed over only if one *before* it has failed, so the error does not depend on timing.
pub(super) fn try_map<T: Sync, R: Send>(
    num_threads: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let numbered: Vec<(usize, &T)> = items.iter().enumerate().collect();
    let first_failed = AtomicUsize::new(usize::MAX);
    let results = parallel::map(num_threads, &numbered, |&(index, item)| {
        // Relaxed: it only saves work; results are published by the threads' end.
        if first_failed.load(Ordering::Relaxed) < index {
            return None;
        }
        let result = work(item);
        if result.is_err() {
            first_failed.fetch_min(index, Ordering::Relaxed);
        }
        Some(result)
    });
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn results_and_the_first_error_come_in_order() {
        let items: Vec<u32> = (0..100).collect();
        for num_threads in [1, 2, 4] {
            let doubled = try_map(num_threads, &items, |item| Ok(item * 2)).unwrap();
            assert!(doubled.into_iter().eq((0..100).map(|item| item * 2)));
            let error = try_map(num_threads, &items, |&item| match item {
                17 | 18 | 60 => Err(Error::Argument { message: item.to_string(), hint: "none".into() }),
                _ => Ok(()),
            });
            assert_eq!(error.unwrap_err().to_string(), "17\nhint: none");
        }
    }
}
