//! What can be wrong with a plan, found while it is built.

use std::error::Error as StdError;
use std::fmt;
use std::panic::Location;

/// Result of building something.
pub type Result<T> = std::result::Result<T, PlanError>;

/// A mistake in a plan: what is wrong, where the user wrote it, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    kind: PlanErrorKind,
    message: String,
    hint: Option<String>,
    /// The function the user wrote, where the message is of an operation that it is made of.
    function: Option<&'static str>,
    location: Option<&'static Location<'static>>,
}

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// An argument has a value it cannot have.
    Argument,
    /// Types, shapes or structures do not fit together.
    Spec,
    /// A saved plan is of another version, or no plan.
    Format,
    /// A bug in feedline.
    Internal,
}

impl PlanError {
    /// A bad argument.
    pub fn argument(message: impl Into<String>) -> PlanError {
        PlanError {
            kind: PlanErrorKind::Argument,
            message: message.into(),
            hint: None,
            function: None,
            location: None,
        }
    }

    /// Types, shapes or structures that do not fit.
    pub fn spec(message: impl Into<String>) -> PlanError {
        PlanError { kind: PlanErrorKind::Spec, ..PlanError::argument(message) }
    }

    /// A saved plan that cannot be read.
    pub fn format(message: impl Into<String>) -> PlanError {
        PlanError { kind: PlanErrorKind::Format, ..PlanError::argument(message) }
    }

    /// A bug.
    pub fn internal(message: impl Into<String>) -> PlanError {
        PlanError { kind: PlanErrorKind::Internal, ..PlanError::argument(message) }
    }

    /// With what to do about it.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> PlanError {
        PlanError { hint: Some(hint.into()), ..self }
    }

    /// With the user's line, unless a more precise one is known already.
    #[must_use]
    pub fn at(self, location: &'static Location<'static>) -> PlanError {
        PlanError { location: self.location.or(Some(location)), ..self }
    }

    /// With the step it happened in put before the message.
    #[must_use]
    pub fn in_step(self, step: &str) -> PlanError {
        PlanError { message: format!("{step}: {}", self.message), ..self }
    }

    /// With the function the user wrote, which is made of the operation that this is an error of, unless a more precise one is known already.
    #[must_use]
    pub(crate) fn in_function(self, function: Option<&'static str>) -> PlanError {
        PlanError { function: self.function.or(function), ..self }
    }

    /// The same without the line of the program: for a caller in another language, who has lines of its own.
    #[must_use]
    pub fn without_location(self) -> PlanError {
        PlanError { location: None, ..self }
    }

    /// Whose fault it is.
    pub fn kind(&self) -> PlanErrorKind {
        self.kind
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = self.location {
            write!(f, "{}:{}: ", location.file(), location.line())?;
        }
        if let Some(function) = self.function {
            write!(f, "{function}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl StdError for PlanError {}
