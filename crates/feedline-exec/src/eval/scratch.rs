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
    #[expect(
        clippy::unnecessary_box_returns,
        reason = "kept in its box, it is taken and put back without an allocation"
    )]
    pub(super) fn take<T: Any>(&self, make: impl FnOnce() -> T) -> Box<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.and_then(|kept| kept.downcast().ok()).unwrap_or_else(|| Box::new(make()))
    }

    /// Keeps `value` for the next block.
    pub(super) fn put<T: Any + Send>(&self, value: Box<T>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(value);
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scratch")
    }
}
