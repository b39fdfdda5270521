//! One error for everything that can go wrong between a file and a batch.

use std::fmt;
use std::path::{Path, PathBuf};

/// What every fallible function of this crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error with its place: the file, and within it the record, row or byte.
///
/// Prints what happened on one line and what to do on the next, which begins with `hint:`.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The machine: a file that cannot be opened, read or written.
    Io(feedline_io::Error),
    /// The data: a file that holds something else than it should.
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong, with record and byte.
        error: feedline_formats::Error,
    },
    /// The call, whatever the files hold: options that cannot be, or contradict each other.
    Usage {
        /// Which, and why not.
        message: String,
        /// What to ask for instead.
        hint: String,
    },
    /// The call: something was asked for that cannot be had of these files.
    Argument {
        /// What, and why not.
        message: String,
        /// What to ask for instead.
        hint: String,
    },
    /// The data: a row that cannot be converted.
    Row(Box<crate::convert::BadRow>),
    /// The plan: steps that do not fit together.
    Plan(feedline_plan::PlanError),
    /// The run: a plan that cannot be started or resumed.
    Run(feedline_exec::ExecError),
    /// An element: what takes its place in the stream.
    Element(feedline_data::block::RowError),
}

impl Error {
    /// An error in the contents of `path`.
    pub(crate) fn data(path: &Path, error: feedline_formats::Error) -> Error {
        Error::Data { path: path.to_owned(), error: error.in_opened_file() }
    }
}

impl From<feedline_io::Error> for Error {
    fn from(error: feedline_io::Error) -> Error {
        Error::Io(error)
    }
}

impl From<feedline_plan::PlanError> for Error {
    fn from(error: feedline_plan::PlanError) -> Error {
        Error::Plan(error)
    }
}

impl From<feedline_exec::ExecError> for Error {
    fn from(error: feedline_exec::ExecError) -> Error {
        Error::Run(error)
    }
}

impl From<feedline_data::block::RowError> for Error {
    fn from(error: feedline_data::block::RowError) -> Error {
        Error::Element(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Data { path, error } => write!(f, "{}: {error}", feedline_io::shown(path)),
            Error::Usage { message, hint } | Error::Argument { message, hint } => {
                write!(f, "{message}\nhint: {hint}")
            }
            Error::Row(row) => row.fmt(f),
            Error::Plan(error) => error.fmt(f),
            Error::Run(error) => error.fmt(f),
            Error::Element(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => error.source(),
            Error::Run(error) => error.source(),
            Error::Element(error) => error.source(),
            Error::Data { .. }
            | Error::Usage { .. }
            | Error::Argument { .. }
            | Error::Row(_)
            | Error::Plan(_) => None,
        }
    }
}
