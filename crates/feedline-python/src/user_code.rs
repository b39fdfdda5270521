//! Calling code of the user's on threads that are not Python's own, so that the interpreter may end meanwhile.
//!
//! An interpreter that ends (before Python 3.14) ends a thread that wants its lock: by `pthread_exit`, which goes up the stack as an exception
//! does, and which Rust takes for an abort. Code of the user's may take any time, and asks for the lock in the middle of it: when `sleep` is over,
//! or when it is the turn of another thread. So the call is made by a function that may be left that way, and what is dropped then
//! never returns: the thread stays where it is until the process is gone. (`PyO3` does the same where it takes the lock itself.) What is
//! ours between two such calls takes microseconds, and is waited for.

use std::hint::black_box;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::thread;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Threads that are in code of the user's now.
static NUM_AWAY: AtomicIsize = AtomicIsize::new(0);
/// Whether who comes back from it is not wanted any more: the interpreter is about to end, and nobody waits.
static IS_OVER: AtomicBool = AtomicBool::new(false);

type Call = unsafe extern "C-unwind" fn(
    *mut ffi::PyObject,
    *mut ffi::PyObject,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;
type Next = unsafe extern "C-unwind" fn(*mut ffi::PyObject) -> *mut ffi::PyObject;
type Drop1 = unsafe extern "C-unwind" fn(*mut ffi::PyObject);

/// What `function` gives for these arguments.
pub(crate) fn call<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    // SAFETY: the interpreter's function, of which is said in addition that it may be left by an exception. By an address that the compiler knows nothing
    // of: to it the function of that name, as PyO3 declares it, cannot.
    let call: Call = unsafe { mem::transmute(black_box(ffi::PyObject_Call as *const ())) };
    // SAFETY: both are there, and the interpreter is held.
    let result = away(py, || unsafe { call(function.as_ptr(), arguments.as_ptr(), ptr::null_mut()) });
    // SAFETY: a reference of our own, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, result) }
}

/// What an iterator gives next; `None` behind its last.
pub(crate) fn next<'py>(iterator: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = iterator.py();
    // SAFETY: as above.
    let next: Next = unsafe { mem::transmute(black_box(ffi::PyIter_Next as *const ())) };
    // SAFETY: it is there and an iterator, which who made it has seen to, and the interpreter is held.
    let result = away(py, || unsafe { next(iterator.as_ptr()) });
    // SAFETY: a reference of our own, or null.
    match unsafe { Bound::from_owned_ptr_or_opt(py, result) } {
        Some(element) => Ok(Some(element)),
        None => PyErr::take(py).map_or(Ok(None), Err),
    }
}

/// Lets go of an object, which may run what a generator has in its `finally`.
pub(crate) fn drop_object(object: Bound<'_, PyAny>) {
    let py = object.py();
    // SAFETY: as above.
    let drop: Drop1 = unsafe { mem::transmute(black_box(ffi::Py_DecRef as *const ())) };
    let object = object.into_ptr();
    // SAFETY: the reference was ours and is given back once.
    away(py, || unsafe { drop(object) });
}

/// How many are in code of the user's.
pub(crate) fn num_away() -> isize {
    NUM_AWAY.load(Ordering::SeqCst)
}

/// From here on nobody comes back from code of the user's.
pub(crate) fn let_nobody_back() {
    IS_OVER.store(true, Ordering::SeqCst);
}

/// In a process that was forked: others are not there any more.
pub(crate) fn forget() {
    NUM_AWAY.store(0, Ordering::SeqCst);
}

/// Runs code of the user's.
fn away<T>(_: Python<'_>, code: impl FnOnce() -> T) -> T {
    NUM_AWAY.fetch_add(1, Ordering::SeqCst);
    let stay = Stay;
    let result = code();
    mem::forget(stay);
    NUM_AWAY.fetch_sub(1, Ordering::SeqCst);
    // After it is counted back: who ends the interpreter sees the count, or this thread that all is over (both are SeqCst).
    if IS_OVER.load(Ordering::SeqCst) {
        NUM_AWAY.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the lock is held, and never asked for again.
        unsafe { ffi::PyEval_SaveThread() };
        drop(Stay);
    }
    result
}

/// Does not return when it is dropped.
struct Stay;

impl Drop for Stay {
    fn drop(&mut self) {
        loop {
            thread::park();
        }
    }
}
