//! When nothing moves: who waits for whom, told once.
//!
//! Only the consumer's thread waits, so it is the one who notices. It wakes up now and then and looks whether anything moved
//! meanwhile, in any step: a shuffle that takes minutes to fill is no stall. If nothing did for long enough, it tells.

use std::thread;
use std::time::{Duration, Instant};

use crate::metrics::Snapshot;
use crate::notices::Notices;

/// How long nothing may move, and where that is told.
#[derive(Debug)]
pub(crate) struct StallWatch {
    /// Zero: for ever.
    after: Duration,
    notices: Notices,
}

impl StallWatch {
    pub(crate) fn new(after: Duration, notices: Notices) -> StallWatch {
        StallWatch { after, notices }
    }

    /// For a wait that begins now; `progress` is what [`Patience::park`] compares with.
    pub(crate) fn patience(&self, progress: u64) -> Patience {
        let now = Instant::now();
        Patience { after: self.after, progress, moved: now, looked: now, has_told: false }
    }

    /// Tells that nothing has moved for `idle`.
    pub(crate) fn tell(&self, idle: Duration, snapshot: &Snapshot) {
        self.notices.tell(&report(idle, snapshot));
    }
}

/// The patience of one wait.
pub(crate) struct Patience {
    after: Duration,
    /// As it was when somebody last looked, and when it last changed.
    progress: u64,
    moved: Instant,
    looked: Instant,
    has_told: bool,
}

/// Looks in the time that makes a stall: a stall is told at most a quarter too late.
const LOOKS: u32 = 4;

impl Patience {
    /// Parks the thread until it is unparked, or `longest` is over, or it is time to look; tells once if nothing has moved
    /// for too long.
    pub(crate) fn park(
        &mut self,
        longest: Option<Duration>,
        progress: impl FnOnce() -> u64,
        tell: impl FnOnce(Duration),
    ) {
        if self.after.is_zero() {
            longest.map_or_else(thread::park, thread::park_timeout);
            return;
        }
        let tick = self.after / LOOKS;
        thread::park_timeout(longest.map_or(tick, |longest| longest.min(tick)));
        if self.looked.elapsed() >= tick {
            self.look(Instant::now(), progress(), tell);
        }
    }

    fn look(&mut self, now: Instant, progress: u64, tell: impl FnOnce(Duration)) {
        self.looked = now;
        if progress != self.progress {
            (self.progress, self.moved, self.has_told) = (progress, now, false);
            return;
        }
        let idle = now.saturating_duration_since(self.moved);
        if idle >= self.after && !self.has_told {
            self.has_told = true;
            tell(idle);
        }
    }
}

/// What is told.
fn report(idle: Duration, snapshot: &Snapshot) -> String {
    let seconds = idle.as_secs_f64();
    let last = snapshot.steps.len();
    let works = snapshot.steps.iter().zip(1..).flat_map(|(step, number)| {
        step.under_way.iter().map(move |work| (work.elapsed_ns, number, &work.what))
    });
    let hint = match works.max() {
        Some((_, number, what)) => format!("step {number} is the one that holds up the others: {what}"),
        None => {
            "no step is at work; if there is no reason for that in the program, please report it".to_owned()
        }
    };
    format!(
        "feedline: nothing has moved for {seconds:.1} s. The caller waits for an element of step {last}. The steps:\n\
         {snapshot}\n\
         hint: {hint}\n\
         hint: Options::stall_after or FEEDLINE_STALL_S says after how many seconds this is told; 0 is never"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_told_once_and_again_after_something_moved() {
        let watch = StallWatch::new(Duration::from_secs(30), Notices::default());
        let mut patience = watch.patience(7);
        let start = patience.moved;
        // Seconds, progress, whether it is told then.
        let looks = [
            (8, 7, false),
            (15, 8, false),
            (23, 8, false),
            (44, 8, false),
            (45, 8, true),
            (53, 8, false),
            (90, 8, false),
            (98, 9, false),
            (120, 9, false),
            (128, 9, true),
        ];
        for (seconds, progress, is_told) in looks {
            let mut told = None;
            patience.look(start + Duration::from_secs(seconds), progress, |idle| told = Some(idle));
            assert_eq!(told.is_some(), is_told, "{seconds} s");
            assert!(told.is_none_or(|idle| idle == Duration::from_secs(30)), "{told:?}");
        }
    }
}
