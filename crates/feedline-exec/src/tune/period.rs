//! What was seen at one place in a stretch of time.

/// What was seen since some moment: a stretch of takes long enough to say something.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Period {
    /// When it began; `None` before the first take.
    started_ns: Option<u64>,
    pub(super) num_takes: usize,
    rows: u64,
    bytes: u64,
    waited_ns: u64,
    last_ns: u64,
    /// Whether the side that fills stopped because the depth was reached, and the other waited.
    pub(super) is_parked: bool,
    /// Whether the budget said no.
    pub(super) is_refused: bool,
    /// Takes that left less than half of the depth ready.
    num_deep: usize,
}

/// One take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) now_ns: u64,
    pub(crate) rows: usize,
    pub(crate) bytes: u64,
    /// Whether half of the depth would have done: as much was ready behind it.
    pub(crate) is_half_ready: bool,
}

impl Period {
    /// A period that begins now.
    pub(super) fn starting(now_ns: u64) -> Period {
        Period { started_ns: Some(now_ns), last_ns: now_ns, ..Period::default() }
    }

    /// Counts a take that was waited for so long.
    pub(super) fn take(&mut self, taken: Taken, waited_ns: u64) {
        let started_ns = *self.started_ns.get_or_insert(taken.now_ns);
        self.num_takes += 1;
        self.rows += taken.rows as u64;
        self.bytes += taken.bytes;
        // A wait that began before the period is the one before's.
        self.waited_ns += waited_ns.min(taken.now_ns.saturating_sub(started_ns));
        self.last_ns = taken.now_ns;
        self.num_deep += usize::from(!taken.is_half_ready);
    }

    pub(super) fn elapsed_ns(&self) -> u64 {
        self.started_ns.map_or(0, |started_ns| self.last_ns.saturating_sub(started_ns))
    }

    /// Time a row took, and what of it was waiting.
    pub(super) fn row_time(&self) -> RowTime {
        let rows = self.rows.max(1) as f64;
        RowTime { total_ns: self.elapsed_ns() as f64 / rows, waited_ns: self.waited_ns as f64 / rows }
    }

    /// Bytes of a take.
    pub(super) fn entry_bytes(&self) -> u64 {
        self.bytes / self.num_takes.max(1) as u64
    }

    /// Whether half of the depth would have done all the time.
    pub(super) fn is_half_enough(&self) -> bool {
        self.num_takes > 0 && self.num_deep == 0
    }
}

/// What a row took.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowTime {
    pub(super) total_ns: f64,
    pub(super) waited_ns: f64,
}

/// Waiting below this part of the time is not worth more memory: the most that could be gained is less than what runs differ by.
const LITTLE_WAITING: f64 = 0.02;
/// What more depth must save of the time where that is much memory: more of it is in no cache.
const WORTH_MUCH_MEMORY: f64 = 0.05;
/// More depth must save this part of the waiting to be kept. Where the depth is what limits, twice of it saves half; where it
/// does not, what is saved is noise.
const WORTH_KEEPING: f64 = 0.05;
/// And so much of what is saved must be seen in what a row takes in all: where more is in flight than the caches hold, whoever
/// takes waits less, since he is slower himself.
const SEEN_IN_ALL: f64 = 0.5;
/// The load is another one if a row waits so many times as long, or as short.
const CHANGED: f64 = 2.0;

impl RowTime {
    /// Whether hardly any time is spent waiting.
    pub(super) fn is_good(&self) -> bool {
        self.waited_ns <= self.total_ns * LITTLE_WAITING
    }

    /// Whether it is better than `before`, by more than noise.
    pub(super) fn is_gain_over(&self, before: &RowTime) -> bool {
        let saved_ns = before.waited_ns - self.waited_ns;
        saved_ns >= before.waited_ns * WORTH_KEEPING
            && saved_ns >= before.total_ns * LITTLE_WAITING
            && self.total_ns <= before.total_ns - saved_ns * SEEN_IN_ALL
    }

    /// Whether it is better by so much that it is worth much memory.
    pub(super) fn saves_much_of(&self, before: &RowTime) -> bool {
        before.waited_ns - self.waited_ns >= before.total_ns * WORTH_MUCH_MEMORY
    }

    /// Whether the load is another than `before`.
    pub(super) fn is_other_load_than(&self, before: &RowTime) -> bool {
        let differs = |now: f64, then: f64| now > then * CHANGED || then > now * CHANGED;
        differs(self.waited_ns, before.waited_ns)
    }
}
