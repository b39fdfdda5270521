//! How far each place runs ahead: numbers that follow from what is seen while a plan runs.
//!
//! A [`Depth`] is one such number: the tasks a `map` has in flight, the blocks a `prefetch` holds, the streams an
//! `interleave` opens ahead. It is all arithmetic: it has no clock and no threads, operators tell it what happens at the
//! moments they come by anyway, with the time as a number, so that a test runs it against a simulated machine
//! (`simulation.rs`). Nothing of it shows in what comes out.
//!
//! [`waiting`] finds out whether code computes or waits: what computes needs as many threads as there are cores, what waits
//! needs as many as wait at a time.

mod depth;
mod period;
#[cfg(test)]
mod simulation;
pub(crate) mod waiting;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub(crate) use self::depth::{Depth, Limits, Taken};

/// A depth that was found good, for those who start at the same place later: the next epoch, the next element's dataset.
#[derive(Debug, Default)]
pub(crate) struct Learned(
    /// 0: nothing is known. Relaxed: a hint, and nothing else is read because of it.
    AtomicUsize,
);

impl Learned {
    /// The depth, or `otherwise` where nothing is known.
    pub(crate) fn depth_or(&self, otherwise: usize) -> usize {
        match self.0.load(Ordering::Relaxed) {
            0 => otherwise,
            depth => depth,
        }
    }

    pub(crate) fn set(&self, depth: usize) {
        self.0.store(depth, Ordering::Relaxed);
    }
}

/// The time in nanoseconds since some moment in the past, for what operators tell a [`Depth`].
pub(crate) fn now_ns() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
