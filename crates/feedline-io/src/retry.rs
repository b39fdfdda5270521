//! [`Retrying`]: another attempt after a failure that may pass by itself.
//!
//! For blobs behind a network. Local blobs are never wrapped in it, so they pay nothing.

use crate::blob::{Access, Blob};
use crate::error::{ErrorKind, Result};
use std::path::Path;
use std::time::{Duration, Instant};

/// When to try again and when to give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts in all, the first included; 0 counts as 1.
    pub max_attempts: u32,
    /// The pause before the second attempt; it doubles from one to the next.
    pub first_pause: Duration,
    /// The pause never grows beyond this.
    pub max_pause: Duration,
    /// No new attempt begins once this much time has passed since the first.
    pub max_total: Duration,
    /// Sets the jitter. Give each process its own, or all of them come back at the same moment.
    pub seed: u64,
}

impl Default for RetryPolicy {
    /// Ten attempts within three minutes, pauses from 100 ms to 15 s: enough to live through the restart of a
    /// server or a minute of throttling, and short enough that a job with a wrong address ends today.
    fn default() -> Self {
        Self {
            max_attempts: 10,
            first_pause: Duration::from_millis(100),
            max_pause: Duration::from_secs(15),
            max_total: Duration::from_mins(3),
            seed: 0,
        }
    }
}

impl RetryPolicy {
    /// The pause after `attempt` (counted from 1) failed, for the request known by `request`.
    ///
    /// Half of it is fixed, half depends on (seed, request, attempt) alone: requests that failed together
    /// spread out, and a run can be repeated exactly.
    pub fn pause_after(&self, attempt: u32, request: u64) -> Duration {
        let doublings = attempt.saturating_sub(1).min(31);
        let full = self.first_pause.saturating_mul(1 << doublings).min(self.max_pause);
        let random = mix(mix(self.seed ^ request).wrapping_add(u64::from(attempt)));
        let share = (random >> 32) as u32;
        let half = full / 2;
        // half * share / 2^32 without floating point; u128 cannot overflow for any Duration below 2^96 ns.
        let jitter_ns = (half.as_nanos() * u128::from(share)) >> 32;
        half.saturating_add(Duration::from_nanos(u64::try_from(jitter_ns).unwrap_or(u64::MAX)))
    }
}

/// Time, as far as retries need it; given from outside so that tests do not wait.
pub trait Clock: Send + Sync {
    /// Time since a fixed moment of the past; never goes back.
    fn now(&self) -> Duration;

    /// Blocks this thread for `pause`.
    fn sleep(&self, pause: Duration);
}

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, pause: Duration) {
        std::thread::sleep(pause);
    }
}

/// A blob whose reads are tried again after an [`ErrorKind::Transient`] error; any other error is final.
///
/// The error after the last attempt has the kind and place of its cause, says how many attempts were made, and
/// keeps that cause as its source.
#[derive(Debug, Clone)]
pub struct Retrying<B, C = SystemClock> {
    blob: B,
    policy: RetryPolicy,
    clock: C,
    /// Of the location, so that different blobs pause differently.
    location_hash: u64,
}

impl<B: Blob> Retrying<B> {
    /// Wraps `blob`, with the machine's clock.
    pub fn new(blob: B, policy: RetryPolicy) -> Self {
        Self::with_clock(blob, policy, SystemClock::default())
    }
}

impl<B: Blob, C: Clock> Retrying<B, C> {
    /// Wraps `blob`, with the given clock.
    pub fn with_clock(blob: B, policy: RetryPolicy, clock: C) -> Self {
        let location = blob.location().as_os_str().as_encoded_bytes();
        let location_hash = location.iter().fold(0, |hash, byte| mix(hash ^ u64::from(*byte)));
        Self { blob, policy, clock, location_hash }
    }
}

impl<B: Blob, C: Clock> Blob for Retrying<B, C> {
    fn location(&self) -> &Path {
        self.blob.location()
    }

    fn size(&self) -> u64 {
        self.blob.size()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let start = self.clock.now();
        let request = self.location_hash ^ mix(offset);
        let mut attempt = 1;
        loop {
            let error = match self.blob.read_at(buffer, offset) {
                Err(error) if error.kind() == ErrorKind::Transient => error,
                done => return done,
            };
            if attempt >= self.policy.max_attempts {
                return Err(error.after_attempts(attempt, "the limit"));
            }
            let pause = self.policy.pause_after(attempt, request);
            let spent = self.clock.now().saturating_sub(start);
            if spent.saturating_add(pause) > self.policy.max_total {
                let limit = format!("in {spent:.1?}; the limit is {:.1?}", self.policy.max_total);
                return Err(error.after_attempts(attempt, &limit));
            }
            self.clock.sleep(pause);
            attempt += 1;
        }
    }

    fn access(&self) -> Access {
        self.blob.access()
    }
}

