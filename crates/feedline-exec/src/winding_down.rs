//! Iterators that were dropped and still have memory: what a worker or a thread is in the middle of ends after the consumer is gone.
//!
//! Who finds no memory to begin with waits for them. They are about to end, and wait for nobody who begins: else whoever iterates twice over a shuffle of more
//! than half the budget would be refused the second time, or not, as workers happen to be quick.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::per_process::PerProcess;

/// What takes longer hangs: a read that does not come back, code of the user's. Nobody is to wait for that.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
struct Counts {
    /// Iterators that were dropped and are not gone.
    num_left: usize,
    /// Those that went.
    num_gone: u64,
}

/// Those of a process.
#[derive(Debug, Default)]
pub(crate) struct WindingDown {
    counts: Mutex<Counts>,
    gone: Condvar,
}

impl WindingDown {
    /// Those of this process.
    pub(crate) fn of_process() -> &'static WindingDown {
        static OF_PROCESS: PerProcess<WindingDown> = PerProcess::new();
        OF_PROCESS.get(WindingDown::default)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An iterator is dropped: gone when what this returns is.
    pub(crate) fn begin(&'static self) -> Leaving {
        self.counts().num_left += 1;
        Leaving(self)
    }

    /// How many went so far, for [`wait`](Self::wait).
    pub(crate) fn num_gone(&self) -> u64 {
        self.counts().num_gone
    }

    /// Waits until more went than `num_gone`, and says whether that is so; not if there is nobody to wait for, and no longer than until `end`.
    pub(crate) fn wait(&self, num_gone: u64, end: Instant) -> bool {
        let left = end.saturating_duration_since(Instant::now());
        let is_coming = |counts: &mut Counts| counts.num_gone == num_gone && counts.num_left > 0;
        let waited = self.gone.wait_timeout_while(self.counts(), left, is_coming);
        waited.unwrap_or_else(PoisonError::into_inner).0.num_gone > num_gone
    }
}

/// An iterator that was dropped has this until its last step is gone.
#[derive(Debug)]
pub(crate) struct Leaving(&'static WindingDown);

impl Drop for Leaving {
    fn drop(&mut self) {
        let mut counts = self.0.counts();
        counts.num_left -= 1;
        counts.num_gone += 1;
        drop(counts);
        self.0.gone.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_about_to_go_is_waited_for_and_none_is_not() {
        let all: &'static WindingDown = Box::leak(Box::default());
        let soon = || Instant::now() + Duration::from_millis(20);
        assert!(!all.wait(all.num_gone(), soon()), "there is none");
        let (leaving, before) = (all.begin(), all.num_gone());
        assert!(!all.wait(before, soon()), "it hangs");
        let waiting = std::thread::spawn(move || all.wait(before, Instant::now() + LONGEST_WAIT * 10));
        drop(leaving);
        assert!(waiting.join().expect("it does not fail"));
        // It went between the look and the wait.
        assert!(all.wait(before, soon()));
    }
}
