//! Threads for tasks that may wait: so many at a time, and none of them a worker.
//!
//! Code of the user's may wait for anything, also for a dataset of its own that runs on the same workers. On those it would wait for
//! itself; so it runs beside them. Each map has a lane of its own (inside datasets all streams of a map whose number of calls the user gave
//! have one): user code that waits for a map of other user code does not wait for its own turn.

use std::collections::VecDeque;
use std::future::Future;

use async_task::{Runnable, Task};

use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A number of tasks at a time, on threads where they may wait.
pub(crate) struct Lane {
    /// Runs something on a thread; drops it if there is none to be had.
    start: Box<Start>,
    limit: usize,
    state: Mutex<State>,
}

type Start = dyn Fn(Box<dyn FnOnce() + Send>) + Send + Sync;

#[derive(Default)]
struct State {
    num_running: usize,
    /// In the order they came.
    waiting: VecDeque<Runnable>,
}

impl Lane {
    pub(crate) fn new(
        limit: usize,
        start: impl Fn(Box<dyn FnOnce() + Send>) + Send + Sync + 'static,
    ) -> Arc<Lane> {
        Arc::new(Lane { start: Box::new(start), limit: limit.max(1), state: Mutex::default() })
    }

    /// Runs `work` when it is its turn. If no thread can be started it is dropped, and whoever waits for it is told by a panic
    /// that says so.
    pub(crate) fn spawn<T: Send + 'static>(
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
        (self.start)(Box::new(move || turn.run(runnable)));
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
