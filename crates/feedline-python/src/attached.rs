//! Calling Python on threads that are not its own.

use std::error::Error;

use pyo3::ffi;
use pyo3::prelude::*;

use crate::errors::PythonError;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// Runs `work` with the interpreter, unless that is ending.
pub(crate) fn attached<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, Failure> {
    KNOWN.with(|_| ());
    match Python::try_attach(work) {
        Some(result) => result.map_err(|error| Failure::from(PythonError(error))),
        None => Err("the interpreter is ending".into()),
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
        Python::try_attach(|_| {
            // SAFETY: takes back the call above, on the same thread. The lock was held then and stays with the one who
            // attached now; when that ends, nothing of this thread is left.
            unsafe { ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_LOCKED) };
        });
    }
}
