//! Jobs on threads that come and go: every one runs, or, when nobody wants any more, is dropped; and the threads end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use shuttle::thread;

use crate::explore;
use crate::io_threads::IoThreads;

/// Counts a job when it runs, and when it is dropped.
struct Job {
    runs: Arc<AtomicUsize>,
    ends: Arc<AtomicUsize>,
}

impl Job {
    fn run(self) {
        self.runs.fetch_add(1, Ordering::SeqCst);
        thread::yield_now();
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.ends.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Clone, Default)]
struct Counts {
    runs: Arc<AtomicUsize>,
    ends: Arc<AtomicUsize>,
}

impl Counts {
    fn job(&self) -> Job {
        Job { runs: Arc::clone(&self.runs), ends: Arc::clone(&self.ends) }
    }

    fn wait_for_runs(&self, count: usize) {
        while self.runs.load(Ordering::SeqCst) < count {
            thread::yield_now();
        }
    }
}

/// Threads whose time is over at any moment, and ones that wait for ever: none leaves a job behind.
#[test]
fn a_job_is_never_left_behind_by_threads_that_end() {
    for (max_threads, idle_time) in [(1, Duration::ZERO), (2, Duration::ZERO), (2, Duration::from_secs(1))] {
        explore(move || {
            let counts = Counts::default();
            let threads = Arc::new(IoThreads::new(max_threads, idle_time));
            let (other, jobs) = (Arc::clone(&threads), counts.clone());
            let other = thread::spawn(move || {
                for _ in 0..2 {
                    let job = jobs.job();
                    other.spawn(move || job.run()).expect("threads can be had");
                }
            });
            for _ in 0..2 {
                let job = counts.job();
                threads.spawn(move || job.run()).expect("threads can be had");
                assert!(threads.num_threads() <= max_threads);
            }
            counts.wait_for_runs(4);
            other.join().expect("no panic");
        });
    }
}

/// Who drops them waits for nobody, and afterwards nothing begins; the threads end, or the checker says that they wait for ever.
#[test]
fn dropped_threads_run_or_drop_each_job_and_end() {
    for idle_time in [Duration::ZERO, Duration::from_secs(1)] {
        explore(move || {
            let counts = Counts::default();
            let threads = IoThreads::new(1, idle_time);
            for _ in 0..3 {
                let job = counts.job();
                threads.spawn(move || job.run()).expect("threads can be had");
            }
            drop(threads);
            let begun = counts.runs.load(Ordering::SeqCst);
            while counts.ends.load(Ordering::SeqCst) < 3 {
                thread::yield_now();
            }
            // One that was taken out of the queue just before may still begin.
            assert!(counts.runs.load(Ordering::SeqCst) <= begun + 1);
        });
    }
}
