//! One number of bytes for everything in flight, of all iterators of a process.
//!
//! What *holds* rows (a prefetch queue, a window of results, a shuffle buffer, a cache) charges their bytes here for as
//! long as it holds them. There are two ways to charge, and together they rule out a deadlock:
//!
//! - running ahead asks ([`Budget::try_charge`]) and, refused, does not run ahead;
//! - what must be held to make any progress (the one block being handed on) is charged without asking
//!   ([`Budget::charge`]). Of many streams that are read in turn, only the one whose turn it is needs anything
//!   ([`crate::turn`]).
//!
//! A buffer whose size is known is *reserved* as a whole ([`Budget::try_reserve`]), one of which it is not is reserved as it grows. That is
//! refused only for what others have reserved, never for what runs ahead: that stops when the budget is reached, and drains while the buffer
//! fills. A cache that is complete is reserved, too; one that fills ([`Filling`]) is given up before it is in the way of a buffer.
//!
//! So an operator that is refused still moves one block at a time, the consumer still gets its elements, and nobody ever
//! waits for memory that only he could free.
//!
//! What may be held without asking is one block for each step and each worker. So much is kept free of everything else
//! ([`Budget::needed_bytes`]): an eighth of the budget, which is never reserved either, and of what is asked for, where blocks are found to be larger than that, as many
//! of the largest as there may be, up to half the budget. Together all of it stays within the limit, unless single elements are a large part of it.
//!
//! # Several iterators
//! An iterator's budget is within that of its process ([`Budget::within`]): what is charged is charged to both, and both are asked. Nobody
//! waits for another iterator's memory either, for the same reason: who is refused goes on with one block, and asks again the next time
//! somebody asks him for rows. Nobody is woken because memory came free, and nobody needs it: who holds something is woken when it is
//! taken, and who holds nothing may hold a block without asking. An iterator that pauses may hold all that can be asked for, for as long as it likes. So that
//! others still run ahead a little beside it, each has a *share* of the process's budget that it is never refused: parts of a sixteenth,
//! each an eighth of what those before it have left, which together are never more than that.

use crate::sync::Arc;
use crate::sync::atomic::{AtomicU64, Ordering};

/// The part of the budget that is neither given to who asks nor reserved, so that what need not ask fits as well: at least,
const NEEDED_PART: u64 = 8;
/// and at most, where elements are so large that all of them would not fit anyway.
const MOST_NEEDED_PART: u64 = 2;
/// No block is smaller for want of memory: it would be mostly calls.
pub(crate) const MIN_BLOCK_BYTES: usize = 4 << 10;
/// The part of a process's budget that is given to its iterators as shares,
const SHARES_PART: u64 = 16;
/// and of what is left of it, what each gets.
const SHARE_PART: u64 = 8;

/// The byte budget of a process, or of an iterator within it.
#[derive(Debug)]
#[allow(clippy::struct_field_names, reason = "a unit belongs to the name of a number")]
pub struct Budget {
    limit_bytes: u64,
    /// Relaxed everywhere: it is a count, and no other memory is read because of it.
    used_bytes: AtomicU64,
    /// Of these, what is reserved.
    reserved_bytes: AtomicU64,
    /// Of these, what caches hold that are not complete.
    filling_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    /// How many may hold a block without asking,
    num_holders: AtomicU64,
    /// and the most that one of them held. Relaxed, both: an estimate of what will be needed.
    largest_bytes: AtomicU64,
    /// What is left to be given as shares.
    shares_left_bytes: AtomicU64,
    /// The process's, of which this is a part.
    around: Option<Around>,
}

#[derive(Debug)]
struct Around {
    budget: Arc<Budget>,
    share_bytes: u64,
}

impl Budget {
    /// A budget of `limit_bytes`, within none.
    pub fn new(limit_bytes: u64) -> Arc<Budget> {
        Arc::new(Budget::of(limit_bytes, None))
    }

