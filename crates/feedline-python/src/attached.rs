//! Calling Python on threads that are not its own.

use std::error::Error;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::ffi;
use pyo3::prelude::*;

use crate::errors::PythonError;
use crate::user_code;
use crate::waiting::own_desk;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// Calls of Python that run now.
static NUM_CALLS: AtomicIsize = AtomicIsize::new(0);
/// Whether the interpreter is about to end.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Runs `work` with the interpreter, unless that is ending. On the thread of who waits for this one, if it works for somebody.
pub(crate) fn attached<T: Send>(work: impl FnOnce(Python<'_>) -> PyResult<T> + Send) -> Result<T, Failure> {
    match own_desk() {
        Some(desk) => desk.ask(|_| attached_here(work)).unwrap_or_else(|| Err("nobody waits for it".into())),
        None => attached_here(work),
    }
}

fn attached_here<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, Failure> {
    let _call = Call::begin();
    // After it is counted: `end_calls` sees the call, or the call sees that all is ending (both are SeqCst).
    if IS_ENDING.load(Ordering::SeqCst) {
        return Err("the interpreter is ending".into());
    }
    KNOWN.with(|_| ());
    match Python::try_attach(work) {
        Some(result) => result.map_err(|error| Failure::from(PythonError::new(error))),
        None => Err("the interpreter is ending".into()),
    }
}

/// Lets no call of Python begin any more, and waits a moment for those that run. For the end of the interpreter, which ends
/// threads that want its lock in the middle of what they do; Rust takes that for an abort. Those that are in code of the user's then stay there
/// for ever (`user_code`).
#[pyfunction]
pub(crate) fn end_calls(py: Python<'_>) {
    IS_ENDING.store(true, Ordering::SeqCst);
    let began = Instant::now();
    let wait_while = |is_waited_for: fn() -> bool, longest: Duration| {
        while is_waited_for() && began.elapsed() < longest {
            py.detach(|| thread::sleep(Duration::from_millis(1)));
        }
    };
    wait_while(|| NUM_CALLS.load(Ordering::SeqCst) > 0, LONGEST_END);
    user_code::let_nobody_back();
    wait_while(|| NUM_CALLS.load(Ordering::SeqCst) > user_code::num_away().max(0), LONGEST_CONVERSION);
}

/// In a process that was forked: the threads that made calls are not there.
#[pyfunction]
pub(crate) fn forget_calls() {
    NUM_CALLS.store(0, Ordering::SeqCst);
    user_code::forget();
}

/// What takes longer most likely sleeps, and does not wake up before the process is gone.
const LONGEST_END: Duration = Duration::from_millis(500);
/// Arguments and results are made of arrays in less, however large they are.
const LONGEST_CONVERSION: Duration = Duration::from_secs(10);

/// A call that runs.
struct Call;

impl Call {
    fn begin() -> Call {
        NUM_CALLS.fetch_add(1, Ordering::SeqCst);
        Call
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        NUM_CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

thread_local! {
    static KNOWN: Option<Known> = Known::to_the_interpreter();
}

/// Keeps what the interpreter has for this thread, until the thread ends. It would make that for every call and throw it away
/// again, stack included: more work than many a function.
struct Known;

impl Known {
    fn to_the_interpreter() -> Option<Known> {
        // SAFETY: it may be asked on any thread.
        if !unsafe { ffi::PyGILState_GetThisThreadState() }.is_null() {
            return None; // one of Python's own threads
        }
        Python::try_attach(|_| {
            // SAFETY: the interpreter is there. One call more than is taken back here: `drop` does that.
            unsafe { ffi::PyGILState_Ensure() };
            Known
        })
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        // As a call: the interpreter may be ending just when a thread does that had nothing to do for long. It ends what it has for
        // this thread by itself then, and to end it twice is an abort.
        let _call = Call::begin();
        if IS_ENDING.load(Ordering::SeqCst) {
            return;
        }
        Python::try_attach(|_| {
            // SAFETY: takes back the call above, on the same thread. The lock was held then and stays with the one who
            // attached now; when that ends, nothing of this thread is left.
            unsafe { ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_LOCKED) };
        });
    }
}
