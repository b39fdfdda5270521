//! What a kernel keeps from block to block.

use std::any::Any;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Things a step's kernel made once and uses again: a parser that has learned the order of keys. Several workers run
/// one program at a time, so each takes one and puts it back; results never depend on which.
#[derive(Default)]
pub(super) struct Scratch(Mutex<Vec<Box<dyn Any + Send>>>);

impl Scratch {
    /// One that was put back, or a new one.
    pub(super) fn take<T: Any>(&self, make: impl FnOnce() -> T) -> T {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.and_then(|kept| kept.downcast().ok()).map_or_else(make, |kept| *kept)
    }

    /// Keeps `value` for the next block.
    pub(super) fn put(&self, value: impl Any + Send) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(value));
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scratch")
    }
}
