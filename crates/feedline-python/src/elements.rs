//! Iterators: elements as numpy has them, one after the other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use feedline::data::Structure;
use feedline::data::block::{RowError, Tensor};
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{exception, of_row};
use crate::waiting::{Desk, LOOKS_EVERY, start_thread, wait_for};
use crate::{dataset, spec, tensors};

/// How often who waits is told how far it is: often enough for a bar to move.
const TELLS_EVERY: Duration = Duration::from_millis(200);

/// How often who wants the elements while somebody else has them tries again. They are had for moments, or for very long.
const TRIES_EVERY: Duration = Duration::from_millis(1);

type Next = Option<Result<Structure<Tensor>, RowError>>;

/// The elements of a dataset.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct Elements {
    shared: Arc<Shared>,
    /// Threads do not survive a fork.
    process: u32,
}

/// Where the iteration of a dataset was. It holds the plan and what is known of files, and nothing that runs.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct Place {
    state: Arc<dyn Fn() -> feedline::State + Send + Sync>,
}

#[pymethods]
impl Place {
    /// What is saved of it. The first time that may take long: it goes over the data of the plan and looks at files.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let state = Arc::clone(&self.state);
        Ok(PyBytes::new(py, &wait_for(py, move || state().to_bytes(), |_| Ok(()))?))
    }
}

/// What a thread that computes elements knows of them, too.
struct Shared {
    /// Locked without the interpreter's lock, or not waited for: two threads may ask at a time.
    inner: Mutex<Option<feedline::Elements>>,
    /// Whether who asks for an element would have to compute it. Then a thread does that for him, at the desk: he could not look for Ctrl-C meanwhile.
    computes: bool,
    desk: Arc<Desk>,
    has_thread: AtomicBool,
    /// Whether who waited for that thread went away: it need not go on.
    is_left: AtomicBool,
    /// Whether somebody wants it to end: who waits for an element stops waiting.
    is_closing: AtomicBool,
    /// How many want to look at it: who waits for an element lets them.
    num_looking: AtomicUsize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<feedline::Elements>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The elements, if nobody else has them now.
    fn try_lock(&self) -> Option<MutexGuard<'_, Option<feedline::Elements>>> {
        match self.inner.try_lock() {
            Ok(elements) => Some(elements),
            Err(TryLockError::Poisoned(elements)) => Some(elements.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Does something with the elements, without the interpreter's lock, as soon as nobody else has them. The thread that computes them may have them
    /// until a caller has done something for it: this one does.
    ///
    /// # Errors
    /// If it is closed; what a signal raised before.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut feedline::Elements) -> T + Send,
    ) -> PyResult<T> {
        let mut work = Some(work);
        loop {
            let tried = py.detach(|| {
                let began = Instant::now();
                while began.elapsed() < LOOKS_EVERY && !self.desk.has_request() {
                    if let Some(mut elements) = self.try_lock() {
                        return work.take().map(|work| elements.as_mut().map(work));
                    }
                    thread::sleep(TRIES_EVERY);
                }
                None
            });
            if let Some(result) = tried {
                return result.ok_or_else(closed);
            }
            py.check_signals()?;
            self.desk.serve(py);
        }
    }

    /// Looks at the elements as they are, also while another thread waits for the next one.
    fn look<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut feedline::Elements) -> T + Send,
    ) -> PyResult<T> {
        struct Looking<'a>(&'a AtomicUsize);
        impl Drop for Looking<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.num_looking.fetch_add(1, Ordering::Relaxed);
        let looking = Looking(&self.num_looking);
        self.with(py, |elements| {
            // Once it has the lock, it is the lock that others wait for.
            drop(looking);
            work(elements)
        })
    }

    /// What is next, if it is there already.
    fn ready(&self) -> PyResult<Option<Next>> {
        let Some(mut elements) = self.try_lock() else { return Ok(None) };
        let elements = elements.as_mut().ok_or_else(closed)?;
        Ok(elements.is_ready().then(|| elements.next()))
    }

    /// Waits until the next element is there, or for a while; `tell` is called a few times a second.
    fn wait(self: &Arc<Shared>, py: Python<'_>, tell: &mut Tell<'_, '_>) -> PyResult<()> {
        if self.computes {
            return self.wait_for_thread(py, tell);
        }
        let (mut raised, due) = (None, tell.due());
        let is_interrupted = || {
            raised = raised_by_signal();
            let is_due = due.is_some_and(|due| Instant::now() >= due);
            raised.is_some() || self.is_closing() || self.is_looked_at() || is_due
        };
        // Whether it was interrupted shows.
        let _ = self.with(py, |elements| elements.ready_unless(is_interrupted))?;
        raised.map_or(Ok(()), Err)?;
        py.detach(|| self.let_others_look());
        self.attended(tell)
    }

    fn wait_for_thread(self: &Arc<Shared>, py: Python<'_>, tell: &mut Tell<'_, '_>) -> PyResult<()> {
        self.is_left.store(false, Ordering::Relaxed);
        self.desk.begin_work();
        if !self.has_thread.swap(true, Ordering::Relaxed) {
            let shared = Arc::clone(self);
            start_thread(move || shared.compute()).inspect_err(|_| {
                self.has_thread.store(false, Ordering::Relaxed);
                self.desk.end_work();
            })?;
        }
        let waited = self.desk.attend(py, |_| self.attended(tell));
        waited.inspect_err(|_| self.is_left.store(true, Ordering::Relaxed))
    }

    /// What the thread does that computes elements.
    fn compute(&self) {
        while self.desk.wait_for_work() {
            self.desk.at_it(|| {
                self.let_others_look();
                let is_interrupted =
                    || self.is_left.load(Ordering::Relaxed) || self.is_closing() || self.is_looked_at();
                if let Some(elements) = self.lock().as_mut()
                    && !is_interrupted()
                {
                    // Whether it was interrupted shows.
                    let _ = elements.ready_unless(is_interrupted);
                }
            });
            if self.desk.end_work() {
                break;
            }
        }
        drop(self.lock().take());
    }

    /// What who waits has to see to now and then.
    fn attended(&self, tell: &mut Tell<'_, '_>) -> PyResult<()> {
        if self.is_closing() { Err(closed()) } else { tell.now_if_due() }
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    fn is_looked_at(&self) -> bool {
        self.num_looking.load(Ordering::Relaxed) > 0
    }

    /// Those who look count themselves out once they have the lock: then it is they who are waited for.
    fn let_others_look(&self) {
        while self.is_looked_at() {
            thread::yield_now();
        }
    }

    /// Ends it, without waiting for an operation that runs.
    fn close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
        // A thread that is at it ends it when it comes back.
        if !self.desk.close() {
            drop(self.lock().take());
        }
    }
}

