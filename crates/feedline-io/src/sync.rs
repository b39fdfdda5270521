//! What threads meet at, in one place.
//!
//! [`IoThreads`](crate::IoThreads) use these names, and are compiled a second time by the model tests of `feedline-exec`, where the same names are those of a
//! model checker that tries schedules of threads one by one.

pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::thread;
