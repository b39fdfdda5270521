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

    /// Nanoseconds of waiting since the start, and nanoseconds in all.
    pub(crate) fn elapsed_ns(&self) -> Option<(u64, u64)> {
        let total_ns = self.started.elapsed().as_nanos() as u64;
        let now = Scheduled::now()?;
        // Who never left the core did not wait. Times are brought up to date only when a thread leaves, or once in some
        // milliseconds, so without that they would say little about a short stretch.
        let waited_ns = if now.num_turns == self.before.num_turns {
            0
        } else {
            total_ns.saturating_sub(now.scheduled_ns.saturating_sub(self.before.scheduled_ns))
        };
        Some((waited_ns, total_ns))
    }
}

/// What the kernel has counted for a thread.
#[derive(Debug, PartialEq, Eq)]
struct Scheduled {
    /// Time it ran, or waited for a core to run on.
    scheduled_ns: u64,
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
        (num_turns > 0).then_some(Scheduled { scheduled_ns: running_ns + runnable_ns, num_turns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_the_kernel_writes_them() {
        let scheduled = Scheduled { scheduled_ns: 8_873_577, num_turns: 2 };
        assert_eq!(Scheduled::parse("800517 8073060 2\n"), Some(scheduled));
        for text in ["", "7", "7 8", "a b c", "0 0 0\n"] {
            assert_eq!(Scheduled::parse(text), None, "{text}");
        }
    }
}
