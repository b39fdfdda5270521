//! One number of bytes for everything in flight.
//!
//! What *holds* rows (a prefetch queue, a window of results, a shuffle buffer, a cache) charges their bytes here for as
//! long as it holds them. There are two ways to charge, and together they rule out a deadlock:
//!
//! - running ahead asks ([`Budget::try_charge`]) and, refused, does not run ahead;
//! - what must be held to make any progress (the one block being handed on) is charged without asking
//!   ([`Budget::charge`]). Of many streams that are read in turn, only the one whose turn it is needs anything
//!   ([`crate::turn`]).
//!
//! A buffer whose size is known is *reserved* as a whole ([`Budget::try_reserve`]). That is refused only for what others have
//! reserved, never for what runs ahead: that stops when the budget is reached, and drains while the buffer fills.
//!
//! So an operator that is refused still moves one block at a time, the consumer still gets its elements, and nobody ever
//! waits for memory that only he could free. What may be held in total without asking is one block for each operator,
//! which is why the budget has a smallest size.

use crate::sync::Arc;
use crate::sync::atomic::{AtomicU64, Ordering};

/// The part of the budget that is not given to who asks, so that what need not ask fits as well.
const NEEDED_PART: u64 = 8;

/// The byte budget of an iterator, or of several.
#[derive(Debug)]
#[allow(clippy::struct_field_names, reason = "a unit belongs to the name of a number")]
pub struct Budget {
    limit_bytes: u64,
    /// Relaxed everywhere: it is a count, and no other memory is read because of it.
    used_bytes: AtomicU64,
    /// Of these, what is reserved.
    reserved_bytes: AtomicU64,
    peak_bytes: AtomicU64,
}

impl Budget {
    /// A budget of `limit_bytes`.
    pub fn new(limit_bytes: u64) -> Arc<Budget> {
        Arc::new(Budget {
            limit_bytes,
            used_bytes: AtomicU64::new(0),
            reserved_bytes: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
        })
    }

    /// The limit.
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// Bytes charged now.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// The most that was ever charged.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Ordering::Relaxed)
    }

    /// Whether `bytes` more may be asked for.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        self.used_bytes().saturating_add(bytes) <= self.askable_bytes()
    }

    /// What may be charged by asking; the rest is for what is charged without.
    fn askable_bytes(&self) -> u64 {
        self.limit_bytes - self.limit_bytes / NEEDED_PART
    }

    /// Charges `bytes` whatever the limit says; see the module for who may.
    pub(crate) fn charge(self: &Arc<Budget>, bytes: u64) -> Charge {
        let used = self.used_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak_bytes.fetch_max(used, Ordering::Relaxed);
        Charge { budget: Arc::clone(self), bytes }
    }

    /// Charges `bytes` if they fit beside what is kept for those who need not ask.
    pub(crate) fn try_charge(self: &Arc<Budget>, bytes: u64) -> Option<Charge> {
        self.used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|&used| used <= self.askable_bytes())
            })
            .ok()
            .map(|before| {
                self.peak_bytes.fetch_max(before + bytes, Ordering::Relaxed);
                Charge { budget: Arc::clone(self), bytes }
            })
    }

    /// Charges `bytes` if they fit beside what others have reserved.
    ///
    /// # Errors
    /// The bytes that others have reserved.
    pub(crate) fn try_reserve(self: &Arc<Budget>, bytes: u64) -> Result<Reservation, u64> {
        self.reserved_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |reserved| {
            reserved.checked_add(bytes).filter(|&reserved| reserved <= self.limit_bytes)
        })?;
        Ok(Reservation(self.charge(bytes)))
    }
}

/// Bytes reserved, and charged; given back by drop.
#[derive(Debug)]
pub(crate) struct Reservation(Charge);

impl Drop for Reservation {
    fn drop(&mut self) {
        self.0.budget.reserved_bytes.fetch_sub(self.0.bytes, Ordering::Relaxed);
    }
}

/// Bytes charged, given back by drop.
#[derive(Debug)]
pub(crate) struct Charge {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Charge {
    /// Makes it larger by `bytes` whatever the limit says.
    pub(crate) fn grow(&mut self, bytes: u64) {
        let mut more = self.budget.charge(bytes);
        self.bytes += std::mem::take(&mut more.bytes);
    }

    /// Makes it larger by `bytes` if they fit; whether they do.
    pub(crate) fn try_grow(&mut self, bytes: u64) -> bool {
        let more = self.budget.try_charge(bytes);
        let fits = more.is_some();
        if let Some(mut more) = more {
            self.bytes += std::mem::take(&mut more.bytes);
        }
        fits
    }

    /// Makes it `bytes` whatever the limit says.
    pub(crate) fn resize(&mut self, bytes: u64) {
        if bytes > self.bytes { self.grow(bytes - self.bytes) } else { self.shrink(self.bytes - bytes) }
    }

    /// Makes it smaller by `bytes`.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        debug_assert!(bytes <= self.bytes, "no more is given back than was charged");
        self.bytes -= bytes;
        self.budget.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes charged.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Charge {
    /// What the budget it is charged to has left.
    pub(crate) fn room_bytes(&self) -> u64 {
        self.budget.limit_bytes.saturating_sub(self.budget.used_bytes())
    }

    /// The budget it is charged to.
    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// The limit of the budget it is charged to.
    pub(crate) fn limit_bytes(&self) -> u64 {
        self.budget.limit_bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.used_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
