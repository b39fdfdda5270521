//! Work that blocks, done on the I/O threads.

use std::sync::Arc;
use std::task::{Context, Poll};

use feedline_io::IoThreads;

use crate::error::ExecError;
use crate::hand_over::HandOver;

/// A piece of work that is being done elsewhere. Dropped before it is done, it is done all the same and nobody hears of it.
#[derive(Debug)]
pub(crate) struct Job<T>(Arc<Slot<T>>);

/// Where the result arrives.
type Slot<T> = HandOver<Option<Result<T, ExecError>>>;

/// What was put before stays.
fn put<T>(slot: &Slot<T>, result: Result<T, ExecError>) {
    slot.give(|place| {
        place.get_or_insert(result);
    });
}

/// Says so if the work ends without a result: it panicked, or was never begun.
struct Promise<T>(Arc<Slot<T>>);

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        put(&self.0, Err(ExecError::internal("reading or writing on an I/O thread panicked")));
    }
}

impl<T: Send + 'static> Job<T> {
    /// Has `work` done on `threads`; `None` does it here and now: the reference.
    pub(crate) fn start(
        threads: Option<&IoThreads>,
        work: impl FnOnce() -> Result<T, ExecError> + Send + 'static,
    ) -> Job<T> {
        let slot = Arc::new(Slot::new(None));
        let Some(threads) = threads else {
            put(&slot, work());
            return Job(slot);
        };
        let promise = Promise(Arc::clone(&slot));
        let spawned = threads.spawn(move || {
            let result = work();
            put(&promise.0, result);
        });
        if let Err(error) = spawned {
            slot.give(|place| *place = Some(Err(ExecError::resource(error.to_string()))));
        }
        Job(slot)
    }

    /// What became of it, if it is done; once. Nobody is woken who asked before and waits.
    pub(crate) fn try_take(&mut self) -> Option<Result<T, ExecError>> {
        self.0.with(Option::take)
    }

    /// What became of it; once.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, ExecError>> {
        self.0.poll_take(cx, Option::take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Wake, Waker};
    use std::thread::{self, Thread};

    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Unpark>) {
            self.0.unpark();
        }
    }

    fn wait<T: Send + 'static>(mut job: Job<T>) -> Result<T, ExecError> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            match job.poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(result) => return result,
                Poll::Pending => thread::park(),
            }
        }
    }

    #[test]
    fn results_errors_and_panics_arrive() {
        let threads = IoThreads::default();
        for threads in [None, Some(&threads)] {
            assert_eq!(wait(Job::start(threads, || Ok(7))).expect("a number"), 7);
            let error = wait(Job::start(threads, || Err::<(), _>(ExecError::data("no")))).expect_err("no");
            assert_eq!(error.to_string(), "no");
        }
        let panicking = || -> Result<(), ExecError> { std::panic::resume_unwind(Box::new("on purpose")) };
        let error = wait(Job::start(Some(&threads), panicking)).expect_err("a panic");
        assert!(error.to_string().contains("panicked"), "{error}");
    }
}