    /// A budget of `limit_bytes`, all of which is charged to `process` as well.
    pub(crate) fn within(process: &Arc<Budget>, limit_bytes: u64) -> Arc<Budget> {
        let take = |left: u64| Some(left - left / SHARE_PART);
        let taken = process.shares_left_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        let share_bytes = taken.map_or(0, |left| left / SHARE_PART);
        Arc::new(Budget::of(limit_bytes, Some(Around { budget: Arc::clone(process), share_bytes })))
    }

    fn of(limit_bytes: u64, around: Option<Around>) -> Budget {
        Budget {
            limit_bytes,
            used_bytes: AtomicU64::new(0),
            reserved_bytes: AtomicU64::new(0),
            filling_bytes: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
            num_holders: AtomicU64::new(0),
            largest_bytes: AtomicU64::new(0),
            shares_left_bytes: AtomicU64::new(limit_bytes / SHARES_PART),
            around,
        }
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

    /// The process's, which this is a part of; `None` if it is a part of none.
    pub fn process(&self) -> Option<&Arc<Budget>> {
        self.around.as_ref().map(|around| &around.budget)
    }

    /// What is left of it, and of the process's.
    pub(crate) fn room_bytes(&self) -> u64 {
        let own = self.limit_bytes.saturating_sub(self.used_bytes());
        self.process().map_or(own, |process| own.min(process.room_bytes()))
    }

    /// Whether `bytes` more may be asked for.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        let used = self.used_bytes().saturating_add(bytes);
        used <= self.askable_bytes()
            && self
                .around
                .as_ref()
                .is_none_or(|around| around.budget.has_room(bytes) || self.is_within_share(around, used))
    }

    /// Notes how many steps and workers may each hold a block without asking.
    pub(crate) fn expect_holders(&self, num_holders: u64) {
        self.num_holders.store(num_holders, Ordering::Relaxed);
    }

    /// What is kept for those who need not ask, as far as blocks have been seen.
    fn needed_bytes(&self) -> u64 {
        let [holders, largest] =
            [&self.num_holders, &self.largest_bytes].map(|number| number.load(Ordering::Relaxed));
        let blocks = holders.saturating_mul(largest);
        blocks.clamp(self.least_needed_bytes(), self.limit_bytes / MOST_NEEDED_PART)
    }

    /// What is kept for them in any case. Of what is reserved only so much: whether a buffer is refused must not depend on what happened to be seen before.
    fn least_needed_bytes(&self) -> u64 {
        self.limit_bytes / NEEDED_PART
    }

    /// Bytes of a block so that one for each of those who need not ask fits into what is always kept for them.
    pub(crate) fn block_bytes(&self) -> usize {
        let holders = self.num_holders.load(Ordering::Relaxed).max(1);
        usize::try_from(self.least_needed_bytes() / holders).unwrap_or(usize::MAX).max(MIN_BLOCK_BYTES)
    }

    /// What may be charged by asking.
    fn askable_bytes(&self) -> u64 {
        self.limit_bytes - self.needed_bytes()
    }

    /// What may be reserved, by all together.
    pub(crate) fn most_reserved_bytes(&self) -> u64 {
        self.limit_bytes - self.least_needed_bytes()
    }

    /// Whether `used` bytes, those reserved among them, are no more than nobody can take away.
    fn is_within_share(&self, around: &Around, used: u64) -> bool {
        used.saturating_sub(self.reserved_bytes.load(Ordering::Relaxed)) <= around.share_bytes
    }

    fn add(&self, bytes: u64) {
        let used = self.used_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak_bytes.fetch_max(used, Ordering::Relaxed);
    }

    /// Adds `bytes` if they can be asked for here; what is used then.
    fn try_add(&self, bytes: u64) -> Option<u64> {
        let fits = |used: u64| used.checked_add(bytes).filter(|&used| used <= self.askable_bytes());
        let before = self.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
        Some(before + bytes)
    }

