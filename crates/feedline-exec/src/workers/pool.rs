//! Threads and the list of what is ready to run.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use async_task::{Runnable, Task};

/// How far from the consumer a task works: 0 is nearest. Workers take the nearest first, since that is what the consumer
/// waits for; what is further off only fills queues.
pub(crate) type Level = usize;

/// A pool of worker threads. It is shared by all iterators; its threads end when the last of them is gone.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    threads: usize,
}

#[derive(Debug, Default)]
struct Shared {
    ready: Mutex<Ready>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Ready {
    /// Tasks by level, first come first run within one.
    levels: Vec<VecDeque<Runnable>>,
    is_closed: bool,
}

impl Pool {
    /// A pool of `threads` threads.
    ///
    /// # Panics
    /// If `threads` is 0 or a thread cannot be started.
    pub fn new(threads: usize) -> Arc<Pool> {
        assert!(threads > 0, "a pool has a thread; running without one is for the caller to do");
        let shared = Arc::new(Shared::default());
        for index in 0..threads {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name(format!("feedline-{index}"))
                .spawn(move || work(&shared))
                .expect("the system can start a thread");
        }
        Arc::new(Pool { shared, threads })
    }

    /// The pool for everybody, with a thread for each core this process may use (cgroup quota included).
    ///
    /// A process that forked has its own: threads do not survive a fork.
    ///
    /// # Panics
    /// If a thread cannot be started.
    pub fn shared() -> Arc<Pool> {
        static POOL: Mutex<Option<(u32, Arc<Pool>)>> = Mutex::new(None);
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        match &*pool {
            Some((owner, pool)) if *owner == process => Arc::clone(pool),
            _ => {
                let fresh = Pool::new(thread::available_parallelism().map_or(1, usize::from));
                // The other process's pool is forgotten, not dropped: its threads are not here to be told.
                if let Some(old) = pool.replace((process, Arc::clone(&fresh))) {
                    std::mem::forget(old);
                }
                fresh
            }
        }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Tasks that are ready and wait for a thread.
    pub(crate) fn num_ready(&self) -> usize {
        self.shared.lock().levels.iter().map(VecDeque::len).sum()
    }

    /// Runs `future` on the workers. Dropping the task ends it: not started, it never runs; running, it is dropped at
    /// the end of its turn.
    pub(crate) fn spawn<F>(&self, level: Level, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        // Weak: a task that waits somewhere must not keep the pool's threads alive.
        let shared = Arc::downgrade(&self.shared);
        let schedule = move |runnable: Runnable| {
            if let Some(shared) = shared.upgrade() {
                shared.push(level, runnable);
            }
        };
        let (runnable, task) = async_task::spawn(future, schedule);
        runnable.schedule();
        task
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Ready> {
        // Nothing is called while the lock is held that could panic half-way.
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, level: Level, runnable: Runnable) {
        let mut ready = self.lock();
        // Runnables left in a closed pool would be a cycle: they hold what schedules them.
        if ready.is_closed {
            drop(ready);
            return;
        }
        if ready.levels.len() <= level {
            ready.levels.resize_with(level + 1, VecDeque::new);
        }
        ready.levels[level].push_back(runnable);
        drop(ready);
        self.changed.notify_one();
    }

    /// The next task, nearest the consumer first; waits for one. `None` when the pool is closed.
    fn pop(&self) -> Option<Runnable> {
        let mut ready = self.lock();
        loop {
            if ready.is_closed {
                return None;
            }
            if let Some(runnable) = ready.levels.iter_mut().find_map(VecDeque::pop_front) {
                return Some(runnable);
            }
            ready = self.changed.wait(ready).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A worker's life.
fn work(shared: &Shared) {
    while let Some(runnable) = shared.pop() {
        // Tasks catch the panics of what they run; one that escapes is theirs to answer for, not this thread's.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runnable.run()));
    }
    // Whoever closes the pool may leave tasks behind; dropping them here, outside the lock, ends them.
    let left = std::mem::take(&mut shared.lock().levels);
    drop(left);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Poll, Wake, Waker};

    struct Unpark(thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Unpark>) {
            self.0.unpark();
        }
    }

    fn wait_for<T>(task: Task<T>) -> T {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut task = pin!(task);
        loop {
            match task.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(value) => return value,
                Poll::Pending => thread::park(),
            }
        }
    }

    #[test]
    fn tasks_run_and_return() {
        let pool = Pool::new(3);
        let tasks: Vec<_> = (0..100).map(|i| pool.spawn(i % 4, async move { i * 2 })).collect();
        assert_eq!(tasks.into_iter().map(wait_for).sum::<usize>(), 9900);
    }

    #[test]
    fn a_dropped_task_is_dropped_with_what_it_holds() {
        let pool = Pool::new(1);
        let held = Arc::new(());
        let (first, second) = (Arc::clone(&held), Arc::clone(&held));
        let waits_forever = pool.spawn(0, async move {
            std::future::pending::<()>().await;
            drop(first);
        });
        let done = pool.spawn(0, async move { drop(second) });
        wait_for(done);
        drop(waits_forever);
        wait_for(pool.spawn(0, async {}));
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn the_nearest_level_runs_first() {
        let pool = Pool::new(1);
        let gate = Arc::new(Mutex::new(()));
        let order = Arc::new(Mutex::new(Vec::new()));
        let closed = gate.lock().expect("fresh");
        let in_gate = Arc::clone(&gate);
        let first = pool.spawn(0, async move { drop(in_gate.lock()) });
        let tasks: Vec<_> = [2, 0, 1, 0]
            .into_iter()
            .map(|level| {
                let order = Arc::clone(&order);
                pool.spawn(level, async move { order.lock().expect("no panic").push(level) })
            })
            .collect();
        drop(closed);
        wait_for(first);
        tasks.into_iter().for_each(wait_for);
        assert_eq!(*order.lock().expect("no panic"), [0, 0, 1, 2]);
    }

    #[test]
    fn threads_end_with_the_pool() {
        let pool = Pool::new(2);
        let shared = Arc::downgrade(&pool.shared);
        let running = Arc::new(AtomicUsize::new(0));
        let task_running = Arc::clone(&running);
        wait_for(pool.spawn(0, async move {
            task_running.fetch_add(1, Ordering::SeqCst);
        }));
        drop(pool);
        // Each thread holds a share of the list until it ends.
        while shared.upgrade().is_some() {
            thread::yield_now();
        }
        assert_eq!(running.load(Ordering::SeqCst), 1);
    }
}
