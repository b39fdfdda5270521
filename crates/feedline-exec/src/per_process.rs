//! Threads that everybody in a process shares, made anew where it forked: threads do not survive a fork.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use feedline_io::IoThreads;

/// The threads of this process.
pub(crate) struct PerProcess {
    /// With whose they are. Never freed: `'static` references are handed out, and what a parent left has nobody to tell.
    made: AtomicPtr<(u32, IoThreads)>,
}

impl PerProcess {
    pub(crate) const fn new() -> PerProcess {
        PerProcess { made: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The threads of this process, by `make` where there are none yet.
    ///
    /// No lock: another thread could hold it at the moment of the fork, and would not be there to give it back.
    pub(crate) fn get(&'static self, make: fn() -> IoThreads) -> &'static IoThreads {
        let process = std::process::id();
        // Acquire: what is behind the pointer was written by who stored it.
        let found = self.made.load(Ordering::Acquire);
        if let Some(threads) = of_process(found, process) {
            return threads;
        }
        let fresh = Box::into_raw(Box::new((process, make())));
        let stored = self.made.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire);
        // Who came first, if it was somebody else, is of this process too. What is left over is small, and comes once.
        let current = stored.map_or_else(|current| current, |_| fresh);
        of_process(current, process).expect("a process stores what is its own")
    }
}

fn of_process(made: *mut (u32, IoThreads), process: u32) -> Option<&'static IoThreads> {
    // SAFETY: null, or from a box that is never freed and never written to.
    let (owner, threads) = unsafe { made.as_ref() }?;
    (*owner == process).then_some(threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one() {
        static THREADS: PerProcess = PerProcess::new();
        let all: Vec<usize> = std::thread::scope(|scope| {
            let ask = || ptr::from_ref(THREADS.get(IoThreads::default)).addr();
            let asking: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            asking.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.iter().all(|place| *place == all[0]));
    }
}
