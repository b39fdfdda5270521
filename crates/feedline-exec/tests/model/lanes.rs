//! Tasks beside the workers: no more at a time than are allowed, all of them done, and none forgotten where a thread cannot be had.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_task::Task;
use shuttle::thread;

use crate::explore;
use crate::lane::Lane;

/// A lane on threads of its own; `has_thread` says for each whether there is one.
fn lane(limit: usize, has_thread: impl Fn() -> bool + Send + Sync + 'static) -> Arc<Threads> {
    let threads = Arc::new(Mutex::new(Vec::new()));
    let started = Arc::clone(&threads);
    let lane = Lane::new(limit, move |work| {
        if has_thread() {
            // Not under the lock: others go on while it starts.
            let thread = thread::spawn(work);
            started.lock().expect("no panic").push(thread);
        }
    });
    Arc::new(Threads { lane, threads })
}

struct Threads {
    lane: shuttle::sync::Arc<Lane>,
    threads: Arc<Mutex<Vec<thread::JoinHandle<()>>>>,
}

impl Threads {
    /// Waits for the ends of all threads that were started.
    fn join(&self) {
        while let Some(thread) = { self.threads.lock().expect("no panic").pop() } {
            thread.join().expect("no panic");
        }
    }
}

#[test]
fn so_many_run_at_a_time_and_all_of_them_do() {
    for limit in [1, 2] {
        explore(move || {
            let threads = lane(limit, || true);
            let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let work = |threads: &Threads| {
                let (running, most) = (Arc::clone(&running), Arc::clone(&most));
                threads.lane.spawn(async move {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                })
            };
            let first: Vec<Task<()>> = (0..2).map(|_| work(&threads)).collect();
            let other = {
                let (threads, work) = (Arc::clone(&threads), work(&threads));
                thread::spawn(move || {
                    threads.join();
                    work
                })
            };
            let last = work(&threads);
            let second = other.join().expect("no panic");
            threads.join();
            assert!(first.iter().chain([&second, &last]).all(Task::is_finished), "all of them were done");
            assert!((1..=limit).contains(&most.load(Ordering::SeqCst)));
        });
    }
}

#[test]
fn where_there_is_no_thread_nobody_is_left_waiting() {
    explore(|| {
        let asked = AtomicUsize::new(0);
        // The second thread cannot be had, and the third can again.
        let threads = lane(1, move || asked.fetch_add(1, Ordering::SeqCst) != 1);
        let tasks: Vec<Task<()>> =
            (0..2).map(|_| threads.lane.spawn(async { thread::yield_now() })).collect();
        threads.join();
        let refused = threads.lane.spawn(async {});
        let again = threads.lane.spawn(async {});
        threads.join();
        assert!(
            tasks.iter().chain([&refused, &again]).all(Task::is_finished),
            "done, or dropped and told so"
        );
    });
}
