//! The list of what is ready to run, and the threads that wait for it.

use std::collections::VecDeque;

use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How far from the consumer a task works: 0 is nearest. Workers take the nearest first, since that is what the consumer
/// waits for; what is further off only fills queues.
pub(crate) type Level = usize;

/// What is ready, by level, first come first run within one.
#[derive(Debug)]
pub(crate) struct ReadyList<T> {
    ready: Mutex<Ready<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Ready<T> {
    levels: Vec<VecDeque<T>>,
    is_closed: bool,
}

impl<T> ReadyList<T> {
    pub(crate) fn new() -> ReadyList<T> {
        let ready = Mutex::new(Ready { levels: Vec::new(), is_closed: false });
        ReadyList { ready, changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Ready<T>> {
        // Nothing is called while the lock is held that could panic half-way.
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one and wakes a thread that waits. A closed list drops it.
    pub(crate) fn push(&self, level: Level, item: T) {
        let mut ready = self.lock();
        // Left in a closed list it would be a cycle: tasks hold what schedules them.
        if ready.is_closed {
            drop(ready);
            drop(item);
            return;
        }
        if ready.levels.len() <= level {
            ready.levels.resize_with(level + 1, VecDeque::new);
        }
        ready.levels[level].push_back(item);
        drop(ready);
        self.changed.notify_one();
    }

    /// The next one, nearest the consumer first; waits for one. `None` when the list is closed.
    pub(crate) fn pop(&self) -> Option<T> {
        let mut ready = self.lock();
        loop {
            if ready.is_closed {
                return None;
            }
            if let Some(item) = ready.levels.iter_mut().find_map(VecDeque::pop_front) {
                return Some(item);
            }
            ready = self.changed.wait(ready).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends all waiting, for good.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Drops what a closed list still has.
    pub(crate) fn drop_left(&self) {
        let left = std::mem::take(&mut self.lock().levels);
        drop(left); // outside the lock: a task's own drop may do anything
    }

    /// How many wait to be taken.
    pub(crate) fn len(&self) -> usize {
        self.lock().levels.iter().map(VecDeque::len).sum()
    }
}
