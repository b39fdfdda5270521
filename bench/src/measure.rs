//! Timing with repeats, one line of JSON a measurement.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::json;

pub(crate) struct Options {
    pub(crate) repeat: usize,
    pub(crate) num_threads: usize,
}

/// Times `run`, which does the whole work once and returns a checksum of it, and prints the line.
///
/// # Panics
/// If a run returns another checksum than `expected`: a wrong result has no speed.
pub(crate) fn measure(
    what: &str,
    options: &Options,
    num_records: u64,
    num_bytes: u64,
    expected: u64,
    run: impl Fn() -> u64,
) {
    assert_eq!(run(), expected, "{what}: wrong result in the warm-up");
    let mut seconds: Vec<f64> = Vec::new();
    for _ in 0..options.repeat {
        let start = Instant::now();
        let found = run();
        seconds.push(start.elapsed().as_secs_f64());
        assert_eq!(found, expected, "{what}: wrong result");
    }
    let mut sorted = seconds.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let line = json!({
        "peer": "feedline", "version": env!("CARGO_PKG_VERSION"), "group": what,
        "setting": format!("{} threads", options.num_threads), "records": num_records, "bytes": num_bytes,
        "seconds": seconds, "median_seconds": median, "min_seconds": sorted[0],
        "records_per_s": (num_records as f64 / median).round(),
        "mb_per_s": (num_bytes as f64 / median / 1e5).round() / 10.0, "checksum": expected,
    });
    println!("{line}");
}

/// Runs `work` on every index below `count`, on all threads, and adds up what it returns. `start` makes what a thread
/// keeps from one index to the next.
pub(crate) fn on_threads<S>(
    options: &Options,
    count: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> u64 + Sync,
) -> u64 {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = start();
        let mut sum = 0u64;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return sum;
            }
            sum = sum.wrapping_add(work(&mut state, index));
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..options.num_threads).map(|_| scope.spawn(run)).collect();
        let mine = run();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).fold(mine, u64::wrapping_add)
    })
}