/// What is called now and then while an element is waited for.
struct Tell<'a, 'py> {
    function: Option<&'a Bound<'py, PyAny>>,
    last: Instant,
}

impl Tell<'_, '_> {
    fn due(&self) -> Option<Instant> {
        self.function.map(|_| self.last + TELLS_EVERY)
    }

    fn now_if_due(&mut self) -> PyResult<()> {
        if let Some(function) = self.function
            && self.last.elapsed() >= TELLS_EVERY
        {
            function.call0()?;
            self.last = Instant::now();
        }
        Ok(())
    }
}

/// What a signal raised. Only the main thread of a living interpreter has signals to look at.
fn raised_by_signal() -> Option<PyErr> {
    Python::try_attach(|py| py.check_signals().err()).flatten()
}

fn closed() -> PyErr {
    exception("ArgumentError", "the iterator is closed")
}

impl Elements {
    pub(crate) fn new(elements: feedline::Elements) -> Elements {
        let shared = Shared {
            computes: elements.computes_when_asked(),
            inner: Mutex::new(Some(elements)),
            desk: Arc::default(),
            has_thread: AtomicBool::new(false),
            is_left: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
            num_looking: AtomicUsize::new(0),
        };
        Elements { shared: Arc::new(shared), process: std::process::id() }
    }

    /// What is shared with other threads, which are not there in a process that was forked.
    fn here(&self) -> PyResult<&Arc<Shared>> {
        if self.process == std::process::id() {
            return Ok(&self.shared);
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
        let shared = self.here()?;
        let mut tell = Tell { function: tell, last: Instant::now() };
        loop {
            if let Some(next) = shared.ready()? {
                return next.transpose().map_err(|error| of_row(&error));
            }
            shared.wait(py, &mut tell)?;
            // A signal that came while the element was waited for is raised before anybody has the element, and would lose it.
            py.check_signals()?;
        }
    }
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
        self.place(py)?.state(py)
    }

    /// Where it is now, which stays known when the elements are gone.
    fn place(&self, py: Python<'_>) -> PyResult<Place> {
        let state = self.here()?.look(py, |elements| elements.state_later())?;
        Ok(Place { state: Arc::new(state) })
    }

    /// The spec of its elements.
    fn element_spec<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let spec = self.here()?.look(py, |elements| elements.spec().clone())?;
        spec::to_python(py, &spec)
    }

    /// What every step has done, held and waited for.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let snapshot = self.here()?.look(py, |elements| elements.metrics())?;
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
        let shared = self.here()?;
        py.detach(|| shared.close());
        Ok(())
    }
}

impl Drop for Elements {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // What would have to be told to stop is in the other process, and so may be who holds a lock.
            std::mem::forget(Arc::clone(&self.shared));
            return;
        }
        // Without the interpreter's lock, if there still is one: threads that want it may be in the way for a moment.
        Python::try_attach(|py| py.detach(|| self.shared.close()));
    }
}
