//! Whether anybody waits for what a thread computes: for code that waits for something itself, and can leave it.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// That of the call this thread is in.
    static CURRENT: RefCell<Option<Mark>> = const { RefCell::new(None) };
}

/// Whether the element that native code is called for is still wanted; one of an iterator that was dropped is not. True outside of such
/// a call. Code that waits for long may ask now and then, and give up: what it returns then nobody sees.
pub fn is_call_wanted() -> bool {
    CURRENT.with_borrow(|mark| mark.as_ref().is_none_or(|mark| mark.0.load(Ordering::Relaxed)))
}

/// What an operator asks for is wanted as long as it has this.
#[derive(Debug)]
pub(crate) struct Wanted(Mark);

impl Wanted {
    pub(crate) fn new() -> Wanted {
        Wanted(Mark(Arc::new(AtomicBool::new(true))))
    }

    /// For a task.
    pub(crate) fn mark(&self) -> Mark {
        self.0.clone()
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        // Relaxed: whoever looks does so again and again, and reads nothing else because of it.
        self.0.0.store(false, Ordering::Relaxed);
    }
}

/// Whether what a task computes is wanted.
#[derive(Clone, Debug)]
pub(crate) struct Mark(Arc<AtomicBool>);

impl Mark {
    /// Does `work`, in which [`is_call_wanted`] tells of this.
    pub(crate) fn during<T>(self, work: impl FnOnce() -> T) -> T {
        /// Puts back what was before, also if the work panics.
        struct Before(Option<Mark>);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _before = Before(CURRENT.replace(Some(self)));
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_wanted_until_who_asked_is_gone() {
        assert!(is_call_wanted());
        let (outer, inner) = (Wanted::new(), Wanted::new());
        let marks = (outer.mark(), inner.mark());
        marks.0.during(|| {
            assert!(is_call_wanted());
            drop(outer);
            assert!(!is_call_wanted());
            marks.1.during(|| assert!(is_call_wanted()));
            assert!(!is_call_wanted());
        });
        assert!(is_call_wanted());
        let panicked = std::panic::catch_unwind(|| Wanted::new().mark().during(|| panic!("on purpose")));
        assert!(panicked.is_err() && is_call_wanted());
    }
}
