//! The lock on the folder of a cache: who holds it may write.
//!
//! It is a lock of the system's on a file, given back by itself when the process ends. Within a process it also says whose it is. An iterator that is
//! dropped while a file of its cache is opened or written leaves that to an I/O thread, which keeps the lock for a moment longer; whoever comes next waits
//! for that. Otherwise it would find the lock taken, and compute a whole epoch without keeping it because somebody had looked at a few elements before.
//!
//! One waits where folders are opened, on an I/O thread, and nobody waits for the one who waits but its own iterator. What is waited for needs no lock of ours
//! and is about to end; if it cannot (the disk hangs, there are no more threads), the wait ends after [`LONGEST_WAIT`]. The table of who holds which is never locked while the system is
//! asked: a file system that hangs stops those of other folders not.
//!
//! A fork has the lock, too, as long as it has the file; so who gives it back says so instead of only closing the file.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::per_process::PerProcess;

/// A file of a cache is some megabytes, which a slow disk takes in a second.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A lock that is held, until it is dropped.
#[derive(Debug)]
pub(super) struct FolderLock {
    path: PathBuf,
    file: File,
    owner: LockOwner,
    /// The process that took it.
    process: u32,
}

/// Who takes a lock: gone when the consumer dropped the iterator, or the step of the cache ended in it.
#[derive(Clone, Debug)]
pub(super) struct LockOwner {
    consumer: Weak<()>,
    step: Weak<()>,
}

impl LockOwner {
    pub(super) fn new(consumer: &Weak<()>, step: &Arc<()>) -> LockOwner {
        LockOwner { consumer: Weak::clone(consumer), step: Arc::downgrade(step) }
    }

    fn is(&self, other: &LockOwner) -> bool {
        Weak::ptr_eq(&self.step, &other.step)
    }

    fn is_gone(&self) -> bool {
        self.consumer.strong_count() == 0 || self.step.strong_count() == 0
    }
}

/// Those of this process, by their paths.
#[derive(Default)]
struct Held {
    owners: Mutex<BTreeMap<PathBuf, LockOwner>>,
    given_back: Condvar,
}

impl Held {
    fn of_process() -> &'static Held {
        static HELD: PerProcess<Held> = PerProcess::new();
        HELD.get(Held::default)
    }

    fn owners(&self) -> MutexGuard<'_, BTreeMap<PathBuf, LockOwner>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `path` was given back, if its owner is gone; `false`: somebody has it who is still there, or of another process, or it takes too long.
    fn wait_for(&self, path: &Path, end: Instant) -> bool {
        let is_left_behind =
            |owners: &mut BTreeMap<PathBuf, LockOwner>| owners.get(path).is_some_and(LockOwner::is_gone);
        let mut owners = self.owners();
        if !is_left_behind(&mut owners) {
            return false;
        }
        let left = end.saturating_duration_since(Instant::now());
        let waited = self.given_back.wait_timeout_while(owners, left, is_left_behind);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl FolderLock {
    /// The lock on `file`, which is at `path`, for `owner`; `None` if somebody who is still there has it.
    pub(super) fn take(file: File, path: &Path, owner: &LockOwner) -> io::Result<Option<FolderLock>> {
        let held = Held::of_process();
        let end = Instant::now() + LONGEST_WAIT;
        let mut has_looked = false;
        loop {
            match file.try_lock() {
                Ok(()) => {
                    held.owners().insert(path.to_owned(), owner.clone());
                    let (path, owner, process) = (path.to_owned(), owner.clone(), std::process::id());
                    return Ok(Some(FolderLock { path, file, owner, process }));
                }
                Err(TryLockError::Error(error)) => return Err(error),
                // It may have been given back between asking the system and looking into the table.
                Err(TryLockError::WouldBlock) if held.wait_for(path, end) => {}
                Err(TryLockError::WouldBlock) if !has_looked => has_looked = true,
                Err(TryLockError::WouldBlock) => return Ok(None),
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // A fork that lets go of what it inherited takes nothing from its parent.
        if self.process != std::process::id() {
            return;
        }
        // If it cannot be unlocked it is when the file is closed.
        let _ = self.file.unlock();
        // The next owner may have it already.
        let held = Held::of_process();
        let mut owners = held.owners();
        if owners.get(&self.path).is_some_and(|owner| owner.is(&self.owner)) {
            owners.remove(&self.path);
        }
        drop(owners);
        held.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn take(path: &Path, owner: &LockOwner) -> Option<FolderLock> {
        FolderLock::take(File::create(path).unwrap(), path, owner).unwrap()
    }

    #[test]
    fn who_is_still_there_keeps_it_and_who_is_gone_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let consumer = Arc::new(());
        // The iterator is dropped, or the step ends in it.
        for is_dropped in [true, false] {
            let (first, first_step, second_step) = (Arc::new(()), Arc::new(()), Arc::new(()));
            let lock =
                take(&path, &LockOwner::new(&Arc::downgrade(&first), &first_step)).expect("nobody has it");
            let second = LockOwner::new(&Arc::downgrade(&consumer), &second_step);
            assert!(take(&path, &second).is_none(), "of an iterator that is still there");
            let kept = if is_dropped {
                drop(first);
                first_step
            } else {
                drop(first_step);
                first
            };
            // Whatever the two threads do first.
            let (begins, began) = mpsc::channel();
            let (path, next) = (path.clone(), second.clone());
            let waiting = thread::spawn(move || {
                begins.send(()).unwrap();
                take(&path, &next).is_some()
            });
            began.recv().unwrap();
            drop(lock);
            assert!(waiting.join().unwrap(), "the one before is gone");
            drop(kept);
        }
    }
}
