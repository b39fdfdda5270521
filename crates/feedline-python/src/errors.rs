//! Which Python exception an error is. The classes are those of `feedline/_errors.py`.

use std::error::Error as StdError;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use feedline::data::Structure;
use feedline::data::block::{RowError, Tensor};
use feedline::plan::{Expr, PlanError, PlanErrorKind};
use feedline::{Error, ExecError, ExecErrorKind, io};
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyIsADirectoryError, PyOSError, PyPermissionError,
    PyRuntimeError, PyStopIteration,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::attached::Failure;

/// An exception of Python's on its way through the engine, which brings it back unchanged.
///
/// Once it is raised, its traceback has the frames it went through, and those the iterator, which holds the row with this error:
/// a circle that Python does not see through. So it is given away, and what is left can make another like it.
#[derive(Debug)]
pub(crate) struct PythonError {
    text: String,
    raised: Mutex<Raised>,
    call: Option<CallOfPython>,
}

/// What was called when an exception was raised, for its note.
#[derive(Debug)]
pub(crate) struct CallOfPython {
    /// The step and the function: `map(prepare)`.
    step: String,
    /// What the function got, or which element it was to give.
    got: String,
}

impl CallOfPython {
    /// A function, called by `step`, which got these arguments.
    pub(crate) fn with<'a>(
        step: &str,
        name: &str,
        arguments: impl IntoIterator<Item = &'a Structure<Tensor>>,
    ) -> CallOfPython {
        let shown: Vec<String> = arguments.into_iter().map(shown).collect();
        CallOfPython {
            step: CallOfPython::step(step, name),
            got: format!("which got ({})", shown.join(", ")),
        }
    }

    /// A generator, asked for element number `element`.
    pub(crate) fn for_element(step: &str, name: &str, element: u64) -> CallOfPython {
        CallOfPython { step: CallOfPython::step(step, name), got: format!("asked for element {element}") }
    }

    fn step(step: &str, name: &str) -> String {
        // Without the digest of its code, which nobody wants to read here.
        format!("{step}({})", name.split('#').next().unwrap_or_default())
    }
}

fn shown(value: &Structure<Tensor>) -> String {
    let listed = |parts: Vec<String>| parts.join(", ");
    match value {
        Structure::Leaf(tensor) => Expr::constant(tensor.clone()).to_string(),
        Structure::Tuple(parts) => format!("({})", listed(parts.iter().map(shown).collect())),
        Structure::Dict(parts) => {
            let part = |(key, part): (&String, &Structure<Tensor>)| format!("{key}: {}", shown(part));
            format!("{{{}}}", listed(parts.iter().map(part).collect()))
        }
        Structure::Composite(kind, _) => format!("a {} tensor", kind.name()),
        Structure::Dataset(..) => "a dataset".to_owned(),
    }
}

#[derive(Debug)]
enum Raised {
    NotYet(PyErr),
    /// Its class, and what it was made of.
    Before(Py<PyAny>, Py<PyAny>),
}

impl PythonError {
    pub(crate) fn new(raised: PyErr) -> PythonError {
        PythonError { text: raised.to_string(), raised: Mutex::new(Raised::NotYet(raised)), call: None }
    }

    /// A failure, which says what was called if it is an exception of Python's.
    pub(crate) fn during(failure: Failure, call: impl FnOnce() -> CallOfPython) -> Failure {
        match failure.downcast::<PythonError>() {
            Ok(raised) => Failure::from(PythonError { call: Some(call()), ..*raised }),
            Err(other) => other,
        }
    }

    /// The exception; where it was given away, another of its class with the same arguments.
    fn give(&self, py: Python<'_>) -> PyErr {
        // Nothing of Python's is called while this is locked: another thread would wait for the lock, and keep the interpreter from this one.
        let lock = || self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match &*lock() {
            Raised::NotYet(first) => Err(first.clone_ref(py)),
            Raised::Before(class, arguments) => Ok((class.clone_ref(py), arguments.clone_ref(py))),
        };
        match before {
            Ok((class, arguments)) => {
                let arguments = arguments.bind(py).cast::<PyTuple>().ok();
                match arguments.map(|arguments| class.bind(py).call1(arguments)) {
                    Some(Ok(value)) => PyErr::from_value(value),
                    _ => exception("UserCodeError", &self.text),
                }
            }
            Err(first) => {
                let value = first.value(py);
                let arguments = value.getattr("args").map_or_else(|_| py.None(), Bound::unbind);
                let rest = Raised::Before(value.get_type().into_any().unbind(), arguments);
                let given = std::mem::replace(&mut *lock(), rest);
                drop(given);
                first
            }
        }
    }
}

impl fmt::Display for PythonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for PythonError {}

