//! Work that nobody waits for any more ends. A program of its own: it looks at all threads there are.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::{Duration, Instant};

use feedline::data::block::Tensor;
use feedline::{Dataset, Options, Sampling};

#[test]
fn what_finds_nothing_ends_when_it_is_dropped() {
    let endless = Dataset::range(i64::MAX);
    // The first dataset has ended, and the second never comes.
    let weights = Dataset::from_tensors(Tensor::from_vec(vec![2], vec![1.0, 1e-300])).repeat(None);
    let rare = Sampling::by_dataset(&weights);
    let datasets = [
        Dataset::sample_from_datasets(&[Dataset::range(0), endless.clone()], rare.clone().seed(1)),
        Dataset::sample_from_datasets(&[Dataset::range(0), endless.clone()], rare.exact()),
        endless.filter(|x| x.lt(0)),
        endless.shuffle(100).seed(1).skip(1 << 40),
        endless.flat_map(|x| Dataset::range(x % 3)).skip(1 << 40),
    ];
    for dataset in datasets {
        let dataset = dataset.with_options(Options::new().threads(2));
        let mut elements = dataset.iterator().unwrap();
        let started = Instant::now();
        let nothing = elements.next_unless(|| started.elapsed() > Duration::from_millis(50));
        assert!(nothing.is_err(), "given up");
        // The pool is this iterator's own: its threads end when they have nothing to do any more.
        drop(elements);
        while workers_at_work() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Whether this process has threads of a pool.
fn workers_at_work() -> bool {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    threads.flatten().any(|thread| {
        std::fs::read_to_string(thread.path().join("comm"))
            .is_ok_and(|name| name.trim().strip_prefix("feedline-").is_some_and(|n| n.parse::<u32>().is_ok()))
    })
}
