//! What the operators of one iterator share.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use feedline_io::IoThreads;

use crate::budget::Budget;
use crate::files::TouchedFiles;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::operators::on_error::QuarantineFiles;
use crate::per_process::PerProcess;
use crate::spill_folder::SpillFolder;
use crate::winding_down::Leaving;
use crate::workers::Pool;

/// What the operators of one iterator share: workers, memory, and how large blocks are.
#[derive(Debug)]
pub(crate) struct Runtime {
    /// The workers; `None` runs everything on the thread that asks: the reference.
    pub(crate) pool: Option<Arc<Pool>>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) metrics: Arc<Metrics>,
    /// Where rows go that the budget has no room for, if the user gave a folder.
    pub(crate) spill: Option<SpillFolder>,
    /// The files rows have been read of.
    pub(crate) files: Arc<TouchedFiles>,
    /// The files of failed elements.
    pub(crate) quarantines: QuarantineFiles,
    /// Where things are told that are no errors.
    pub(crate) notices: Notices,
    /// Aimed-at size of a block. 64 KiB: several fit a core's second-level cache beside what they are computed from,
    /// and 8,192 scalars make the cost of a block invisible.
    pub(crate) block_bytes: usize,
    /// Rows that a cache in files has computed are written after that time, however few they are.
    pub(crate) commit_after: Duration,
    /// Gone as soon as the consumer dropped the iterator: what still goes on for it, on whatever thread, is about to end.
    pub(crate) consumer: Weak<()>,
    /// Told by whoever dropped the iterator: that somebody may wait until all that has this is gone.
    pub(crate) leaving: OnceLock<Leaving>,
}

impl Runtime {
    /// That of an iterator of one step, without workers.
    #[cfg(test)]
    pub(crate) fn for_tests(budget_bytes: u64) -> Arc<Runtime> {
        Arc::new(Runtime {
            pool: None,
            budget: Budget::new(budget_bytes),
            metrics: Metrics::new(["step".to_owned()]),
            spill: None,
            files: Arc::default(),
            quarantines: QuarantineFiles::new(false),
            notices: Notices::default(),
            block_bytes: DEFAULT_BLOCK_BYTES,
            commit_after: DEFAULT_COMMIT_AFTER,
            consumer: Weak::new(),
            leaving: OnceLock::new(),
        })
    }

    /// Threads for reads that block, shared by all iterators; `None` for the reference, which reads where it is asked.
    pub(crate) fn io(&self) -> Option<&'static IoThreads> {
        static THREADS: PerProcess<IoThreads> = PerProcess::new();
        self.pool.as_ref().map(|_| THREADS.get(IoThreads::default))
    }

    /// Threads on which caches in files wait until it is time to write, shared by all iterators; `None` as above. Not those that read: there may be as many caches.
    pub(crate) fn timers(&self) -> Option<&'static IoThreads> {
        static THREADS: PerProcess<IoThreads> = PerProcess::new();
        self.pool.as_ref().map(|_| THREADS.get(|| IoThreads::new(MAX_TIMERS, IDLE_TIME)))
    }

    /// Threads for tasks of maps that wait, shared by all iterators. Not those that read: there may be many such tasks, for
    /// long, some of them in code of the user's that waits for a dataset of its own.
    pub(crate) fn waiting_tasks() -> &'static IoThreads {
        static THREADS: PerProcess<IoThreads> = PerProcess::new();
        THREADS.get(|| IoThreads::new(MAX_WAITING_TASKS, IDLE_TIME))
    }

    /// Threads for code of the user's that gives elements, shared by all iterators. Not those that read: code that hangs keeps its
    /// thread for ever, also when its iterator is dropped, and reads must not wait for it. Nor those of maps: a map's function may
    /// wait for such code.
    pub(crate) fn user_code() -> &'static IoThreads {
        static THREADS: PerProcess<IoThreads> = PerProcess::new();
        THREADS.get(|| IoThreads::new(MAX_USER_CODE, IDLE_TIME))
    }

    /// How many rows of `row_bytes` make a block.
    pub(crate) fn block_rows(&self, row_bytes: usize) -> usize {
        (self.block_bytes / row_bytes.max(1)).max(1)
    }

    /// Number of worker threads, 0 for the reference.
    pub(crate) fn threads(&self) -> usize {
        self.pool.as_ref().map_or(0, |pool| pool.threads())
    }
}

/// 64 KiB; see [`Runtime::block_bytes`].
pub(crate) const DEFAULT_BLOCK_BYTES: usize = 64 << 10;

/// Ten seconds: a kill loses no more than that, and files of what is computed so slowly stay few.
pub(crate) const DEFAULT_COMMIT_AFTER: Duration = Duration::from_secs(10);

/// Tasks that wait at the same time: 256 that take 30 ms are 8,000 a second, and a thread that waits costs some ten KiB.
pub(crate) const MAX_WAITING_TASKS: usize = 256;
/// Iterators of the user's that run at the same time; others wait for one of these to finish its turn. That many of them have to
/// hang before one that does not gets nothing, and they leave a process of a container threads for everything else.
pub(crate) const MAX_USER_CODE: usize = 1024;
/// Caches in files that fill at the same time: of more, some write what they have when they are asked for rows.
pub(crate) const MAX_TIMERS: usize = 256;
/// Outlasts the pauses of a training step, not the end of an epoch.
const IDLE_TIME: Duration = Duration::from_secs(10);
