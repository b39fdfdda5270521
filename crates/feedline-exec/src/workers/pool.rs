//! Threads that run what is ready.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use async_task::{Runnable, Task};

use super::ready_list::{Level, ReadyList};
use crate::error::ExecError;

/// A pool of worker threads. It is shared by all iterators; its threads end when the last of them is gone.
#[derive(Debug)]
pub struct Pool {
    ready: Arc<ReadyList<Runnable>>,
    threads: usize,
}

impl Pool {
    /// A pool of `threads` threads; of fewer, where the system starts no more of them (`ulimit -u`, a limit of the
    /// container): that takes longer and is no reason to fail.
    ///
    /// # Errors
    /// If not one can be started.
    ///
    /// # Panics
    /// If `threads` is 0.
    pub fn new(threads: usize) -> Result<Arc<Pool>, ExecError> {
        Pool::start(threads, |index, work| {
            thread::Builder::new().name(format!("feedline-{index}")).spawn(work).map(drop)
        })
    }

    /// A pool whose threads are started by `spawn`, which gets their number and what they do.
    fn start(
        threads: usize,
        mut spawn: impl FnMut(usize, Box<dyn FnOnce() + Send>) -> io::Result<()>,
    ) -> Result<Arc<Pool>, ExecError> {
        assert!(threads > 0, "a pool has a thread; running without one is for the caller to do");
        let ready = Arc::new(ReadyList::new());
        for index in 0..threads {
            let list = Arc::clone(&ready);
            match spawn(index, Box::new(move || work(&list))) {
                Ok(()) => {}
                Err(error) if index == 0 => return Err(cannot_start(&error)),
                Err(_) => return Ok(Arc::new(Pool { ready, threads: index })),
            }
        }
        Ok(Arc::new(Pool { ready, threads }))
    }

    /// The pool for everybody, with a thread for each core this process may use (cgroup quota included).
    ///
    /// A process that forked has its own: threads do not survive a fork.
    ///
    /// # Errors
    /// If not one thread can be started; the next call tries again.
    pub fn shared() -> Result<Arc<Pool>, ExecError> {
        static POOL: Mutex<Option<(u32, Arc<Pool>)>> = Mutex::new(None);
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        match &*pool {
            Some((owner, pool)) if *owner == process => Ok(Arc::clone(pool)),
            _ => {
                let fresh = Pool::new(thread::available_parallelism().map_or(1, usize::from))?;
                // The other process's pool is forgotten, not dropped: its threads are not here to be told.
                if let Some(old) = pool.replace((process, Arc::clone(&fresh))) {
                    std::mem::forget(old);
                }
                Ok(fresh)
            }
        }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Tasks that are ready and wait for a thread.
    pub(crate) fn num_ready(&self) -> usize {
        self.ready.len()
    }

    /// Runs `future` on the workers. Dropping the task ends it: not started, it never runs; running, it is dropped at
    /// the end of its turn.
    pub(crate) fn spawn<F>(&self, level: Level, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        // Weak: a task that waits somewhere must not keep the pool's threads alive.
        let ready = Arc::downgrade(&self.ready);
        let schedule = move |runnable: Runnable| {
            if let Some(ready) = ready.upgrade() {
                ready.push(level, runnable);
            }
        };
        let (runnable, task) = async_task::spawn(future, schedule);
        runnable.schedule();
        task
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.ready.close();
    }
}

fn cannot_start(error: &io::Error) -> ExecError {
    ExecError::resource(format!("could not start a worker thread: {error}")).with_hint(
        "`ulimit -u` shows how many threads this user may have, and a container has a limit of its own; `Options::threads(0)`, \
         or FEEDLINE_THREADS=0, works on the calling thread alone",
    )
}

/// A worker's life.
fn work(ready: &ReadyList<Runnable>) {
    while let Some(runnable) = ready.pop() {
        // Tasks catch the panics of what they run; one that escapes is theirs to answer for, not this thread's.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runnable.run()));
    }
    // Whoever closes the pool may leave tasks behind; dropping them ends them.
    ready.drop_left();
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
        let pool = Pool::new(3).expect("threads");
        let tasks: Vec<_> = (0..100).map(|i| pool.spawn(i % 4, async move { i * 2 })).collect();
        assert_eq!(tasks.into_iter().map(wait_for).sum::<usize>(), 9900);
    }

    #[test]
    fn fewer_threads_than_asked_for_do_the_work_and_none_is_an_error() {
        let at_most = |limit: usize| {
            Pool::start(4, move |index, work| {
                if index < limit {
                    thread::spawn(work);
                    return Ok(());
                }
                Err(io::Error::from(io::ErrorKind::WouldBlock))
            })
        };
        let pool = at_most(2).expect("two threads");
        assert_eq!(pool.threads(), 2);
        let tasks: Vec<_> = (0..100).map(|i| pool.spawn(0, async move { i })).collect();
        assert_eq!(tasks.into_iter().map(wait_for).sum::<usize>(), 4950);
        let error = at_most(0).expect_err("no thread").to_string();
        assert!(error.starts_with("could not start a worker thread: "), "{error}");
        assert!(error.contains("\nhint: `ulimit -u`") && error.contains("FEEDLINE_THREADS=0"), "{error}");
    }

    #[test]
    fn a_dropped_task_is_dropped_with_what_it_holds() {
        let pool = Pool::new(1).expect("threads");
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
        let pool = Pool::new(1).expect("threads");
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
        let pool = Pool::new(2).expect("threads");
        let ready = Arc::downgrade(&pool.ready);
        let running = Arc::new(AtomicUsize::new(0));
        let task_running = Arc::clone(&running);
        wait_for(pool.spawn(0, async move {
            task_running.fetch_add(1, Ordering::SeqCst);
        }));
        drop(pool);
        // Each thread holds a share of the list until it ends.
        while ready.upgrade().is_some() {
            thread::yield_now();
        }
        assert_eq!(running.load(Ordering::SeqCst), 1);
    }
}
