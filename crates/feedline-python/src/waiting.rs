//! The one way to do what may take long: on another thread, while the caller's looks for Ctrl-C.
//!
//! Not by asking, in the middle of the work, whether to go on. A kernel may work for seconds on one tensor, a call of the system's may never return, and
//! there are hundreds of the one and dozens of the other; none of them is to know about Ctrl-C, and none can be forgotten. The price is a hand-over
//! from thread to thread and back, some ten microseconds, so what is known to be short is not done this way.
//!
//! Python that comes up in the work runs on the thread of the caller all the same, where `print` and breakpoints are at home: the thread that works leaves
//! it at its [`Desk`], where the caller waits, and waits until it was done.

use std::cell::RefCell;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::exception;

/// How often who waits looks for signals: a person at a keyboard is to wait a fifth of a second at most.
pub(crate) const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// What `work` gives. Meanwhile this thread, which does not hold the interpreter, looks for signals, and calls `tell` as often.
///
/// # Errors
/// What a signal, or `tell`, raised. The work is left alone then: it goes on until it is done, or until it comes to code of Python's, and nobody sees what
/// it gives. So a call of the system's that does not return, as on a network that is gone, keeps nobody.
pub(crate) fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    tell: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let desk = Arc::new(Desk::default());
    desk.lock().is_working = true;
    let answer = Arc::new(Mutex::new(None));
    let (working_at, answers) = (Arc::clone(&desk), Arc::clone(&answer));
    start_thread(move || {
        let result = working_at.at_it(|| catch_unwind(AssertUnwindSafe(work)));
        *answers.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        working_at.end_work();
    })?;
    desk.attend(py, tell).inspect_err(|_| {
        desk.close();
    })?;
    let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
    answer.expect("the work is done").map_or_else(|panic| resume_unwind(panic), Ok)
}

/// Starts a thread that works for a caller.
pub(crate) fn start_thread(work: impl FnOnce() + Send + 'static) -> PyResult<()> {
    let begun = thread::Builder::new().name("feedline-call".to_owned()).spawn(work);
    begun.map(drop).map_err(|error| {
        let told =
            format!("no thread could be started: {error}\nhint: `ulimit -u` shows how many there may be");
        exception("ResourceError", told)
    })
}

thread_local! {
    /// Where this thread leaves what callers are to do, if it works for some.
    static DESK: RefCell<Option<Arc<Desk>>> = const { RefCell::new(None) };
}

/// Where this thread leaves what callers are to do, if it works for some: it does then what its caller asked for, be that code of the user's.
pub(crate) fn own_desk() -> Option<Arc<Desk>> {
    DESK.with_borrow(Clone::clone)
}

/// Where a thread that works and those who wait for it meet.
#[derive(Default)]
pub(crate) struct Desk {
    papers: Mutex<Papers>,
    changed: Condvar,
}

#[derive(Default)]
struct Papers {
    /// Whether there is work that is not done.
    is_working: bool,
    /// What the thread that works wants done by a caller, until one begins with it.
    request: Option<Request>,
    /// Whether the last request was done.
    is_served: bool,
    /// Whether no caller will come any more.
    is_closed: bool,
}

type Request = Box<dyn FnOnce(Python<'_>) + Send>;

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` as that of this desk's thread.
    pub(crate) fn at_it<T>(self: &Arc<Desk>, work: impl FnOnce() -> T) -> T {
        struct Back(Option<Arc<Desk>>);
        impl Drop for Back {
            fn drop(&mut self) {
                DESK.replace(self.0.take());
            }
        }
        let _back = Back(DESK.replace(Some(Arc::clone(self))));
        work()
    }

    /// Sees to it that there is work: whether there was none.
    pub(crate) fn begin_work(&self) -> bool {
        let was_working = mem::replace(&mut self.lock().is_working, true);
        self.changed.notify_all();
        !was_working
    }

    /// The work is done. Whether nobody will want more.
    pub(crate) fn end_work(&self) -> bool {
        let mut papers = self.lock();
        papers.is_working = false;
        self.changed.notify_all();
        papers.is_closed
    }

    /// Waits until there is work; `false` if there will be none any more.
    pub(crate) fn wait_for_work(&self) -> bool {
        let mut papers = self.lock();
        while !papers.is_working && !papers.is_closed {
            papers = self.changed.wait(papers).unwrap_or_else(PoisonError::into_inner);
        }
        papers.is_working
    }

    /// Nobody will come any more. Whether there is work that is not done.
    pub(crate) fn close(&self) -> bool {
        let mut papers = self.lock();
        papers.is_closed = true;
        self.changed.notify_all();
        papers.is_working
    }

    /// Waits until the work is done, and does what it asks for; calls `tell` as often as it looks for signals.
    ///
    /// # Errors
    /// What a signal, or `tell`, raised. The work goes on; others may wait for it.
    pub(crate) fn attend(
        &self,
        py: Python<'_>,
        mut tell: impl FnMut(Python<'_>) -> PyResult<()>,
    ) -> PyResult<()> {
        loop {
            if py.detach(|| self.is_done_soon()) {
                return Ok(());
            }
            self.serve(py);
            py.check_signals()?;
            tell(py)?;
        }
    }

    /// Waits until the work is done or asks for something, or for a while. Whether it is done.
    fn is_done_soon(&self) -> bool {
        let is_idle = |papers: &mut Papers| papers.is_working && papers.request.is_none();
        let waited = self.changed.wait_timeout_while(self.lock(), LOOKS_EVERY, is_idle);
        let (papers, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !papers.is_working
    }

    /// Whether the thread that works wants something done.
    pub(crate) fn has_request(&self) -> bool {
        self.lock().request.is_some()
    }

    /// Does what the thread that works wants done, if it does.
    pub(crate) fn serve(&self, py: Python<'_>) {
        let request = self.lock().request.take();
        if let Some(request) = request {
            let _served = Served(self);
            request(py);
        }
    }

    /// Has a caller run `code`, the next one if there is none now. `None` if none will come.
    pub(crate) fn ask<T: Send>(&self, code: impl FnOnce(Python<'_>) -> T + Send) -> Option<T> {
        let mut result = None;
        let request: Box<dyn FnOnce(Python<'_>) + Send + '_> = Box::new(|py| result = Some(code(py)));
        // SAFETY: what it borrows lives as long as this call, which does not return before the request was run or taken back: `request` is taken by who runs
        // it, who has dropped it when he says that it is served, or here.
        let request = unsafe {
            mem::transmute::<Box<dyn FnOnce(Python<'_>) + Send + '_>, Box<dyn FnOnce(Python<'_>) + Send>>(
                request,
            )
        };
        let mut papers = self.lock();
        papers.request = Some(request);
        papers.is_served = false;
        self.changed.notify_all();
        while !papers.is_served {
            if papers.is_closed && papers.request.take().is_some() {
                break;
            }
            papers = self.changed.wait(papers).unwrap_or_else(PoisonError::into_inner);
        }
        drop(papers);
        result
    }
}

/// Says, also behind a panic, that a request is not there any more.
struct Served<'a>(&'a Desk);

impl Drop for Served<'_> {
    fn drop(&mut self) {
        self.0.lock().is_served = true;
        self.0.changed.notify_all();
    }
}
