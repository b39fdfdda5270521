//! The one way to do what may take long: on a thread of its own, while this one looks for Ctrl-C. (Elements are waited for in `elements.rs`, which
//! has an engine that can be asked to come back.)

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::exception;

/// How often who waits looks for signals: a person at a keyboard is to wait a fifth of a second at most.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// What `work` gives. Meanwhile this thread, which does not hold the interpreter, looks for signals, and calls `tell` as often.
///
/// # Errors
/// What a signal, or `tell`, raised. The work is left alone then: it goes on until it is done, and nobody sees what it gives. So a call of the
/// system's that does not return, as on a network that is gone, keeps nobody.
pub(crate) fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    mut tell: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let (answer, mut answered) = mpsc::sync_channel(1);
    let begun = thread::Builder::new().name("feedline-call".to_owned()).spawn(move || {
        // Nobody may be there any more.
        let _ = answer.send(catch_unwind(AssertUnwindSafe(work)));
    });
    if let Err(error) = begun {
        let told =
            format!("no thread could be started: {error}\nhint: `ulimit -u` shows how many there may be");
        return Err(exception("ResourceError", told));
    }
    loop {
        let waiting = &mut answered;
        match py.detach(move || waiting.recv_timeout(LOOKS_EVERY)) {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(panic)) => resume_unwind(panic),
            // It is never the sender that is gone: it always sends.
            Err(_) => {
                py.check_signals()?;
                tell(py)?;
            }
        }
    }
}
