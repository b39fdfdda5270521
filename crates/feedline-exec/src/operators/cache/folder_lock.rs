//! The lock on the folder of a cache: who holds it may write.
//!
//! It is a lock of the system's on a file, given back by itself when the process ends. Within a process it also says whose it is. An iterator that is
//! dropped while a file of its cache is opened or written leaves that to an I/O thread, which keeps the lock for a moment longer; whoever comes next waits
//! for that. Otherwise it would find the lock taken, and compute a whole epoch without keeping it because somebody had looked at a few elements before.
//!
//! One waits where folders are opened, on an I/O thread, and nobody waits for the one who waits but its own iterator. What is waited for needs no lock of ours
//! and is about to end; if it cannot (the disk hangs, there are no more threads), the wait ends after [`LONGEST_WAIT`].

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::per_process::PerProcess;

/// A file of a cache is some megabytes, which a slow disk takes in a second.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A lock that is held, until it is dropped.
#[derive(Debug)]
pub(super) struct FolderLock {
    path: PathBuf,
    /// `None` while it is dropped.
    file: Option<File>,
}

/// Those of this process, by their paths: whether somebody still wants the iterator that took one.
#[derive(Default)]
struct Held {
    consumers: Mutex<BTreeMap<PathBuf, Weak<()>>>,
    given_back: Condvar,
}

impl Held {
    fn of_process() -> &'static Held {
        static HELD: PerProcess<Held> = PerProcess::new();
        HELD.get(Held::default)
    }

    fn consumers(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Weak<()>>> {
        self.consumers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FolderLock {
    /// The lock on `file`, which is at `path`, for an iterator that is wanted as long as `consumer` is there; `None` if somebody who is still there has it.
    pub(super) fn take(file: File, path: &Path, consumer: &Weak<()>) -> io::Result<Option<FolderLock>> {
        let held = Held::of_process();
        let end = Instant::now() + LONGEST_WAIT;
        let mut consumers = held.consumers();
        loop {
            match file.try_lock() {
                Ok(()) => {
                    consumers.insert(path.to_owned(), Weak::clone(consumer));
                    return Ok(Some(FolderLock { path: path.to_owned(), file: Some(file) }));
                }
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) => {}
            }
            let is_left_behind = consumers.get(path).is_some_and(|consumer| consumer.strong_count() == 0);
            let left = end.saturating_duration_since(Instant::now());
            if !is_left_behind || left.is_zero() {
                return Ok(None);
            }
            let waited = held.given_back.wait_timeout(consumers, left);
            consumers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let held = Held::of_process();
        let mut consumers = held.consumers();
        // Before it is told: who hears of it takes the lock.
        drop(self.file.take());
        consumers.remove(&self.path);
        held.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::thread;

    use super::*;

    fn take(path: &Path, consumer: &Arc<()>) -> Option<FolderLock> {
        FolderLock::take(File::create(path).unwrap(), path, &Arc::downgrade(consumer)).unwrap()
    }

    #[test]
    fn who_is_still_there_keeps_it_and_who_is_gone_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (first, second) = (Arc::new(()), Arc::new(()));
        let lock = take(&path, &first).expect("nobody has it");
        assert!(take(&path, &second).is_none(), "of an iterator that is still there");
        drop(first);
        // Whatever the two threads do first.
        let (begins, began) = mpsc::channel();
        let waiting = thread::spawn(move || {
            begins.send(()).unwrap();
            take(&path, &second).is_some()
        });
        began.recv().unwrap();
        drop(lock);
        assert!(waiting.join().unwrap(), "the iterator before is gone");
    }
}
