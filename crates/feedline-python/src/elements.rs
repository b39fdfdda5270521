//! Iterators: elements as numpy has them, one after the other.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use feedline::Interrupted;
use feedline::data::Structure;
use feedline::data::block::{RowError, Tensor};
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{exception, of_row};
use crate::{dataset, spec, tensors};

/// How often who waits is told how far it is: often enough for a bar to move.
const TELLS_EVERY: Duration = Duration::from_millis(200);

type Next = Option<Result<Structure<Tensor>, RowError>>;

/// The elements of a dataset.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct Elements {
    /// Locked without the interpreter's lock, or not waited for: two threads may ask at a time.
    inner: Mutex<Option<feedline::Elements>>,
    /// Whether somebody wants it to end: who waits for an element stops waiting.
    is_closing: AtomicBool,
    /// How many want to look at it: who waits for an element lets them.
    num_looking: AtomicUsize,
    /// Threads do not survive a fork.
    process: u32,
}

impl Elements {
    pub(crate) fn new(elements: feedline::Elements) -> Elements {
        Elements {
            inner: Mutex::new(Some(elements)),
            is_closing: AtomicBool::new(false),
            num_looking: AtomicUsize::new(0),
            process: std::process::id(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<feedline::Elements>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the elements, without the interpreter's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut feedline::Elements) -> T + Send,
    ) -> PyResult<T> {
        self.check_process()?;
        let result = py.detach(|| self.lock().as_mut().map(work));
        result.ok_or_else(closed)
    }

    /// Looks at the elements as they are, also while another thread waits for the next one.
    fn look<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut feedline::Elements) -> T + Send,
    ) -> PyResult<T> {
        self.check_process()?;
        let result = py.detach(|| {
            self.num_looking.fetch_add(1, Ordering::Relaxed);
            let mut elements = self.lock();
            self.num_looking.fetch_sub(1, Ordering::Relaxed);
            elements.as_mut().map(work)
        });
        result.ok_or_else(closed)
    }

    fn check_process(&self) -> PyResult<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(exception(
            "ResourceError",
            "this iterator was made before the process forked, and what it ran on is not here\n\
             hint: make the iterator in the child: iter(dataset)",
        ))
    }

    /// The next element, waited for.
    fn next_element(
        &self,
        py: Python<'_>,
        tell: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Structure<Tensor>>> {
        self.check_process()?;
        let next = match self.ready() {
            Some(next) => next,
            None => self.wait(py, tell)?,
        };
        next.transpose().map_err(|error| of_row(&error))
    }

    /// The next element, if it is there already.
    fn ready(&self) -> Option<Next> {
        let mut elements = self.inner.try_lock().ok()?;
        let elements = elements.as_mut().filter(|elements| elements.is_ready())?;
        Some(elements.next())
    }

    /// `tell` is called a few times a second.
    fn wait(&self, py: Python<'_>, tell: Option<&Bound<'_, PyAny>>) -> PyResult<Next> {
        let mut told = Instant::now();
        let is_told = tell.is_some();
        loop {
            let is_due = || is_told && told.elapsed() >= TELLS_EVERY;
            let mut raised = None;
            let mut is_interrupted = || {
                // Only the main thread of a living interpreter has signals to look at.
                raised = Python::try_attach(|py| py.check_signals().err()).flatten();
                raised.is_some() || self.is_closing.load(Ordering::Relaxed) || self.is_looked_at() || is_due()
            };
            let next = self.with(py, |elements| {
                let _asking = Asking::begin();
                elements.next_unless(&mut is_interrupted)
            })?;
            match (next, raised) {
                (Ok(next), _) => {
                    // A signal that came while the element was waited for is raised before anybody has the element, and would lose it.
                    if let Err(error) = py.check_signals() {
                        self.with(py, feedline::Elements::put_back)?;
                        return Err(error);
                    }
                    // Unless another thread is at it, which then does.
                    if let Some(elements) =
                        self.inner.try_lock().ok().as_mut().and_then(|elements| elements.as_mut())
                    {
                        elements.let_go();
                    }
                    return Ok(next);
                }
                (Err(Interrupted), Some(error)) => return Err(error),
                (Err(Interrupted), None) if self.is_closing.load(Ordering::Relaxed) => return Err(closed()),
                (Err(Interrupted), None) => {
                    if is_due()
                        && let Some(tell) = tell
                    {
                        tell.call0()?;
                        told = Instant::now();
                    }
                    // Those who look count themselves out once they have the lock: then it is they who are waited for.
                    py.detach(|| {
                        while self.is_looked_at() {
                            std::thread::yield_now();
                        }
                    });
                }
            }
        }
    }

    fn is_looked_at(&self) -> bool {
        self.num_looking.load(Ordering::Relaxed) > 0
    }
}

