//! What a cache in files has collected for its next file, which an I/O thread writes when its time is over, also if nobody asks for rows
//! meanwhile: a consumer that computes for a minute, and is killed, has lost no more than another.
//!
//! The thread waits as a [`Job`]; who fills gives it the rows when they are a file, or tells that it is not needed any more, which drop does as well. It
//! has no right to write of its own until it writes, so the next iterator finds the folder free as soon as this one is gone.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use feedline_io::IoThreads;

use super::collector::Collector;
use super::folder::Writer;
use super::job::Job;
use super::rows::Rows;
use crate::budget::{Budget, Charge};
use crate::error::ExecError;

/// Rows collected, shared with the thread that waits to write them.
#[derive(Debug)]
pub(super) struct Collected(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    told: Condvar,
}

#[derive(Debug)]
struct State {
    collector: Collector<Charge>,
    /// The number of the first row collected.
    first_row: u64,
    /// When the last file was begun.
    last_write: Instant,
    /// What the thread is to write now, and the right to.
    handed_over: Option<(ForFile, Arc<Writer>)>,
    /// Whether it is to write nothing.
    is_over: bool,
    /// Whether a thread waits: what is collected is still there.
    is_waited_for: bool,
}

/// The rows of a file.
#[derive(Debug)]
pub(super) struct ForFile {
    pub(super) first_row: u64,
    pub(super) num_rows: u64,
    pub(super) blocks: Vec<Rows>,
    pub(super) charge: Charge,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, budget: &Arc<Budget>) -> ForFile {
        let (first_row, num_rows) = (self.first_row, self.collector.num_rows());
        self.first_row += num_rows;
        self.last_write = Instant::now();
        let (blocks, charge) = self.collector.take(budget);
        ForFile { first_row, num_rows, blocks, charge }
    }
}

impl Collected {
    /// Nothing yet; the next row is number `first_row`.
    pub(super) fn new(first_row: u64, budget: &Arc<Budget>) -> Collected {
        let state = State {
            collector: Collector::new(budget),
            first_row,
            last_write: Instant::now(),
            handed_over: None,
            is_over: false,
            is_waited_for: false,
        };
        Collected(Arc::new(Shared { state: Mutex::new(state), told: Condvar::new() }))
    }

    /// Adds the rows of `block`, which has no errors.
    pub(super) fn push(&self, block: &feedline_data::block::Block) {
        // Of what goes to a file soon there is always room for more.
        _ = self.0.lock().collector.push(block);
    }

    pub(super) fn num_rows(&self) -> u64 {
        self.0.lock().collector.num_rows()
    }

    pub(super) fn num_bytes(&self) -> u64 {
        self.0.lock().collector.num_bytes()
    }

    /// Since the last file was begun.
    pub(super) fn elapsed(&self) -> Duration {
        self.0.lock().last_write.elapsed()
    }

    /// Whether a thread waits to write what is here.
    pub(super) fn is_waited_for(&self) -> bool {
        self.0.lock().is_waited_for
    }

    /// What is here, leaving nothing.
    pub(super) fn take(&self, budget: &Arc<Budget>) -> ForFile {
        self.0.lock().take(budget)
    }

    /// Has `write` called with what is here by then when `time` has passed since the last file was begun, or when told to, if `writer` is
    /// still there.
    pub(super) fn write_after(
        &self,
        time: Duration,
        threads: &IoThreads,
        budget: &Arc<Budget>,
        writer: &Arc<Writer>,
        write: impl FnOnce(ForFile, &Writer) -> Result<(), ExecError> + Send + 'static,
    ) -> Job<()> {
        self.0.lock().is_waited_for = true;
        let (shared, budget, writer) = (Arc::clone(&self.0), Arc::clone(budget), Arc::downgrade(writer));
        Job::start(Some(threads), move || match shared.wait(time, &budget, &writer) {
            Some((rows, writer)) => write(rows, &writer),
            None => Ok(()),
        })
    }

    /// The thread that waits writes what is here now, and no more.
    pub(super) fn write_now(&self, budget: &Arc<Budget>, writer: &Arc<Writer>) {
        let mut state = self.0.lock();
        // Not if its time was over just now.
        if state.is_waited_for {
            state.is_waited_for = false;
            state.handed_over = Some((state.take(budget), Arc::clone(writer)));
            self.0.told.notify_all();
        }
    }

    /// The thread that waits writes nothing: somebody else does.
    pub(super) fn write_never(&self) {
        self.0.lock().is_over = true;
        self.0.told.notify_all();
    }
}

impl Shared {
    /// Waits until it is time; what there is then, or `None` where nobody wants it written.
    fn wait(
        &self,
        time: Duration,
        budget: &Arc<Budget>,
        writer: &Weak<Writer>,
    ) -> Option<(ForFile, Arc<Writer>)> {
        let mut state = self.lock();
        loop {
            if let Some(handed_over) = state.handed_over.take() {
                return Some(handed_over);
            }
            if state.is_over {
                state.is_waited_for = false;
                return None;
            }
            let left = time.saturating_sub(state.last_write.elapsed());
            if left.is_zero() {
                state.is_waited_for = false;
                return Some((state.take(budget), writer.upgrade()?));
            }
            state = self.told.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Collected {
    fn drop(&mut self) {
        self.write_never();
    }
}