/// An exception of the class of that name.
pub(crate) fn exception(class: &str, message: impl fmt::Display) -> PyErr {
    Python::attach(|py| {
        let make = || py.import("feedline._errors")?.getattr(class)?.call1((message.to_string(),));
        make().map_or_else(|error| error, PyErr::from_value)
    })
}

pub(crate) fn of_plan(error: &PlanError) -> PyErr {
    let class = match error.kind() {
        PlanErrorKind::Spec => "SchemaError",
        PlanErrorKind::Internal => "InternalError",
        _ => "ArgumentError",
    };
    // The line it names is one of the bindings; the traceback has the user's.
    exception(class, error.clone().without_location())
}

pub(crate) fn of_feedline(error: Error) -> PyErr {
    match error {
        Error::Plan(error) => of_plan(&error),
        Error::Io(error) => of_io(&error),
        Error::Run(error) => of_run(&error),
        Error::Element(error) => of_row(&error),
        Error::Argument { .. } | Error::Usage { .. } => exception("ArgumentError", error),
        error => exception("CorruptDataError", error),
    }
}

fn of_io(error: &io::Error) -> PyErr {
    let message = error.to_string();
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NoMatch => PyFileNotFoundError::new_err(message),
        io::ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
        io::ErrorKind::AlreadyExists => PyFileExistsError::new_err(message),
        io::ErrorKind::IsFolder => PyIsADirectoryError::new_err(message),
        io::ErrorKind::InvalidPattern | io::ErrorKind::InvalidArgument | io::ErrorKind::Remote => {
            exception("ArgumentError", message)
        }
        _ => PyOSError::new_err(message),
    }
}

pub(crate) fn of_run(error: &ExecError) -> PyErr {
    exception(
        match error.kind() {
            ExecErrorKind::Data => "CorruptDataError",
            ExecErrorKind::Value => "InvalidValueError",
            ExecErrorKind::UserCode => "UserCodeError",
            ExecErrorKind::Resource => "ResourceError",
            ExecErrorKind::State => "CheckpointError",
            _ => "InternalError",
        },
        error,
    )
}

/// The error of an element: the exception user code raised, with a note where, or one of ours.
pub(crate) fn of_row(error: &RowError) -> PyErr {
    if let Some(raised) = python_error(error.as_ref()) {
        return Python::attach(|py| {
            let call = raised.call.as_ref();
            let mut raised = raised.give(py);
            if raised.is_instance_of::<PyStopIteration>(py) {
                // From an iterator it would mean that there are no more elements.
                let own = PyRuntimeError::new_err("a Python function raised StopIteration");
                own.set_cause(py, Some(raised));
                raised = own;
            }
            let value = raised.value(py);
            // An object that user code raises again and again: one note is enough.
            let note = note(error.as_ref(), call);
            let known = value.getattr("__notes__").and_then(|notes| notes.contains(&note)).unwrap_or(false);
            if !known {
                let _ = value.call_method1("add_note", (note,));
            }
            raised
        });
    }
    match error.downcast_ref::<ExecError>() {
        Some(run) if run.element().is_empty() => of_run(run),
        Some(run) => Python::attach(|py| {
            let raised = of_run(run);
            let _ = raised.value(py).call_method1("add_note", (note(error.as_ref(), None),));
            raised
        }),
        None => exception("CorruptDataError", error),
    }
}

fn python_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a PythonError> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(raised) = error.downcast_ref::<PythonError>() {
            return Some(raised);
        }
        at = error.source();
    }
    None
}

/// Where user code failed: the step, what it got, and where that came from.
fn note(error: &(dyn StdError + 'static), call: Option<&CallOfPython>) -> String {
    let run = error.downcast_ref::<ExecError>();
    let origin = run.and_then(ExecError::origin).map_or_else(String::new, |origin| format!("{origin}, "));
    let number = run.and_then(ExecError::step).map(|step| format!(", step {} of the plan", step.number));
    let number = number.unwrap_or_default();
    if let Some(CallOfPython { step, got }) = call {
        return format!("feedline: {origin}raised in {step}{number}, {got}");
    }
    let text = run.map_or_else(|| error.to_string(), |run| run.message().to_owned());
    let step = text.split(": ").next().and_then(|step| step.split('#').next()).unwrap_or_default();
    let element = run.map_or(&[][..], ExecError::element);
    if element.is_empty() {
        return format!("feedline: {origin}raised in {step}{number}");
    }
    let shown = |tensor: &Tensor| Expr::constant(tensor.clone()).to_string();
    let tensors: Vec<String> = element.iter().map(shown).collect();
    format!("feedline: {origin}raised in {step}{number}, which got ({})", tensors.join(", "))
}
