//! Threads for code of the user's: as many at a time as there are workers, and none of them a worker.
//!
//! Code of the user's may wait for anything, also for a dataset of its own that runs on the same workers. On those it would wait for
//! itself; so it runs beside them. Each map has a lane of its own: user code that waits for a map of other user code does
//! not wait for its own turn.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_task::{Runnable, Task};
use feedline_io::IoThreads;

/// A number of tasks at a time, on threads where they may wait.
pub(super) struct Lane {
    threads: &'static IoThreads,
    limit: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    num_running: usize,
    /// In the order they came.
    waiting: VecDeque<Runnable>,
}

impl Lane {
    pub(super) fn new(threads: &'static IoThreads, limit: usize) -> Arc<Lane> {
        Arc::new(Lane { threads, limit: limit.max(1), state: Mutex::default() })
    }

    /// Runs `work` when it is its turn. If no thread can be started it is dropped, and whoever waits for it is told by a panic
    /// that says so.
    pub(super) fn spawn<T: Send + 'static>(
        self: &Arc<Lane>,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Task<T> {
        let lane = Arc::clone(self);
        let (runnable, task) = async_task::spawn(work, move |runnable| lane.schedule(runnable));
        runnable.schedule();
        task
    }

    fn schedule(self: &Arc<Lane>, runnable: Runnable) {
        let mut state = self.lock();
        if state.num_running == self.limit {
            state.waiting.push_back(runnable);
            return;
        }
        state.num_running += 1;
        drop(state);
        let turn = Turn { lane: Arc::clone(self), is_over: false };
        let _ = self.threads.spawn(move || turn.run(runnable));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of those running. If its thread cannot be started, or a task panics, those that wait are dropped as it is.
struct Turn {
    lane: Arc<Lane>,
    is_over: bool,
}

impl Turn {
    fn run(mut self, first: Runnable) {
        first.run();
        loop {
            // Under one lock: who comes later finds a place free.
            let mut state = self.lane.lock();
            let Some(next) = state.waiting.pop_front() else {
                state.num_running -= 1;
                drop(state);
                self.is_over = true;
                return;
            };
            drop(state);
            next.run();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_over {
            let mut state = self.lane.lock();
            state.num_running -= 1;
            let waiting = std::mem::take(&mut state.waiting);
            drop(state);
            drop(waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::runtime::Runtime;

    #[test]
    fn so_many_run_at_a_time_and_all_of_them_do() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        for limit in [1, 3] {
            MOST.store(0, Ordering::SeqCst);
            let lane = Lane::new(Runtime::waiting_tasks(), limit);
            let tasks: Vec<_> = (0..100)
                .map(|number| {
                    lane.spawn(async move {
                        MOST.fetch_max(RUNNING.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_micros(100));
                        RUNNING.fetch_sub(1, Ordering::SeqCst);
                        number
                    })
                })
                .collect();
            while !tasks.iter().all(Task::is_finished) {
                std::thread::yield_now();
            }
            assert!((1..=limit).contains(&MOST.load(Ordering::SeqCst)));
            while lane.lock().num_running > 0 {
                std::thread::yield_now();
            }
        }
    }
}
