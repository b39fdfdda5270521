//! The controller of one place.
//!
//! # What it goes by
//! At each place somebody takes, in order, what others fill in ahead of it; the depth is how far ahead they may be. More depth
//! helps only if the taker *waits* though the fillers were *parked*: they had stopped because the depth was reached. It
//! is not enough that both happen: a disk that is busy answers no faster when asked for more. So more depth is *tried*, and
//! kept if a row then waits less (and, where it is much memory, waits more again when there is less of it). What is compared is the time rows were waited for, not the rate: a consumer that pauses or
//! slows down changes the rate, and means nothing by it.
//!
//! Less depth does where half of it was ready at every take for a long time.
//!
//! # Why it comes to rest
//! Without waiting nothing is tried. A try that failed is repeated after twice as long each time, unless the load has become
//! another one. Having shrunk too far, it waits twice as long before it shrinks again.

use super::period::{Period, RowTime};

pub(crate) use super::period::Taken;

/// Between what a depth may move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) min: usize,
    pub(crate) start: usize,
    pub(crate) max: usize,
    /// Bytes that may be held for more depth than `min`.
    pub(crate) max_bytes: u64,
}

/// How far ahead one place runs.
#[derive(Debug)]
pub(crate) struct Depth {
    current: usize,
    limits: Limits,
    stage: Stage,
    /// Takes that are not looked at: they are of before the depth changed.
    takes_to_settle: usize,
    period: Period,
    /// Since when the taker waits.
    waiting_since_ns: Option<u64>,
    /// Whether the fillers were parked in this period, takes since, and the most takes between two such moments.
    was_parked: bool,
    takes_since_parked: usize,
    longest_run: usize,
    /// Periods in a row in which half would have done, and how many it takes to believe it.
    num_half_enough: u32,
    patience: u32,
    /// Whether it shrank since it last grew.
    has_shrunk: bool,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// More depth is measured.
    Trying(Try),
    /// The setting is left alone as long as there is no reason to try more. `at` is what it gives, `failed` the last try that
    /// brought nothing.
    Resting { at: Option<RowTime>, failed: Option<Failed> },
}

/// More depth, to be kept or not. Where that is much memory, more and less are measured in turns: a machine that does other
/// things too has better moments and worse ones.
#[derive(Clone, Copy, Debug)]
struct Try {
    /// The depth before, and what it gave last.
    less: usize,
    with_less: RowTime,
    /// The depth that is tried, and what it gave last; `None` before it was measured.
    more: usize,
    with_more: Option<RowTime>,
    /// How often more was better.
    num_gains: u32,
    /// Takes that were looked at the last time: as many are now, at least.
    num_takes: usize,
    failed: Option<Failed>,
}

impl Try {
    /// What comes behind it if it brings nothing, where less gives `with_less`.
    fn failed(&self, with_less: RowTime) -> Stage {
        let pause = self.failed.map_or(FIRST_PAUSE, |failed| failed.pause.saturating_mul(2));
        Stage::Resting { at: Some(with_less), failed: Some(Failed { periods_left: pause, pause }) }
    }
}

/// A try that brought nothing.
#[derive(Clone, Copy, Debug)]
struct Failed {
    /// Periods until the next, and those there were to be after this one.
    periods_left: u32,
    pause: u32,
}

/// What a period of a try says.
enum Verdict {
    /// The depth there is now is kept.
    Keep,
    /// Another depth comes next.
    GoOn(usize, Stage),
}

/// A period is so many depths of takes, and so long, at least: several rounds of everything in flight, and longer than the
/// hiccups of a machine that does other things too.
const DEPTHS_A_PERIOD: usize = 3;
const MIN_PERIOD_NS: u64 = 10_000_000;
/// Where so much is held, a period is longer: what is beyond the caches costs time, which a try that seems to be a gain by
/// mistake would take from everybody for long.
const MUCH_BYTES: u64 = 1 << 20;
const MIN_PERIOD_OF_MUCH_NS: u64 = 50_000_000;
/// A period ends where the fillers are parked, so that it has whole bursts of a consumer that comes in bursts; but not later than
/// after so many times its length.
const MAX_STRETCH: usize = 32;
const MAX_STRETCH_OF_MUCH: usize = 8;
/// So often in a row more must have been better than less where it is much memory.
const NUM_GAINS_FOR_MUCH: u32 = 4;
/// Periods without another try after the first that failed; twice as many after each that follows.
const FIRST_PAUSE: u32 = 8;
/// Depth doubles, or grows as far as a burst went where there are bursts, but not by more than this: twice as much of a
/// queue that is far too short for a burst saves next to nothing, and would not be kept.
const MAX_GROWTH: usize = 16;
/// Periods in which half would have done before it shrinks, at first and at most.
const FIRST_PATIENCE: u32 = 4;
const MAX_PATIENCE: u32 = 1024;