    /// Charges `bytes` whatever the limit says; see the module for who may.
    pub(crate) fn charge(self: &Arc<Budget>, bytes: u64) -> Charge {
        let mut charge = self.no_charge();
        charge.grow(bytes);
        charge
    }

    fn no_charge(self: &Arc<Budget>) -> Charge {
        Charge { budget: Arc::clone(self), bytes: 0, counts_around: true }
    }

    /// Charges `bytes` if they fit beside what is kept for those who need not ask.
    pub(crate) fn try_charge(self: &Arc<Budget>, bytes: u64) -> Option<Charge> {
        let mut charge = self.no_charge();
        charge.try_grow(bytes).then_some(charge)
    }

    /// Charges `bytes` if they fit beside what others have reserved.
    ///
    /// # Errors
    /// What others have reserved.
    pub(crate) fn try_reserve(self: &Arc<Budget>, bytes: u64) -> Result<Reservation, Refusal> {
        let mut reservation = Reservation(self.no_charge());
        reservation.try_grow(bytes)?;
        Ok(reservation)
    }

    /// Reserves `bytes` that the process's budget has already, whatever the limit says.
    pub(crate) fn reserve_counted(self: &Arc<Budget>, bytes: u64) -> Reservation {
        self.reserved_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.add(bytes);
        Reservation(Charge { budget: Arc::clone(self), bytes, counts_around: false })
    }

    /// Nothing yet, for a cache to grow.
    pub(crate) fn fill(self: &Arc<Budget>) -> Filling {
        Filling(self.no_charge())
    }

    /// What may be reserved beside what other iterators have reserved now.
    pub(crate) fn reservable_bytes(&self) -> u64 {
        let Some(process) = self.process() else { return self.most_reserved_bytes() };
        let [all, own] = [&**process, self].map(|budget| budget.reserved_bytes.load(Ordering::Relaxed));
        self.most_reserved_bytes().min(process.most_reserved_bytes().saturating_sub(all.saturating_sub(own)))
    }

    /// Adds to what is reserved if that leaves what is needed.
    ///
    /// # Errors
    /// The bytes that are reserved.
    fn try_add_reserved(&self, bytes: u64) -> Result<(), u64> {
        let most = self.most_reserved_bytes();
        let fits = |reserved: u64| reserved.checked_add(bytes).filter(|&reserved| reserved <= most);
        self.reserved_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).map(drop)
    }

    /// Adds to what caches hold that fill, if that and what is reserved leave what is needed.
    fn try_add_filling(&self, bytes: u64) -> bool {
        let left = self.most_reserved_bytes().saturating_sub(self.reserved_bytes.load(Ordering::Relaxed));
        let fits = |filling: u64| filling.checked_add(bytes).filter(|&filling| filling <= left);
        self.filling_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        if let Some(Around { budget, share_bytes }) = &self.around {
            budget.shares_left_bytes.fetch_add(*share_bytes, Ordering::Relaxed);
        }
    }
}

/// Why there is no room for a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_field_names, reason = "a unit belongs to the name of a number")]
pub(crate) struct Refusal {
    /// The limit it would exceed: the iterator's own, or the process's.
    pub(crate) limit_bytes: u64,
    /// Of that, what is kept for rows on their way from step to step.
    pub(crate) needed_bytes: u64,
    /// What others of this iterator have reserved.
    pub(crate) own_bytes: u64,
    /// What other iterators have reserved; nothing where it is the iterator's own limit.
    pub(crate) others_bytes: u64,
}

/// Bytes reserved, and charged; given back by drop.
#[derive(Debug)]
pub(crate) struct Reservation(Charge);

