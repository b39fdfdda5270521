//! Runs requests: one on this thread, or many at once.

use super::ByteRange;
use super::threads::{IoThreads, lock};
use crate::blob::{Blob, read_operation};
use crate::error::{Error, ErrorKind, Result};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// From this size on, ask whether the memory is to be had before taking it: the usual way ends the process.
const LARGE_BYTES: usize = 64 << 20;

/// Reads one request on this thread.
pub(super) fn read(blob: &dyn Blob, request: ByteRange) -> Result<Arc<Vec<u8>>> {
    let ByteRange { offset, len } = request;
    if len >= LARGE_BYTES && Vec::<u8>::new().try_reserve_exact(len).is_err() {
        let found = "the machine has not that much memory";
        return Err(Error::new(ErrorKind::OutOfMemory, blob.location(), read_operation(len, offset), found));
    }
    // The blob may be in any state after a panic; that is between it and its next reader. Ours is untouched.
    catch_unwind(AssertUnwindSafe(|| {
        let mut buffer = vec![0; len];
        blob.read_exact_at(&mut buffer, offset)?;
        Ok(Arc::new(buffer))
    }))
    .unwrap_or_else(|panic| {
        let found = format!("the reader panicked: {}", message_of(&*panic));
        Err(Error::new(ErrorKind::Panicked, blob.location(), read_operation(len, offset), found)
            .with_hint("this is a bug in feedline, please report"))
    })
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}

/// Reads all requests, up to `in_flight` at once, and returns their buffers in the same order.
pub(super) fn overlapped(
    blob: Arc<dyn Blob>,
    requests: Vec<ByteRange>,
    in_flight: usize,
    threads: &IoThreads,
) -> Result<Vec<Arc<Vec<u8>>>> {
    let num_helpers = in_flight.min(requests.len()).saturating_sub(1);
    let state = State { next: 0, active: 0, buffers: vec![None; requests.len()], failure: None };
    let fetch = Arc::new(Fetch { blob, requests, state: Mutex::new(state), idle: Condvar::new() });
    for _ in 0..num_helpers {
        let helper = Arc::clone(&fetch);
        if threads.spawn(move || helper.work()).is_err() {
            break; // no thread to be had: this one does the work
        }
    }
    fetch.work();
    fetch.result()
}

/// One call's requests and what became of them; shared between the caller and its helpers.
struct Fetch {
    blob: Arc<dyn Blob>,
    requests: Vec<ByteRange>,
    state: Mutex<State>,
    /// Signalled when `active` reaches 0.
    idle: Condvar,
}

struct State {
    /// The next request to claim.
    next: usize,
    /// Claimed and not finished.
    active: usize,
    buffers: Vec<Option<Arc<Vec<u8>>>>,
    /// The failed request of the lowest index so far.
    failure: Option<(usize, Error)>,
}

impl Fetch {
    /// Claims and runs requests until there is none left.
    fn work(&self) {
        while let Some(index) = self.claim() {
            let result = read(&*self.blob, self.requests[index]);
            self.finish(index, result);
        }
    }

    fn claim(&self) -> Option<usize> {
        let mut state = lock(&self.state);
        if state.failure.is_some() || state.next == self.requests.len() {
            return None;
        }
        let index = state.next;
        state.next += 1;
        state.active += 1;
        Some(index)
    }

    fn finish(&self, index: usize, result: Result<Arc<Vec<u8>>>) {
        let mut state = lock(&self.state);
        match result {
            Ok(buffer) => state.buffers[index] = Some(buffer),
            Err(error) => {
                if state.failure.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
                    state.failure = Some((index, error));
                }
            }
        }
        state.active -= 1;
        if state.active == 0 {
            self.idle.notify_all();
        }
    }

    /// Waits for the requests that others have claimed; the caller has found none left to claim.
    fn result(&self) -> Result<Vec<Arc<Vec<u8>>>> {
        let mut state = lock(&self.state);
        while state.active > 0 {
            state = self.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match state.failure.take() {
            Some((_, error)) => Err(error),
            // Without a failure every request was claimed and finished, so none is missing here.
            None => Ok(state.buffers.drain(..).flatten().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::LocalBlob;

    /// The steps of a fetch, taken by hand in the order in which threads might take them.
    #[test]
    fn the_lowest_of_several_failures_wins_in_any_order() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for order in [[0, 1, 2], [2, 0, 1], [2, 1, 0], [1, 2, 0]] {
            let requests = vec![ByteRange { offset: 0, len: 1 }; 5];
            let state = State { next: 0, active: 0, buffers: vec![None; 5], failure: None };
            let blob = Arc::new(LocalBlob::open(file.path()).unwrap());
            let fetch = Fetch { blob, requests, state: Mutex::new(state), idle: Condvar::new() };
            assert_eq!([fetch.claim(), fetch.claim(), fetch.claim()], [Some(0), Some(1), Some(2)]);
            for index in order {
                let operation = format!("read number {index}");
                fetch.finish(index, Err(Error::new(ErrorKind::Other, "x", operation, "on purpose")));
                assert_eq!(fetch.claim(), None, "nothing new begins after a failure");
            }
            assert_eq!(fetch.result().unwrap_err().operation(), "read number 0", "{order:?}");
        }
    }
}
