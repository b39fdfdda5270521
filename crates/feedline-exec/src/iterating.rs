//! Whether any iterator is there. What is made of large pieces of memory comes and goes as long as one is, so an allocator keeps them for the next; when the
//! last one is gone it lets go of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::per_process::PerProcess;

/// What is called when the last iterator of the process is gone.
static WHEN_NONE_IS_LEFT: OnceLock<fn()> = OnceLock::new();

/// Iterators there are. (A fork begins with none: those of its parent are nobody's there.)
fn count() -> &'static AtomicUsize {
    static COUNT: PerProcess<AtomicUsize> = PerProcess::new();
    COUNT.get(AtomicUsize::default)
}

/// Whether an iterator is there, in this process.
pub fn is_iterating() -> bool {
    // Relaxed: a hint about memory. Who is told late keeps a piece, or gives it back, once more.
    count().load(Ordering::Relaxed) > 0
}

/// Has `act` called whenever the last iterator is gone, by whoever dropped it. The first to say so counts.
pub fn when_none_iterates(act: fn()) {
    _ = WHEN_NONE_IS_LEFT.set(act);
}

/// An iterator is there as long as it has this.
#[derive(Debug)]
pub(crate) struct Iterating(&'static AtomicUsize);

impl Iterating {
    pub(crate) fn begin() -> Iterating {
        let count = count();
        count.fetch_add(1, Ordering::Relaxed);
        Iterating(count)
    }
}

impl Drop for Iterating {
    fn drop(&mut self) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1
            && let Some(act) = WHEN_NONE_IS_LEFT.get()
        {
            act();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_to_go_tells() {
        static TOLD: AtomicUsize = AtomicUsize::new(0);
        // Other tests of this process may iterate, too, where they are not each in one of their own: then it is not the last.
        when_none_iterates(|| _ = TOLD.fetch_add(1, Ordering::Relaxed));
        let (first, second) = (Iterating::begin(), Iterating::begin());
        assert!(is_iterating());
        drop(first);
        drop(second);
        assert!(is_iterating() || TOLD.load(Ordering::Relaxed) > 0);
    }
}
