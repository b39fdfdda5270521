//! Read buffers that are used again.
//!
//! A fresh buffer of 256 KiB costs more than filling it: the kernel maps and clears 64 pages first.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use feedline_data::block::Buffer;

/// Buffers that come back when the last row in them is dropped. Clones share them.
///
/// A thread gets the buffer that it filled last, if it came back: in another core's cache, memory that is written over has to
/// be fetched from there first.
#[derive(Clone, Debug)]
pub(crate) struct Buffers {
    kept: Arc<Mutex<Vec<Kept>>>,
    /// Bytes of those that wait, at most.
    max_bytes: usize,
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers { kept: Arc::default(), max_bytes: usize::MAX }
    }
}

#[derive(Debug)]
struct Kept {
    bytes: Vec<u8>,
    filled_by: ThreadId,
}

/// Buffers kept for the next reader: what a large batch of records held until it was given back.
const MAX_KEPT: usize = 64;
/// Larger ones, for single large records, go back to the system.
const MAX_KEPT_BYTES: usize = 4 << 20;
/// What waits here is in nobody's charge, so it is a small part of the budget.
const PART_OF_BUDGET: u64 = 16;

impl Buffers {
    /// The same, for a reader within a budget of `limit_bytes`.
    pub(crate) fn within(&self, limit_bytes: u64) -> Buffers {
        let max_bytes = usize::try_from(limit_bytes / PART_OF_BUDGET).unwrap_or(usize::MAX);
        Buffers { kept: Arc::clone(&self.kept), max_bytes }
    }

    /// A buffer with what it held when it was last used: to be written over, not cleared, which would cost as much again as
    /// reading.
    pub(crate) fn take(&self) -> Vec<u8> {
        let me = thread::current().id();
        let mut kept = self.lock();
        let mine = kept.iter().rposition(|buffer| buffer.filled_by == me);
        match mine.or(kept.len().checked_sub(1)) {
            Some(place) => kept.remove(place).bytes,
            None => Vec::new(),
        }
    }

    /// Takes back a buffer that was not shared after all.
    pub(crate) fn put(&self, bytes: Vec<u8>) {
        self.keep(bytes, thread::current().id());
    }

    fn keep(&self, bytes: Vec<u8>, filled_by: ThreadId) {
        let mut kept = self.lock();
        let waiting: usize = kept.iter().map(|buffer| buffer.bytes.capacity()).sum();
        let is_small = bytes.capacity() <= MAX_KEPT_BYTES.min(self.max_bytes)
            && waiting <= self.max_bytes - bytes.capacity();
        if kept.len() < MAX_KEPT && is_small {
            kept.push(Kept { bytes, filled_by });
        }
    }

    /// The bytes to be shared; the buffer comes back when nobody has a share any more.
    pub(crate) fn share(&self, bytes: Vec<u8>) -> Buffer {
        Buffer::from_lender(Lent { bytes, filled_by: thread::current().id(), home: self.clone() })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Lent {
    bytes: Vec<u8>,
    filled_by: ThreadId,
    home: Buffers,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.home.keep(std::mem::take(&mut self.bytes), self.filled_by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_with_its_memory() {
        let buffers = Buffers::default();
        let mut bytes = buffers.take();
        bytes.resize(1000, 7);
        let place = bytes.as_ptr();
        let shared = buffers.share(bytes);
        let slice = shared.slice(10..20);
        drop(shared);
        assert_eq!(buffers.take().capacity(), 0);
        drop(slice);
        let again = buffers.take();
        assert!(again.len() == 1000 && again.as_ptr() == place);
    }

    #[test]
    fn no_more_is_kept_than_a_part_of_the_budget() {
        let buffers = Buffers::default().within(PART_OF_BUDGET * 1000);
        let lent = [400, 400, 400, 2000].map(|bytes| buffers.share(Vec::with_capacity(bytes)));
        drop(lent);
        let kept = || Some(buffers.take().capacity()).filter(|&bytes| bytes > 0);
        assert_eq!([kept(), kept(), kept()], [Some(400), Some(400), None]);
    }
}
