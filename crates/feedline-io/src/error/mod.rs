//! The crate's one error: what was tried, where, what came of it, and what to do.
//!
//! The location is a constructor argument, not an option, so an I/O error without its path cannot be made.

mod kinds;

pub use kinds::ErrorKind;

use crate::shown;
use kinds::{hint_for, io_kind_of, is_too_many_open_files, kind_of, remedy_for};
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An I/O failure with its location, the operation, the cause and the remedy.
///
/// `Display` is complete by itself, cause included, because that text is what a user sees:
///
/// ```text
/// data/train.rec: could not read 262144 bytes at byte 1048576: Input/output error (os error 5)
/// hint: the system says no more than this; its log (`dmesg`) or that of the file server may
/// ```
/// [`source`](StdError::source) still gives the cause to code.
/// One pointer wide, so that a `Result<usize>` from a read stays in registers.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    location: PathBuf,
    operation: String,
    found: Option<String>,
    hint: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error that the operating system knows nothing of. `operation` completes "could not …", `found` says
    /// what was found and what was expected.
    pub fn new(
        kind: ErrorKind,
        location: impl Into<PathBuf>,
        operation: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self(Box::new(Inner {
            kind,
            location: location.into(),
            operation: operation.into(),
            found: Some(found.into()),
            hint: None,
            source: None,
        }))
    }

    /// An error of the operating system; kind and hint follow from it.
    ///
    /// An [`Error`] that travelled inside the `io::Error` (through [`io::Write`]) comes out as it was.
    #[cold]
    pub fn io(location: impl Into<PathBuf>, operation: impl Into<String>, source: io::Error) -> Self {
        let source = match source.downcast::<Error>() {
            Ok(ours) => return ours,
            Err(source) => source,
        };
        Self(Box::new(Inner {
            kind: kind_of(&source),
            location: location.into(),
            operation: operation.into(),
            found: None,
            hint: hint_for(&source).map(str::to_owned),
            source: Some(Box::new(source)),
        }))
    }

    /// The same error with this remedy, unless it has one of its own.
    #[must_use]
    pub fn or_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// The same error with this remedy, in place of any it had.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same error with this cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where: a path or pattern as the caller spelled it, or an object's address. Empty only where there is no
    /// place at all: no pattern was given, no thread could be started.
    pub fn location(&self) -> &Path {
        &self.0.location
    }

    /// What was tried; completes "could not …".
    pub fn operation(&self) -> &str {
        &self.0.operation
    }

    /// What to do about it: of this case if we know, else of its kind.
    pub fn hint(&self) -> &str {
        self.0.hint.as_deref().unwrap_or_else(|| remedy_for(self.0.kind))
    }

    /// The operating system's own error, if that is the direct cause.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.source.as_deref()?.downcast_ref()
    }

    /// Whether the file itself is to blame, so that others may still be read and another attempt would end the same: it is
    /// missing, out of reach, no file, or its bytes cannot be had. Not so where the machine has run out of something or
    /// the failure may pass: then the file may be as good as any, and nobody should go on without it.
    pub fn concerns_file(&self) -> bool {
        match self.0.kind {
            ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::IsFolder
            | ErrorKind::NotAFile
            | ErrorKind::UnexpectedEnd => true,
            ErrorKind::Other => !self.io_error().is_some_and(is_too_many_open_files),
            _ => false,
        }
    }

    /// What was found, without location and operation; for a wrapper that gives those itself.
    fn finding(&self) -> String {
        match (&self.0.found, &self.0.source) {
            (Some(found), _) => found.clone(),
            (None, Some(source)) => source.to_string(),
            (None, None) => "it failed".to_owned(),
        }
    }

    /// This error once more, as the end of `attempts` attempts: same kind, place and remedy, this one as cause.
    pub(crate) fn after_attempts(self, attempts: u32, limit: &str) -> Self {
        let found = format!("{}; gave up after {attempts} attempts ({limit})", self.finding());
        Self(Box::new(Inner {
            kind: self.0.kind,
            location: self.0.location.clone(),
            operation: self.0.operation.clone(),
            found: Some(found),
            hint: self.0.hint.clone(),
            source: Some(Box::new(self)),
        }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
        if !inner.location.as_os_str().is_empty() {
            write!(f, "{}: ", shown(&inner.location))?;
        }
        write!(f, "could not {}: {}\nhint: {}", inner.operation, self.finding(), self.hint())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("location", &self.0.location)
            .field("operation", &self.0.operation)
            .field("found", &self.finding())
            .field("hint", &self.hint())
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// For code between us and the caller that speaks [`io::Write`]; [`Error::io`] takes it out again.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = error.io_error().map_or_else(|| io_kind_of(error.kind()), io::Error::kind);
        io::Error::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_gives_place_operation_cause_and_remedy() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = Error::io("data/train.rec", "open", denied);
        let text = error.to_string();
        assert!(text.starts_with("data/train.rec: could not open: permission denied"), "{text}");
        assert!(text.contains("\nhint: `ls -l`"), "{text}");
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        assert_eq!(error.location(), Path::new("data/train.rec"));
        assert!(error.io_error().is_some() && error.source().is_some());
    }

    #[test]
    fn survives_the_way_through_io_write() {
        let ours = Error::new(ErrorKind::NoSpace, "a", "write 3 bytes at byte 7", "the quota is used up");
        let text = ours.to_string();
        let through = io::Error::from(ours);
        assert_eq!(through.kind(), io::ErrorKind::StorageFull);
        let back = Error::io("elsewhere", "copy", through);
        assert_eq!(back.to_string(), text);
        assert_eq!(back.kind(), ErrorKind::NoSpace);
    }

    #[test]
    fn is_one_pointer_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }
}
