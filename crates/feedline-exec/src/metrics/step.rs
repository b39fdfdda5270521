//! The counters of one step.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::probe::{HeldBack, Work};
use super::snapshot::{QueueSnapshot, StepSnapshot, WorkSnapshot};

/// The counters of one step, of all operators started for it together. Relaxed everywhere: they are counts, read for
/// display and tuning, and no other memory is read because of them.
#[derive(Debug)]
pub(super) struct StepMetrics {
    name: String,
    pub(super) elements: AtomicU64,
    pub(super) errors: AtomicU64,
    pub(super) handled_errors: AtomicU64,
    pub(super) bytes: AtomicU64,
    pub(super) busy_ns: AtomicU64,
    pub(super) blocks: AtomicU64,
    pub(super) not_ready: AtomicU64,
    /// When rows came out last, in nanoseconds since the start.
    pub(super) last_rows_ns: AtomicU64,
    /// What its queue holds, if it has one.
    pub(super) depth: AtomicU64,
    pub(super) max_depth: AtomicU64,
    pub(super) unit: OnceLock<&'static str>,
    pub(super) spilled_bytes: AtomicU64,
    /// Changes of the queue, beginnings and ends of work.
    pub(super) moves: AtomicU64,
    /// The step it waited for when it last said "not yet", plus 1; 0: something of its own.
    pub(super) waits_for: AtomicUsize,
    pub(super) held_back: AtomicU8,
    waits: Mutex<Waits>,
    work: Mutex<Vec<Option<(Work, u64)>>>,
}

/// Waits of those who ask.
#[derive(Debug, Default)]
struct Waits {
    /// Finished ones, together.
    total_ns: u64,
    /// Those who wait now, and the sum of when they began.
    num_waiting: u64,
    since_sum_ns: u64,
}

impl StepMetrics {
    pub(super) fn new(name: String) -> StepMetrics {
        StepMetrics {
            name,
            elements: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            handled_errors: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            busy_ns: AtomicU64::new(0),
            blocks: AtomicU64::new(0),
            not_ready: AtomicU64::new(0),
            last_rows_ns: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            max_depth: AtomicU64::new(0),
            unit: OnceLock::new(),
            spilled_bytes: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            waits_for: AtomicUsize::new(0),
            held_back: AtomicU8::new(0),
            waits: Mutex::default(),
            work: Mutex::default(),
        }
    }

    #[cfg(debug_assertions)]
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whoever asks begins to wait.
    pub(super) fn begin_wait(&self, now_ns: u64) {
        let mut waits = locked(&self.waits);
        waits.num_waiting += 1;
        waits.since_sum_ns += now_ns;
    }

    /// A wait is over that began at `since_ns`.
    pub(super) fn end_wait(&self, since_ns: u64, now_ns: u64) {
        let mut waits = locked(&self.waits);
        waits.num_waiting -= 1;
        waits.since_sum_ns -= since_ns;
        waits.total_ns += now_ns.saturating_sub(since_ns);
    }

    /// Work begins on another thread; the number to end it by.
    pub(super) fn begin_work(&self, work: Work, now_ns: u64) -> usize {
        let mut slots = locked(&self.work);
        let free = slots.iter().position(Option::is_none).unwrap_or_else(|| {
            slots.push(None);
            slots.len() - 1
        });
        slots[free] = Some((work, now_ns));
        self.moves.fetch_add(1, Ordering::Relaxed);
        free
    }

    pub(super) fn end_work(&self, number: usize) {
        // What it holds is dropped outside the lock.
        let work = locked(&self.work)[number].take();
        drop(work);
        self.moves.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn snapshot(&self, now_ns: u64) -> StepSnapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let waits = locked(&self.waits);
        let at_hand_ns = (waits.num_waiting * now_ns).saturating_sub(waits.since_sum_ns);
        let (num_waiting, waiting_ns) = (waits.num_waiting, waits.total_ns + at_hand_ns);
        drop(waits);
        let under_way = |(work, since_ns): &(Work, u64)| WorkSnapshot {
            what: work.to_string(),
            elapsed_ns: now_ns.saturating_sub(*since_ns),
        };
        StepSnapshot {
            name: self.name.clone(),
            elements: read(&self.elements),
            errors: read(&self.errors),
            handled_errors: read(&self.handled_errors),
            bytes: read(&self.bytes),
            blocks: read(&self.blocks),
            busy_ns: read(&self.busy_ns),
            not_ready: read(&self.not_ready),
            waiting_ns,
            waits_since_ns: at_hand_ns.checked_div(num_waiting),
            waits_for: if num_waiting > 0 {
                self.waits_for.load(Ordering::Relaxed).checked_sub(1)
            } else {
                None
            },
            idle_ns: (read(&self.blocks) > 0).then(|| now_ns.saturating_sub(read(&self.last_rows_ns))),
            queue: self.unit.get().map(|unit| QueueSnapshot {
                unit,
                depth: read(&self.depth),
                max_depth: read(&self.max_depth),
            }),
            spilled_bytes: read(&self.spilled_bytes),
            under_way: locked(&self.work).iter().flatten().map(under_way).collect(),
            held_back: HeldBack::from_code(self.held_back.load(Ordering::Relaxed)).map(HeldBack::reason),
        }
    }
}

/// Nothing is called under these locks that could panic half-way.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