impl Depth {
    /// A depth that stays what it is: somebody said so.
    pub(crate) fn fixed(depth: usize) -> Depth {
        Depth::tuned(Limits { min: depth, start: depth, max: depth, max_bytes: u64::MAX })
    }

    /// A depth that moves between `limits`.
    pub(crate) fn tuned(limits: Limits) -> Depth {
        let min = limits.min.max(1);
        let limits = Limits { min, max: limits.max.max(min), ..limits };
        Depth {
            current: limits.start.clamp(limits.min, limits.max),
            limits,
            stage: Stage::Resting { at: None, failed: None },
            takes_to_settle: 1,
            period: Period::default(),
            waiting_since_ns: None,
            was_parked: false,
            takes_since_parked: usize::MAX / 2,
            longest_run: 0,
            num_half_enough: 0,
            patience: FIRST_PATIENCE,
            has_shrunk: false,
        }
    }

    /// How far ahead to be now.
    pub(crate) fn get(&self) -> usize {
        self.current
    }

    /// The depth without a try that is under way: what to start from another time.
    pub(crate) fn settled(&self) -> usize {
        match self.stage {
            Stage::Trying(tried) => tried.less,
            Stage::Resting { .. } => self.current,
        }
    }

    fn is_fixed(&self) -> bool {
        self.limits.min == self.limits.max
    }

    /// The fillers have nothing to do, because the depth is reached.
    pub(crate) fn parked(&mut self) {
        if self.was_parked {
            self.longest_run = self.longest_run.max(self.takes_since_parked);
        }
        self.takes_since_parked = 0;
        self.was_parked = true;
    }

    /// The taker found nothing ready. Told again before the next take, it is the same wait.
    pub(crate) fn waits(&mut self, now_ns: u64) {
        self.waiting_since_ns.get_or_insert(now_ns);
        self.period.is_parked |= self.was_parked;
    }

    /// The budget refused to go as far.
    pub(crate) fn refused(&mut self) {
        self.period.is_refused = true;
    }

    /// Something was taken.
    pub(crate) fn taken(&mut self, taken: Taken) {
        if self.is_fixed() {
            return;
        }
        self.takes_since_parked = self.takes_since_parked.saturating_add(1);
        let waited_ns =
            self.waiting_since_ns.take().map_or(0, |since_ns| taken.now_ns.saturating_sub(since_ns));
        if self.takes_to_settle > 0 {
            self.takes_to_settle -= 1;
            let is_over =
                self.takes_to_settle <= self.current * (MAX_STRETCH - 1) && self.is_between_bursts();
            if is_over || self.takes_to_settle == 0 {
                self.takes_to_settle = 0;
                self.begin_period(taken.now_ns);
            }
            return;
        }
        self.period.take(taken, waited_ns);
        if self.is_period_over() {
            let period = self.period;
            self.end_period(&period);
            self.begin_period(taken.now_ns);
        }
    }

    fn begin_period(&mut self, now_ns: u64) {
        self.period = Period::starting(now_ns);
        self.was_parked = self.is_between_bursts();
        self.longest_run = 0;
    }

    fn is_period_over(&self) -> bool {
        let as_many = match self.stage {
            Stage::Trying(tried) => tried.num_takes,
            Stage::Resting { .. } => 0,
        };
        let wanted = self.current * DEPTHS_A_PERIOD;
        let (min_ns, max_stretch) = if self.is_much_held(&self.period) {
            (MIN_PERIOD_OF_MUCH_NS, MAX_STRETCH_OF_MUCH)
        } else {
            (MIN_PERIOD_NS, MAX_STRETCH)
        };
        let is_long = self.period.num_takes >= wanted.max(as_many) && self.period.elapsed_ns() >= min_ns;
        let is_whole = self.is_between_bursts() || self.period.is_half_enough();
        is_long && (is_whole || self.period.num_takes >= wanted * max_stretch)
    }

