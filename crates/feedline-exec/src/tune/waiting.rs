//! Whether code computes or waits.

use std::time::Instant;

/// Measures how long the thread at hand is stopped, waiting for something: not the time it works, nor the time it could
/// work and others have the core.
pub(crate) struct Waiting {
    started: Instant,
    before: Scheduled,
}

impl Waiting {
    /// Begins to measure; `None` where the system does not say. Costs some microseconds.
    pub(crate) fn start() -> Option<Waiting> {
        Some(Waiting { before: Scheduled::now()?, started: Instant::now() })
    }

    /// Nanoseconds of waiting since the start, and nanoseconds of waiting and working. Time in which others have the core is
    /// neither: a hundred threads that wait for an answer, and are woken by the thousand, queue for two cores most of the
    /// time, and wait none the less.
    pub(crate) fn elapsed_ns(&self) -> Option<(u64, u64)> {
        let total_ns = self.started.elapsed().as_nanos() as u64;
        let now = Scheduled::now()?;
        // Who never left the core did not wait. Times are brought up to date only when a thread leaves, or once in some
        // milliseconds, so without that they would say little about a short stretch.
        if now.num_turns == self.before.num_turns {
            return Some((0, total_ns));
        }
        let worked_ns = now.running_ns.saturating_sub(self.before.running_ns);
        let queued_ns = now.runnable_ns.saturating_sub(self.before.runnable_ns);
        let waited_ns = total_ns.saturating_sub(worked_ns + queued_ns);
        Some((waited_ns, waited_ns + worked_ns))
    }
}

/// What the kernel has counted for a thread.
#[derive(Debug, PartialEq, Eq)]
struct Scheduled {
    /// Time it ran.
    running_ns: u64,
    /// Time it could have run, and others did.
    runnable_ns: u64,
    /// How often it got a core.
    num_turns: u64,
}

impl Scheduled {
    /// Linux says it in one line, and there is no other way to tell a thread that waits for a core from one that waits for
    /// an answer.
    fn now() -> Option<Scheduled> {
        Scheduled::parse(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
    }

    fn parse(schedstat: &str) -> Option<Scheduled> {
        let mut numbers = schedstat.split_whitespace().map(str::parse::<u64>);
        let mut next = || numbers.next()?.ok();
        let (running_ns, runnable_ns, num_turns) = (next()?, next()?, next()?);
        // All zeros where the kernel does not count.
        (num_turns > 0).then_some(Scheduled { running_ns, runnable_ns, num_turns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_the_kernel_writes_them() {
        let scheduled = Scheduled { running_ns: 800_517, runnable_ns: 8_073_060, num_turns: 2 };
        assert_eq!(Scheduled::parse("800517 8073060 2\n"), Some(scheduled));
        for text in ["", "7", "7 8", "a b c", "0 0 0\n"] {
            assert_eq!(Scheduled::parse(text), None, "{text}");
        }
    }
}
