//! What threads meet at, in one place.
//!
//! The files that use these names and nothing else of this crate ([`crate::budget`], [`crate::hand_over`],
//! [`crate::turn`], the list of [`crate::workers`], the lane of maps) are compiled a second time by `tests/model`, where the same names are those of a model checker that
//! tries schedules of threads one by one.

pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) mod atomic {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
}
