//! What everybody in a process shares, made anew where it forked: threads do not survive a fork, and memory that is counted is another's.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What this process has one of.
pub(crate) struct PerProcess<T: Send + Sync + 'static> {
    /// With whose it is. Never freed: `'static` references are handed out, and what a parent left has nobody to tell.
    made: AtomicPtr<(u32, T)>,
}

impl<T: Send + Sync + 'static> PerProcess<T> {
    pub(crate) const fn new() -> PerProcess<T> {
        PerProcess { made: AtomicPtr::new(ptr::null_mut()) }
    }

    /// That of this process, by `make` where there is none yet.
    ///
    /// No lock: another thread could hold it at the moment of the fork, and would not be there to give it back.
    pub(crate) fn get(&'static self, make: impl FnOnce() -> T) -> &'static T {
        let process = std::process::id();
        // Acquire: what is behind the pointer was written by who stored it.
        let found = self.made.load(Ordering::Acquire);
        if let Some(own) = of_process(found, process) {
            return own;
        }
        let fresh = Box::into_raw(Box::new((process, make())));
        let stored = self.made.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire);
        // Who came first, if it was somebody else, is of this process too. What is left over is small, and comes once.
        let current = stored.map_or_else(|current| current, |_| fresh);
        of_process(current, process).expect("a process stores what is its own")
    }
}

fn of_process<T: 'static>(made: *mut (u32, T), process: u32) -> Option<&'static T> {
    // SAFETY: null, or from a box that is never freed and never written to.
    let (owner, own) = unsafe { made.as_ref() }?;
    (*owner == process).then_some(own)
}

#[cfg(test)]
mod tests {
    use feedline_io::IoThreads;

    use super::*;

    #[test]
    fn a_process_has_one() {
        static THREADS: PerProcess<IoThreads> = PerProcess::new();
        let all: Vec<usize> = std::thread::scope(|scope| {
            let ask = || ptr::from_ref(THREADS.get(IoThreads::default)).addr();
            let asking: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            asking.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.iter().all(|place| *place == all[0]));
    }
}