    fn is_much_held(&self, period: &Period) -> bool {
        period.entry_bytes().saturating_mul(self.current as u64) >= MUCH_BYTES
    }

    /// Whether the fillers were parked at this very moment, or nearly: a burst is over, or there are none.
    fn is_between_bursts(&self) -> bool {
        self.takes_since_parked <= 1
    }

    fn end_period(&mut self, period: &Period) {
        let now = period.row_time();
        let fits = usize::try_from(self.limits.max_bytes / period.entry_bytes().max(1)).unwrap_or(usize::MAX);
        let max = self.limits.max.min(fits).max(self.limits.min);
        if self.current > max {
            // Entries have become larger. More of them than fit was only tried: nobody knows whether it is any good.
            match self.stage {
                Stage::Trying(tried) if tried.less <= max => {
                    self.change_to(tried.less, tried.failed(tried.with_less));
                }
                _ => self.change_to(max, Stage::Resting { at: None, failed: None }),
            }
            return;
        }
        let failed = match self.stage {
            Stage::Trying(tried) => match self.judge(tried, now, period) {
                Verdict::Keep => None,
                Verdict::GoOn(depth, stage) => {
                    self.change_to(depth, stage);
                    return;
                }
            },
            // A pause is for the load it was made for.
            Stage::Resting { at, failed } => failed
                .filter(|_| at.is_none_or(|at| !now.is_other_load_than(&at)))
                .map(|failed| Failed { periods_left: failed.periods_left.saturating_sub(1), ..failed }),
        };
        let at = match (self.stage, failed) {
            (Stage::Resting { at: Some(at), .. }, Some(_)) => at,
            _ => now,
        };
        self.stage = Stage::Resting { at: Some(at), failed };
        let is_limit = period.is_parked && !period.is_refused && !now.is_good();
        let is_pausing = failed.is_some_and(|failed| failed.periods_left > 0);
        if is_limit && !is_pausing && self.current < max {
            self.grow(max, now, period.num_takes, failed);
        } else {
            self.shrink_if_half_is_enough(period);
        }
    }

    /// What becomes of a try after another period of it.
    fn judge(&self, mut tried: Try, now: RowTime, period: &Period) -> Verdict {
        let is_more = self.current == tried.more;
        *if is_more { tried.with_more.insert(now) } else { &mut tried.with_less } = now;
        let Try { less, more, with_less, .. } = tried;
        let with_more = tried.with_more.expect("it is measured first");
        let is_much = self.is_much_held(period);
        let is_gain = with_more.is_gain_over(&with_less) && (!is_much || with_more.saves_much_of(&with_less));
        if !is_gain {
            return Verdict::GoOn(less, tried.failed(with_less));
        }
        tried.num_gains += 1;
        if is_more && (!is_much || tried.num_gains > NUM_GAINS_FOR_MUCH) {
            return Verdict::Keep;
        }
        tried.num_takes = period.num_takes;
        Verdict::GoOn(if is_more { less } else { more }, Stage::Trying(tried))
    }

    fn grow(&mut self, max: usize, with_less: RowTime, num_takes: usize, failed: Option<Failed>) {
        if std::mem::take(&mut self.has_shrunk) {
            self.patience = (self.patience * 2).min(MAX_PATIENCE);
        }
        let run = if self.was_parked { self.longest_run.max(self.takes_since_parked) } else { 0 };
        let more = run.clamp(self.current * 2, self.current * MAX_GROWTH).min(max);
        let less = self.current;
        let tried = Try { less, with_less, more, with_more: None, num_gains: 0, num_takes, failed };
        self.change_to(more, Stage::Trying(tried));
    }

    fn shrink_if_half_is_enough(&mut self, period: &Period) {
        if !period.is_half_enough() || self.current == self.limits.min {
            self.num_half_enough = 0;
            return;
        }
        self.num_half_enough += 1;
        if self.num_half_enough >= self.patience {
            self.has_shrunk = true;
            let depth = (self.current - self.current.div_ceil(4)).max(self.limits.min);
            self.change_to(depth, Stage::Resting { at: None, failed: None });
        }
    }

    fn change_to(&mut self, depth: usize, stage: Stage) {
        self.takes_to_settle = depth * (MAX_STRETCH - 1) + depth.max(self.current);
        self.current = depth;
        self.stage = stage;
        self.num_half_enough = 0;
    }
}