impl Reservation {
    /// Makes it larger by `bytes` if they fit beside what others have reserved.
    ///
    /// # Errors
    /// What others have reserved.
    pub(crate) fn try_grow(&mut self, bytes: u64) -> Result<(), Refusal> {
        let Charge { budget, bytes: held, .. } = &self.0;
        let held = *held;
        budget.try_add_reserved(bytes).map_err(|reserved| Refusal {
            limit_bytes: budget.limit_bytes,
            needed_bytes: budget.least_needed_bytes(),
            own_bytes: reserved.saturating_sub(held),
            others_bytes: 0,
        })?;
        if let Some(process) = self.0.around()
            && let Err(reserved) = process.try_add_reserved(bytes)
        {
            let own = budget.reserved_bytes.fetch_sub(bytes, Ordering::Relaxed) - bytes;
            return Err(Refusal {
                limit_bytes: process.limit_bytes,
                needed_bytes: process.least_needed_bytes(),
                own_bytes: own.saturating_sub(held),
                others_bytes: reserved.saturating_sub(own),
            });
        }
        self.0.add(bytes);
        Ok(())
    }

    /// Makes it `bytes` whatever the limit says: a little more or less than what was asked for.
    pub(crate) fn resize(&mut self, bytes: u64) {
        let held = self.0.bytes;
        for budget in self.0.budgets() {
            if bytes > held {
                budget.reserved_bytes.fetch_add(bytes - held, Ordering::Relaxed);
            } else {
                budget.reserved_bytes.fetch_sub(held - bytes, Ordering::Relaxed);
            }
        }
        if bytes > held { self.0.add(bytes - held) } else { self.0.shrink(held - bytes) }
    }

    /// Bytes reserved.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// What is charged to the iterator, and what is charged to the process if it is: each goes on its own from now on.
    pub(crate) fn split(mut self) -> (Reservation, Option<Reservation>) {
        let process = self.0.around().map(Arc::clone);
        self.0.counts_around = false;
        let bytes = self.0.bytes;
        (self, process.map(|budget| Reservation(Charge { budget, bytes, counts_around: true })))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        for budget in self.0.budgets() {
            budget.reserved_bytes.fetch_sub(self.0.bytes, Ordering::Relaxed);
        }
    }
}

/// What grows for as long as rows come and is all needed: reserved, as far as others have not.
///
/// In a stream among many that is so only for the one whose turn it is. Others, opened ahead, must not be in its way: there, only
/// what is alone more than all the memory there is is too much.
#[derive(Debug)]
pub(crate) struct Growing {
    reserved: Reservation,
    is_one_of_many: bool,
}

impl Growing {
    /// Nothing yet.
    pub(crate) fn new(budget: &Arc<Budget>, is_one_of_many: bool) -> Growing {
        Growing { reserved: Reservation(budget.no_charge()), is_one_of_many }
    }

    /// Makes it larger by `bytes` if they fit.
    ///
    /// # Errors
    /// What others have reserved.
    pub(crate) fn try_grow(&mut self, bytes: u64) -> Result<(), Refusal> {
        if !self.is_one_of_many {
            return self.reserved.try_grow(bytes);
        }
        let (all, budget) = (self.bytes().saturating_add(bytes), self.reserved.0.budget());
        if all > budget.most_reserved_bytes() {
            let (limit_bytes, needed_bytes) = (budget.limit_bytes, budget.least_needed_bytes());
            return Err(Refusal { limit_bytes, needed_bytes, own_bytes: 0, others_bytes: 0 });
        }
        self.reserved.resize(all);
        Ok(())
    }

    /// Makes it `bytes` whatever the limit says: a little more or less than what was asked for.
    pub(crate) fn resize(&mut self, bytes: u64) {
        self.reserved.resize(bytes);
    }

    /// Makes it smaller by `bytes`.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        self.reserved.resize(self.bytes() - bytes);
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.reserved.bytes()
    }
}

/// What a cache holds that is not complete: charged, and no more than buffers and other caches leave.
#[derive(Debug)]
pub(crate) struct Filling(Charge);

