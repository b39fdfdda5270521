//! [`IoThreads`]: threads for reads that block, started on demand and ended when idle.
//!
//! Apart from the CPU workers, which must never wait: here waiting is the work, so there may be many more of
//! them than cores.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, thread};

type Job = Box<dyn FnOnce() + Send>;

/// A bounded, elastic set of threads that run blocking jobs in the order they came.
///
/// Making one starts nothing. Dropping it drops the queued jobs unrun, tells waiting threads to end, and waits
/// for nobody: a thread inside a slow read ends when that read does.
#[derive(Debug)]
pub struct IoThreads {
    pub(super) pool: Arc<Pool>,
}

#[derive(Debug)]
pub(super) struct Pool {
    max_threads: usize,
    idle_time: Duration,
    pub(super) state: Mutex<State>,
    /// Signalled once per queued job, and to all when the pool closes.
    work: Condvar,
}

pub(super) struct State {
    pub(super) queue: VecDeque<Job>,
    /// Threads that wait for a job.
    pub(super) waiting: usize,
    /// All threads.
    pub(super) threads: usize,
    closed: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("queued", &self.queue.len())
            .field("waiting", &self.waiting)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Default for IoThreads {
    /// At most 64 threads, which end after ten idle seconds.
    ///
    /// 64 requests at some tens of MB/s each fill a 25 Gbit/s card: an estimate, to be measured with the first
    /// object store. Ten seconds outlast the pauses of a training step, not the end of an epoch.
    fn default() -> Self {
        Self::new(64, Duration::from_secs(10))
    }
}

impl IoThreads {
    /// At most `max_threads` (0 counts as 1), each ending after `idle_time` without a job.
    pub fn new(max_threads: usize, idle_time: Duration) -> Self {
        let state = State { queue: VecDeque::new(), waiting: 0, threads: 0, closed: false };
        let pool = Pool {
            max_threads: max_threads.max(1),
            idle_time,
            state: Mutex::new(state),
            work: Condvar::new(),
        };
        Self { pool: Arc::new(pool) }
    }

    /// Runs `job` on a thread of its own as soon as one is free, starting one if allowed.
    ///
    /// A panic in the job ends the job, not the thread; whoever waits for the job must notice, e.g. by a channel
    /// that closes. Fails only if no thread runs and the system refuses to start one; the job is dropped then.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) -> Result<()> {
        let mut state = lock(&self.pool.state);
        state.queue.push_back(Box::new(job));
        if state.queue.len() > state.waiting && state.threads < self.pool.max_threads {
            // Under the lock, so that the counts are right when the thread looks at them.
            let pool = Arc::clone(&self.pool);
            let started = thread::Builder::new().name("feedline-io".to_owned()).spawn(move || pool.run());
            match started {
                Ok(_) => state.threads += 1,
                Err(_) if state.threads > 0 => {} // the ones that run will get to it
                Err(error) => {
                    let job = state.queue.pop_back();
                    drop(state); // the job's own drop may do anything: not under our lock
                    drop(job);
                    return Err(Error::io("", "start an I/O thread", error)
                        .with_hint("`ulimit -u` shows how many threads this user may have"));
                }
            }
        }
        drop(state);
        self.pool.work.notify_one();
        Ok(())
    }

    /// Threads that exist now, working or waiting.
    pub fn num_threads(&self) -> usize {
        lock(&self.pool.state).threads
    }
}

impl Drop for IoThreads {
    fn drop(&mut self) {
        let mut state = lock(&self.pool.state);
        state.closed = true;
        let unrun = std::mem::take(&mut state.queue);
        drop(state);
        drop(unrun); // as in spawn: not under the lock
        self.pool.work.notify_all();
    }
}

impl Pool {
    fn run(&self) {
        while let Some(job) = self.next_job() {
            // The owner of the job learns of it through its own means; this thread goes on.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    /// The next job, or `None` when this thread is to end; it is no longer counted then.
    fn next_job(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        let mut timed_out = false;
        loop {
            if let Some(job) = state.queue.pop_front() {
                return Some(job);
            }
            // Only with an empty queue: a job queued at the moment of the time-out must not be left behind.
            if timed_out || state.closed {
                state.threads -= 1;
                return None;
            }
            state.waiting += 1;
            let (woken, wait) =
                self.work.wait_timeout(state, self.idle_time).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.waiting -= 1;
            timed_out = wait.timed_out();
        }
    }
}

/// Locks. Poison is ignored: no code of others runs under these locks, and each change to the state is complete
/// before anything could panic.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