/// A finalizer with full avalanche (splitmix64's constants): neighbouring offsets get unrelated pauses.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use std::error::Error as _;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Fails `failures` times with `kind`, then reads zeros.
    struct Flaky {
        failures: u32,
        kind: ErrorKind,
        attempts: AtomicU32,
    }

    impl Flaky {
        fn new(failures: u32, kind: ErrorKind) -> Self {
            Self { failures, kind, attempts: AtomicU32::new(0) }
        }
    }

    impl Blob for Flaky {
        fn location(&self) -> &Path {
            Path::new("bucket/key")
        }

        fn size(&self) -> u64 {
            100
        }

        fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
            let attempt = self.attempts.fetch_add(1, Ordering::Relaxed) + 1;
            if attempt > self.failures {
                return Ok(buffer.len());
            }
            let operation = format!("read {} bytes at byte {offset}", buffer.len());
            Err(Error::new(self.kind, self.location(), operation, format!("timeout {attempt}")))
        }

        fn access(&self) -> Access {
            Access::REMOTE
        }
    }

    /// Time passes only when someone sleeps.
    #[derive(Default)]
    struct FakeClock(Mutex<Vec<Duration>>);

    impl FakeClock {
        fn pauses(&self) -> Vec<Duration> {
            self.0.lock().unwrap().clone()
        }
    }

    impl Clock for &FakeClock {
        fn now(&self) -> Duration {
            self.pauses().iter().sum()
        }

        fn sleep(&self, pause: Duration) {
            self.0.lock().unwrap().push(pause);
        }
    }

    #[test]
    fn passing_failures_are_retried_with_growing_pauses() {
        let clock = FakeClock::default();
        let policy = RetryPolicy { max_pause: Duration::from_millis(500), ..RetryPolicy::default() };
        let blob = Retrying::with_clock(Flaky::new(5, ErrorKind::Transient), policy, &clock);
        assert_eq!(blob.read_at(&mut [0; 7], 10).unwrap(), 7);
        let pauses = clock.pauses();
        for (pause, full_ms) in pauses.iter().zip([100, 200, 400, 500, 500]) {
            let full = Duration::from_millis(full_ms);
            assert!(full / 2 <= *pause && *pause <= full, "{pauses:?}");
        }
        assert_eq!(pauses.len(), 5);

        // The same request again pauses the same; another offset, another seed do not.
        let again = |seed, offset| {
            let clock = FakeClock::default();
            let policy = RetryPolicy { seed, ..policy };
            let blob = Retrying::with_clock(Flaky::new(5, ErrorKind::Transient), policy, &clock);
            blob.read_at(&mut [0; 7], offset).unwrap();
            clock.pauses()
        };
        assert_eq!(again(0, 10), pauses);
        assert_ne!(again(0, 11), pauses);
        assert_ne!(again(1, 10), pauses);
    }

    #[test]
    fn gives_up_after_the_last_attempt_and_says_so() {
        let clock = FakeClock::default();
        let policy = RetryPolicy { max_attempts: 4, ..RetryPolicy::default() };
        let blob = Retrying::with_clock(Flaky::new(99, ErrorKind::Transient), policy, &clock);
        let error = blob.read_at(&mut [0; 7], 10).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bucket/key: could not read 7 bytes at byte 10: timeout 4; gave up after 4 attempts (the limit)\n\
             hint: this may pass by itself; run the same command again"
        );
        assert_eq!(error.kind(), ErrorKind::Transient);
        assert!(error.source().unwrap().to_string().contains("timeout 4\n"));
        assert_eq!(clock.pauses().len(), 3);
    }

    #[test]
    fn gives_up_when_the_time_is_spent() {
        let clock = FakeClock::default();
        let second = Duration::from_secs(1);
        let policy = RetryPolicy {
            max_attempts: u32::MAX,
            first_pause: second,
            max_pause: second,
            max_total: second * 5,
            seed: 3,
        };
        let blob = Retrying::with_clock(Flaky::new(u32::MAX, ErrorKind::Transient), policy, &clock);
        let error = blob.read_at(&mut [0; 7], 10).unwrap_err();
        assert!((&clock).now() <= second * 5);
        assert!(error.to_string().contains("the limit is 5.0s"), "{error}");
    }

    #[test]
    fn other_errors_are_final() {
        for kind in [ErrorKind::NotFound, ErrorKind::PermissionDenied, ErrorKind::UnexpectedEnd] {
            let clock = FakeClock::default();
            let blob = Retrying::with_clock(Flaky::new(1, kind), RetryPolicy::default(), &clock);
            assert_eq!(blob.read_at(&mut [0; 7], 10).unwrap_err().kind(), kind);
            assert!(clock.pauses().is_empty());
        }
    }

    #[test]
    fn extreme_policies_do_not_overflow() {
        let policy = RetryPolicy {
            max_attempts: 0,
            first_pause: Duration::MAX,
            max_pause: Duration::MAX,
            max_total: Duration::MAX,
            seed: u64::MAX,
        };
        assert!(policy.pause_after(u32::MAX, u64::MAX) >= Duration::MAX / 2);
        let zero = RetryPolicy { first_pause: Duration::ZERO, ..policy };
        assert_eq!(zero.pause_after(0, 0), Duration::ZERO);
    }
}