impl Filling {
    /// Makes it larger by `bytes` if they fit; whether they do.
    pub(crate) fn try_grow(&mut self, bytes: u64) -> bool {
        if !self.0.budget.try_add_filling(bytes) {
            return false;
        }
        if self.0.around().is_some_and(|process| !process.try_add_filling(bytes)) {
            self.0.budget.filling_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.0.add(bytes);
        true
    }

    /// Makes it smaller by `bytes`.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        self.let_go(bytes);
        self.0.shrink(bytes);
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// What others have reserved, of the iterator's budget or of the process's, whichever leaves less.
    pub(crate) fn reserved_by_others(&self) -> u64 {
        let reserved = self.0.budgets().map(|budget| budget.reserved_bytes.load(Ordering::Relaxed));
        reserved.max().unwrap_or(0)
    }

    /// It, as the complete cache; `None` if that does not fit any more.
    pub(crate) fn complete(mut self) -> Option<Reservation> {
        let bytes = self.0.bytes;
        self.0.budget.try_add_reserved(bytes).ok()?;
        if self.0.around().is_some_and(|process| process.try_add_reserved(bytes).is_err()) {
            self.0.budget.reserved_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        self.let_go(bytes);
        let (budget, counts_around) = (Arc::clone(&self.0.budget), self.0.counts_around);
        Some(Reservation(std::mem::replace(&mut self.0, Charge { budget, bytes: 0, counts_around })))
    }

    fn let_go(&self, bytes: u64) {
        for budget in self.0.budgets() {
            budget.filling_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.let_go(self.0.bytes);
    }
}

/// Bytes charged, given back by drop.
#[derive(Debug)]
pub(crate) struct Charge {
    budget: Arc<Budget>,
    bytes: u64,
    /// Whether they are charged to the process, too.
    counts_around: bool,
}

impl Charge {
    /// The process's budget, if it is charged to that as well.
    fn around(&self) -> Option<&Arc<Budget>> {
        self.budget.process().filter(|_| self.counts_around)
    }

    /// All budgets it is charged to.
    fn budgets(&self) -> impl Iterator<Item = &Arc<Budget>> {
        std::iter::once(&self.budget).chain(self.around())
    }

    /// Makes it larger by `bytes` whatever the limit says.
    pub(crate) fn grow(&mut self, bytes: u64) {
        self.add(bytes);
        self.budget.largest_bytes.fetch_max(self.bytes, Ordering::Relaxed);
    }

    fn add(&mut self, bytes: u64) {
        self.budgets().for_each(|budget| budget.add(bytes));
        self.bytes += bytes;
    }

    /// Makes it larger by `bytes` if they fit; whether they do.
    pub(crate) fn try_grow(&mut self, bytes: u64) -> bool {
        let Some(used) = self.budget.try_add(bytes) else { return false };
        if let Some(around) = self.budget.around.as_ref().filter(|_| self.counts_around) {
            match around.budget.try_add(bytes) {
                Some(used) => drop(around.budget.peak_bytes.fetch_max(used, Ordering::Relaxed)),
                None if self.budget.is_within_share(around, used) => around.budget.add(bytes),
                None => {
                    self.budget.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
                    return false;
                }
            }
        }
        self.budget.peak_bytes.fetch_max(used, Ordering::Relaxed);
        self.bytes += bytes;
        true
    }

    /// Makes it `bytes` whatever the limit says.
    pub(crate) fn resize(&mut self, bytes: u64) {
        if bytes > self.bytes { self.grow(bytes - self.bytes) } else { self.shrink(self.bytes - bytes) }
    }

    /// Makes it smaller by `bytes`.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        debug_assert!(bytes <= self.bytes, "no more is given back than was charged");
        self.bytes -= bytes;
        self.give_back(bytes);
    }

    fn give_back(&self, bytes: u64) {
        for budget in self.budgets() {
            budget.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Bytes charged.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What the budgets it is charged to have left.
    pub(crate) fn room_bytes(&self) -> u64 {
        self.budget.room_bytes()
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
        self.give_back(self.bytes);
    }
}
