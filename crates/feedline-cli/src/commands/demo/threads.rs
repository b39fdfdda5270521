//! Work on several files at a time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use feedline::Result;

/// Runs `work` on every file, with its number, on so many threads, and adds up what it returns.
pub(super) fn on_threads(
    paths: &[PathBuf],
    num_threads: usize,
    work: impl Fn(u64, &Path) -> Result<u64> + Sync,
) -> Result<u64> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut sum = 0;
        loop {
            let file = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(file) else { return Ok(sum) };
            sum += work(file as u64, path)?;
        }
    };
    std::thread::scope(|scope| {
        // Fewer, where the system starts no more: this thread does its share, or all.
        let more = 1..num_threads.min(paths.len());
        let threads: Vec<_> = more.map_while(|_| Builder::new().spawn_scoped(scope, run).ok()).collect();
        let mut sum: Result<u64> = run();
        for thread in threads {
            let other = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            sum = sum.and_then(|sum| Ok(sum + other?));
        }
        sum
    })
}
