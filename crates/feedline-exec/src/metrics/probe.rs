//! The end of a step's counters that its operators hold.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Metrics;
use super::step::StepMetrics;
use crate::runtime::MAX_USER_CODE;

/// Where an operator notes what it holds and what is done for it.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    metrics: Arc<Metrics>,
    step: usize,
}

impl Probe {
    /// The probe of step number `step`.
    pub(crate) fn new(metrics: &Arc<Metrics>, step: usize) -> Probe {
        Probe { metrics: Arc::clone(metrics), step }
    }

    /// One that nobody reads.
    #[cfg(test)]
    pub(crate) fn unread() -> Probe {
        Probe::new(&Metrics::new([String::new()]), 0)
    }

    fn counters(&self) -> &StepMetrics {
        &self.metrics.steps[self.step]
    }

    /// The step's queue holds `depth` more, counted in `unit`, until this is dropped.
    pub(crate) fn hold(&self, unit: &'static str, depth: u64) -> QueuePart {
        // A step that is several operators inside shows the queue of the one that had the first.
        let is_shown = *self.counters().unit.get_or_init(|| unit) == unit;
        let mut held = QueuePart { probe: self.clone(), depth: 0, is_shown };
        held.set(depth);
        held
    }

    /// Work begins on another thread; it is under way until this is dropped.
    pub(crate) fn begin(&self, work: Work) -> UnderWay {
        let number = self.counters().begin_work(work, self.metrics.now_ns());
        UnderWay { probe: self.clone(), number }
    }

    /// So many bytes were written to the spill folder.
    pub(crate) fn add_spilled(&self, bytes: u64) {
        self.counters().spilled_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many errors were left out or replaced.
    pub(crate) fn add_handled_errors(&self, count: u64) {
        self.counters().handled_errors.fetch_add(count, Ordering::Relaxed);
    }

    /// Notes what keeps it from running ahead.
    pub(crate) fn hold_back(&self, why: Option<HeldBack>) {
        self.counters().held_back.store(why.map_or(0, HeldBack::code), Ordering::Relaxed);
    }
}

/// A part of what a step's queue holds, taken out by drop.
#[derive(Debug)]
pub(crate) struct QueuePart {
    probe: Probe,
    depth: u64,
    is_shown: bool,
}

impl QueuePart {
    /// Makes it `depth`.
    pub(crate) fn set(&mut self, depth: u64) {
        if depth == self.depth || !self.is_shown {
            return;
        }
        let counters = self.probe.counters();
        // Others change their parts at the same time; wrapping, so that one operation both adds and takes away.
        let change = depth.wrapping_sub(self.depth);
        let now = counters.depth.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        counters.max_depth.fetch_max(now, Ordering::Relaxed);
        counters.moves.fetch_add(1, Ordering::Relaxed);
        self.depth = depth;
    }
}

impl Drop for QueuePart {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// What can be done for a step on another thread.
#[derive(Debug)]
pub(crate) enum Work {
    /// Computing so many elements, maybe with user code.
    Compute {
        rows: usize,
    },
    /// User code that gives elements.
    Iterate,
    /// User code that has no thread yet.
    Queue,
    Open {
        paths: Arc<Vec<PathBuf>>,
        file: usize,
    },
    Read {
        paths: Arc<Vec<PathBuf>>,
        file: usize,
        range: Range<u64>,
    },
    /// Compressed: where it is in the file is not known, where it is in the contents is.
    Inflate {
        paths: Arc<Vec<PathBuf>>,
        file: usize,
        offset: u64,
    },
    /// Something else with files.
    Files(&'static str),
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Compute { rows: 1 } => write!(f, "computing 1 element"),
            Work::Compute { rows } => write!(f, "computing {rows} elements"),
            Work::Iterate => write!(f, "running the iterator's own code"),
            Work::Queue => write!(
                f,
                "waiting for a thread to run the iterator's own code: {MAX_USER_CODE} iterators that run at a time, this one's or others', have \
                 not come back from theirs"
            ),
            Work::Open { paths, file } => write!(f, "opening {}", paths[*file].display()),
            Work::Read { paths, file, range } => {
                write!(f, "reading {} at byte {}", paths[*file].display(), range.start)
            }
            Work::Inflate { paths, file, offset } => {
                write!(f, "reading {} at byte {offset} of its contents", paths[*file].display())
            }
            Work::Files(what) => f.write_str(what),
        }
    }
}

/// Work that has begun; it ends by drop.
#[derive(Debug)]
pub(crate) struct UnderWay {
    probe: Probe,
    number: usize,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.probe.counters().end_work(self.number);
    }
}

/// What keeps a step from running further ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldBack {
    /// Its queue is full: whoever comes behind it has to take something.
    Full,
    /// The memory budget is used up.
    Budget,
}

impl HeldBack {
    fn code(self) -> u8 {
        match self {
            HeldBack::Full => 1,
            HeldBack::Budget => 2,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<HeldBack> {
        [HeldBack::Full, HeldBack::Budget].into_iter().find(|why| why.code() == code)
    }

    pub(super) fn reason(self) -> &'static str {
        match self {
            HeldBack::Full => "its queue is full until the step behind it takes something",
            HeldBack::Budget => "the memory budget is used up",
        }
    }
}
