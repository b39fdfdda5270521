//! Which Python exception an error is. The classes are those of `feedline/_errors.py`.

use std::error::Error as StdError;
use std::fmt;

use feedline::data::block::{RowError, Tensor};
use feedline::plan::{Expr, PlanError, PlanErrorKind};
use feedline::{Error, ExecError, ExecErrorKind, io};
use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyIsADirectoryError, PyOSError, PyPermissionError,
};
use pyo3::prelude::*;

/// An exception of Python's on its way through the engine, which brings it back unchanged.
#[derive(Debug)]
pub(crate) struct PythonError(pub(crate) PyErr);

impl fmt::Display for PythonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
            let raised = raised.clone_ref(py);
            // An exception is one object, also when its element comes again: one note is enough.
            let note = note(error.as_ref());
            let value = raised.value(py);
            let known = value.getattr("__notes__").and_then(|notes| notes.contains(&note)).unwrap_or(false);
            if !known {
                let _ = value.call_method1("add_note", (note,));
            }
            raised
        });
    }
    match error.downcast_ref::<ExecError>() {
        Some(error) => of_run(error),
        None => exception("CorruptDataError", error),
    }
}

fn python_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a PyErr> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(PythonError(raised)) = error.downcast_ref::<PythonError>() {
            return Some(raised);
        }
        at = error.source();
    }
    None
}

/// Where user code failed: the step, and the element it got.
fn note(error: &(dyn StdError + 'static)) -> String {
    let text = error.to_string();
    let step = text.split(": ").next().unwrap_or_default();
    let element = error.downcast_ref::<ExecError>().map_or(&[][..], ExecError::element);
    if element.is_empty() {
        return format!("feedline: raised in {step}");
    }
    let shown = |tensor: &Tensor| Expr::constant(tensor.clone()).to_string();
    let tensors: Vec<String> = element.iter().map(shown).collect();
    format!("feedline: raised in {step}, which got ({})", tensors.join(", "))
}
