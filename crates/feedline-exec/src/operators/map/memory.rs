//! Memory of batches that is used again.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use feedline_data::block::{Memory, Room};

use crate::budget::{Budget, Charge};

/// Memory of batches that were dropped, for those to come. What is kept is charged to the budget like everything else, and
/// is no more than a small part of it.
pub(super) struct BatchMemory {
    budget: Arc<Budget>,
    /// `None`: there are no batches to come.
    kept: Mutex<Option<Vec<(Room, Charge)>>>,
}

/// At most so much of the budget is kept.
const PART_OF_BUDGET: u64 = 16;
/// Small pieces the allocator hands out from memory it has anyway.
const MIN_BYTES: usize = 32 << 10;

impl BatchMemory {
    /// None yet, charged to `budget`.
    pub(super) fn of(budget: &Arc<Budget>) -> Arc<BatchMemory> {
        Arc::new(BatchMemory { budget: Arc::clone(budget), kept: Mutex::new(Some(Vec::new())) })
    }

    /// Lets go of what is kept, and of what comes back from now on.
    pub(super) fn close(&self) {
        let kept = self.lock().take();
        drop(kept);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<(Room, Charge)>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory for BatchMemory {
    fn take(&self, num_bytes: usize) -> Room {
        let mut kept = self.lock();
        let Some(kept) = kept.as_mut() else { return Room::new(num_bytes) };
        // The last to come back is the likeliest to be in a cache. Much larger ones are for others.
        let fits = |(room, _): &(Room, Charge)| (num_bytes..=num_bytes * 2).contains(&room.num_bytes());
        match kept.iter().rposition(fits) {
            Some(index) => kept.remove(index).0,
            None => Room::new(num_bytes),
        }
    }

    fn put_back(&self, room: Room) {
        let num_bytes = room.num_bytes() as u64;
        let mut kept = self.lock();
        let Some(kept) = kept.as_mut() else { return };
        let kept_bytes: u64 = kept.iter().map(|(_, charge)| charge.bytes()).sum();
        if room.num_bytes() < MIN_BYTES || kept_bytes + num_bytes > self.budget.limit_bytes() / PART_OF_BUDGET
        {
            return;
        }
        if let Some(charge) = self.budget.try_charge(num_bytes) {
            kept.push((room, charge));
        }
    }
}

impl fmt::Debug for BatchMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BatchMemory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_within_limits() {
        let budget = Budget::new(16 * 100_000);
        let memory = BatchMemory::of(&budget);
        memory.put_back(memory.take(60_000));
        assert_eq!(budget.used_bytes(), 60_000);
        // A sixteenth of the budget is full; what is small is not worth it.
        memory.put_back(Room::new(60_000));
        memory.put_back(Room::new(1000));
        assert_eq!(budget.used_bytes(), 60_000);
        // Too large for the one, too small for the other.
        assert_eq!((memory.take(1000).num_bytes(), memory.take(70_000).num_bytes()), (1000, 70_000));
        let taken = memory.take(50_000);
        assert_eq!((taken.num_bytes(), budget.used_bytes()), (60_000, 0));
        memory.put_back(taken);
        memory.close();
        memory.put_back(Room::new(60_000));
        assert_eq!((memory.take(50_000).num_bytes(), budget.used_bytes()), (50_000, 0));
    }
}