thread_local! {
    /// Whether this thread asks for an element: code of the user's that it comes to runs here because there are no workers.
    static IS_ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread does itself what it asks for: in `debug()`, or without threads.
pub(crate) fn is_asking() -> bool {
    IS_ASKING.get()
}

struct Asking(bool);

impl Asking {
    fn begin() -> Asking {
        Asking(IS_ASKING.replace(true))
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        IS_ASKING.set(self.0);
    }
}

fn closed() -> PyErr {
    exception("ArgumentError", "the iterator is closed")
}

#[pymethods]
impl Elements {
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next_element(py, None)?.map(|element| dataset::element_to_python(py, &element)).transpose()
    }

    /// As `next`; `tell` is called a few times a second until the element is there.
    fn next_telling<'py>(&self, py: Python<'py>, tell: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let element = self.next_element(py, Some(tell))?.ok_or_else(|| PyStopIteration::new_err(()))?;
        dataset::element_to_python(py, &element)
    }

    /// As `__next__`, with tensors of bfloat16 as arrays of two bytes: numpy need not know the type.
    fn next_with_bits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let element = self.next_element(py, None)?.ok_or_else(|| PyStopIteration::new_err(()))?;
        dataset::element_with(py, &element, tensors::to_python_or_bits)
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Where it is.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let state = self.look(py, |elements| elements.state().to_bytes())?;
        Ok(PyBytes::new(py, &state))
    }

    /// The spec of its elements.
    fn element_spec<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let spec = self.look(py, |elements| elements.spec().clone())?;
        spec::to_python(py, &spec)
    }

    /// What every step has done, held and waited for.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let snapshot = self.look(py, |elements| elements.metrics())?;
        let all = PyDict::new(py);
        all.set_item("text", snapshot.to_string())?;
        all.set_item("elapsed_ns", snapshot.elapsed_ns)?;
        all.set_item("budget_used_bytes", snapshot.budget_used_bytes)?;
        all.set_item("budget_peak_bytes", snapshot.budget_peak_bytes)?;
        all.set_item("budget_limit_bytes", snapshot.budget_limit_bytes)?;
        all.set_item("process_budget_used_bytes", snapshot.process_budget_used_bytes)?;
        all.set_item("process_budget_peak_bytes", snapshot.process_budget_peak_bytes)?;
        all.set_item("process_budget_limit_bytes", snapshot.process_budget_limit_bytes)?;
        all.set_item("held_by_caller_bytes", snapshot.held_by_caller_bytes)?;
        all.set_item("workers", snapshot.workers)?;
        all.set_item("io_threads", snapshot.io_threads)?;
        let steps = snapshot.steps.iter().map(|step| {
            let values = PyDict::new(py);
            values.set_item("name", &step.name)?;
            values.set_item("elements", step.elements)?;
            values.set_item("errors", step.errors)?;
            values.set_item("handled_errors", step.handled_errors)?;
            values.set_item("bytes", step.bytes)?;
            values.set_item("blocks", step.blocks)?;
            values.set_item("busy_ns", step.busy_ns)?;
            values.set_item("waiting_ns", step.waiting_ns)?;
            values.set_item("queue_depth", step.queue.as_ref().map(|queue| queue.depth))?;
            Ok(values)
        });
        all.set_item("steps", steps.collect::<PyResult<Vec<_>>>()?)?;
        Ok(all)
    }

    /// Ends it: its threads stop, its memory is given back.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.check_process()?;
        self.is_closing.store(true, Ordering::Relaxed);
        py.detach(|| drop(self.lock().take()));
        Ok(())
    }
}

impl Drop for Elements {
    fn drop(&mut self) {
        let mut elements = self.lock().take();
        if self.process != std::process::id() {
            // What would have to be told to stop is in the other process, and so may be who holds a lock.
            std::mem::forget(elements);
            return;
        }
        // Without the interpreter's lock, if there still is one: threads that want it may be in the way for a moment.
        Python::try_attach(|py| py.detach(|| elements = None));
    }
}
