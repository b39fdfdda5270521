//! [`IoThreads`]: as many threads as are needed, for as long as they are.

use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::Duration;

use super::threads::{IoThreads, lock};

const FOREVER: Duration = Duration::from_hours(1);

fn wait_until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

#[test]
fn jobs_that_need_each_other_run_at_once_up_to_the_bound() {
    let threads = IoThreads::new(4, FOREVER);
    assert_eq!(threads.num_threads(), 0);
    let barrier = Arc::new(Barrier::new(5));
    let (sender, receiver) = mpsc::channel();
    for _ in 0..4 {
        let barrier = Arc::clone(&barrier);
        threads
            .spawn(move || {
                barrier.wait();
            })
            .unwrap();
    }
    // A fifth has to wait: all four threads stand at the barrier.
    threads.spawn(move || sender.send(()).unwrap()).unwrap();
    assert_eq!(threads.num_threads(), 4);
    wait_until(|| lock(&threads.pool.state).queue.len() == 1);
    assert!(receiver.try_recv().is_err());
    barrier.wait();
    receiver.recv().unwrap();
    assert_eq!(threads.num_threads(), 4);
}

#[test]
fn a_waiting_thread_is_used_again() {
    let threads = IoThreads::new(8, FOREVER);
    for round in 0..20 {
        let (sender, receiver) = mpsc::channel();
        threads.spawn(move || sender.send(round).unwrap()).unwrap();
        assert_eq!(receiver.recv().unwrap(), round);
        wait_until(|| lock(&threads.pool.state).waiting == 1);
    }
    assert_eq!(threads.num_threads(), 1);
}

#[test]
fn idle_threads_end_and_new_ones_start() {
    let threads = IoThreads::new(3, Duration::ZERO);
    for _ in 0..3 {
        let (sender, receiver) = mpsc::channel();
        threads.spawn(move || sender.send(()).unwrap()).unwrap();
        receiver.recv().unwrap();
        wait_until(|| threads.num_threads() == 0);
    }
}

#[test]
fn a_panic_ends_the_job_and_not_the_thread() {
    let threads = IoThreads::new(1, FOREVER);
    let (sender, receiver) = mpsc::channel();
    let lost = sender.clone();
    threads
        .spawn(move || {
            let _lost = lost;
            std::panic::resume_unwind(Box::new("on purpose"));
        })
        .unwrap();
    threads.spawn(move || sender.send(7).unwrap()).unwrap();
    assert_eq!(receiver.recv(), Ok(7));
    assert_eq!(threads.num_threads(), 1);
}

#[test]
fn dropping_the_pool_drops_queued_jobs_and_ends_the_threads() {
    let threads = IoThreads::new(1, FOREVER);
    let pool = Arc::clone(&threads.pool);
    let (started, has_started) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    threads
        .spawn(move || {
            started.send(()).unwrap();
            let _ = released.recv();
        })
        .unwrap();
    has_started.recv().unwrap();
    let (sender, receiver) = mpsc::channel();
    threads.spawn(move || sender.send(()).unwrap()).unwrap();
    drop(threads); // returns although the first job has not
    assert!(receiver.recv().is_err(), "the queued job must not run");
    drop(release);
    wait_until(|| lock(&pool.state).threads == 0);
}
