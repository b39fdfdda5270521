//! Room for what decoding holds beside its result, shared by all threads.
//!
//! Our own decoder holds a few rows. Progressive JPEGs, and others that a library decodes, have all their coefficients and pixels in memory
//! at once, some ten times the bytes of the result: with a thread a core that is more than the budget, which counts results. So such
//! images are decoded as many at a time as come to a part of the budget, and at least one.
//!
//! Who waits here has nothing that the others need: decoding asks nobody for anything, and ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Decoding holds no larger part of the budget: results, and what is read ahead, need the rest.
const PART_OF_BUDGET: u64 = 4;

/// Counts the bytes that are held, and lets others wait for them.
#[derive(Debug)]
pub(super) struct Room {
    held_bytes: Mutex<u64>,
    given_back: Condvar,
}

/// Bytes that are held, until this is dropped.
#[derive(Debug)]
pub(super) struct Held<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Room {
    const fn new() -> Room {
        Room { held_bytes: Mutex::new(0), given_back: Condvar::new() }
    }

    /// That of this process: pipelines share its memory, whichever budget each of them has.
    pub(super) fn of_decoding() -> &'static Room {
        static ROOM: Room = Room::new();
        &ROOM
    }

    /// Waits until `bytes` more are no more than a part of all the memory there is, or nobody else holds any. Nothing is never waited
    /// for, nor anything where no limit is known.
    pub(super) fn take(&self, bytes: u64, limit_bytes: Option<u64>) -> Option<Held<'_>> {
        let limit_bytes = limit_bytes.filter(|_| bytes > 0)?;
        let mut held = self.lock();
        while !fits(*held, bytes, limit_bytes) {
            held = self.given_back.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        *held += bytes;
        Some(Held { room: self, bytes })
    }

    /// Whoever panicked while it held the lock left a number that is right: it is changed in one step.
    fn lock(&self) -> MutexGuard<'_, u64> {
        self.held_bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fits(held_bytes: u64, bytes: u64, limit_bytes: u64) -> bool {
    held_bytes == 0 || held_bytes.saturating_add(bytes) <= limit_bytes / PART_OF_BUDGET
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *self.room.lock() -= self.bytes;
        // All of them: which one fits now is not known here.
        self.room.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn one_may_always_and_more_as_far_as_they_fit() {
        assert!(fits(0, 1000, 100));
        assert!(fits(10, 15, 100) && !fits(10, 16, 100));
        assert!(!fits(1, u64::MAX, 100));
        let room = Room::new();
        assert!(room.take(0, Some(1)).is_none() && room.take(5, None).is_none());
        let (one, two) = (room.take(10, Some(100)), room.take(15, Some(100)));
        assert_eq!(*room.lock(), 25);
        drop((one, two));
        assert_eq!(*room.lock(), 0);
    }

    #[test]
    fn threads_hold_no_more_than_their_part_and_all_come_through() {
        let (room, held, most, done) = (Room::new(), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (room, held, most, done) = (&room, &held, &most, &done);
                scope.spawn(move || {
                    for turn in 0..50 {
                        let bytes = 1 + (thread * 7 + turn) % 13;
                        let _held = room.take(bytes, Some(80));
                        let now = held.fetch_add(bytes, Ordering::SeqCst) + bytes;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        held.fetch_sub(bytes, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 400);
        assert!(most.into_inner() <= 80 / PART_OF_BUDGET);
        assert_eq!(*room.lock(), 0);
    }
}
