//! The crate's one error: what was tried, where, what came of it, and what to do.
//!
//! The location is a constructor argument, not an option, so an I/O error without its path cannot be made.

use crate::shown;
use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as far as a caller may want to act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file or folder is not there.
    NotFound,
    /// The pattern is well formed and matches no file.
    NoMatch,
    /// The system refuses access.
    PermissionDenied,
    /// Something is there already that must not be replaced.
    AlreadyExists,
    /// A folder, where a file is needed.
    IsFolder,
    /// Neither a file nor a folder: a pipe, a socket, a device.
    NotAFile,
    /// The pattern cannot be read as one.
    InvalidPattern,
    /// An address such as `s3://bucket/key`, of a store that this build does not read or write.
    Remote,
    /// The call's arguments contradict each other or the blob.
    InvalidArgument,
    /// A signal or a stop request came in between.
    Interrupted,
    /// The disk or the quota is full.
    NoSpace,
    /// The blob ended before the bytes it promised: it shrank while it was read.
    UnexpectedEnd,
    /// The machine has too little memory for the buffer.
    OutOfMemory,
    /// A failure that may pass by itself: a timeout, a broken connection. The only kind that is retried.
    Transient,
    /// The code that served the request panicked.
    Panicked,
    /// Anything else; the source says what.
    Other,
}

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

fn kind_of(error: &io::Error) -> ErrorKind {
    use io::ErrorKind as Io;
    match error.kind() {
        Io::NotFound | Io::NotADirectory => ErrorKind::NotFound,
        Io::PermissionDenied | Io::ReadOnlyFilesystem => ErrorKind::PermissionDenied,
        Io::AlreadyExists => ErrorKind::AlreadyExists,
        Io::IsADirectory => ErrorKind::IsFolder,
        Io::Interrupted => ErrorKind::Interrupted,
        Io::StorageFull | Io::QuotaExceeded => ErrorKind::NoSpace,
        Io::UnexpectedEof => ErrorKind::UnexpectedEnd,
        Io::OutOfMemory => ErrorKind::OutOfMemory,
        Io::TimedOut
        | Io::WouldBlock
        | Io::ConnectionRefused
        | Io::ConnectionReset
        | Io::ConnectionAborted
        | Io::NotConnected
        | Io::BrokenPipe
        | Io::NetworkDown
        | Io::NetworkUnreachable
        | Io::HostUnreachable
        | Io::ResourceBusy => ErrorKind::Transient,
        _ => ErrorKind::Other,
    }
}

fn io_kind_of(kind: ErrorKind) -> io::ErrorKind {
    use io::ErrorKind as Io;
    match kind {
        ErrorKind::NotFound | ErrorKind::NoMatch => Io::NotFound,
        ErrorKind::PermissionDenied => Io::PermissionDenied,
        ErrorKind::AlreadyExists => Io::AlreadyExists,
        ErrorKind::IsFolder => Io::IsADirectory,
        ErrorKind::InvalidPattern | ErrorKind::InvalidArgument => Io::InvalidInput,
        ErrorKind::Remote => Io::Unsupported,
        ErrorKind::Interrupted => Io::Interrupted,
        ErrorKind::NoSpace => Io::StorageFull,
        ErrorKind::UnexpectedEnd => Io::UnexpectedEof,
        ErrorKind::OutOfMemory => Io::OutOfMemory,
        ErrorKind::Transient => Io::TimedOut,
        ErrorKind::NotAFile | ErrorKind::Panicked | ErrorKind::Other => Io::Other,
    }
}

/// `EMFILE` and `ENFILE`: std has no kind for them. The numbers are the same on Linux, macOS and the BSDs.
const TOO_MANY_OPEN_FILES: [i32; 2] = [24, 23];

fn is_too_many_open_files(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| TOO_MANY_OPEN_FILES.contains(&code))
}

/// What to do about an error of this kind where nothing better is known.
fn remedy_for(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "check the spelling, and that the disk it should be on is mounted",
        ErrorKind::NoMatch => "check the spelling of the pattern, and the folder it is searched in",
        ErrorKind::PermissionDenied => NEEDS_ACCESS,
        ErrorKind::AlreadyExists => "move it away, or choose another name",
        ErrorKind::IsFolder => "give a file, or a pattern for the files in the folder: `folder/*`",
        ErrorKind::NotAFile => "copy the data into a file, and give that",
        ErrorKind::InvalidPattern => "the wildcards are `*`, `?`, `[…]` and `**`",
        ErrorKind::Remote => "copy the files to a local folder, or mount the store, and give that path",
        ErrorKind::InvalidArgument => "correct the call: its arguments contradict each other or the file",
        ErrorKind::Interrupted => "run the same command again",
        ErrorKind::NoSpace => "free some space, then run the same command again",
        ErrorKind::UnexpectedEnd => {
            "keep writers away from files in use, and fetch the file again if it was cut"
        }
        ErrorKind::OutOfMemory => {
            "give it more memory: a higher limit (`ulimit -v`, or that of the container) or a larger machine"
        }
        ErrorKind::Transient => "this may pass by itself; run the same command again",
        ErrorKind::Panicked => "this is a bug in feedline, please report it",
        ErrorKind::Other => {
            "the system says no more than this; its log (`dmesg`) or that of the file server may"
        }
    }
}

const NEEDS_ACCESS: &str = "`ls -l` shows the owner and the mode; this user needs access to it";

fn hint_for(error: &io::Error) -> Option<&'static str> {
    use io::ErrorKind as Io;
    if is_too_many_open_files(error) {
        return Some("this process has reached its limit of open files; raise it with `ulimit -n`");
    }
    match error.kind() {
        Io::StorageFull => Some("the disk is full; free some space, then run the same command again"),
        Io::QuotaExceeded => {
            Some("the disk quota is used up; free some space, then run the same command again")
        }
        Io::PermissionDenied => Some(NEEDS_ACCESS),
        Io::ReadOnlyFilesystem => Some("the file system is mounted read-only; choose another folder"),
        Io::StaleNetworkFileHandle => Some("the file was replaced on the server; open it again"),
        _ => None,
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
    fn kinds_follow_the_system() {
        use io::ErrorKind as Io;
        let cases = [
            (Io::NotFound, ErrorKind::NotFound),
            (Io::NotADirectory, ErrorKind::NotFound),
            (Io::StorageFull, ErrorKind::NoSpace),
            (Io::Interrupted, ErrorKind::Interrupted),
            (Io::ConnectionReset, ErrorKind::Transient),
            (Io::TimedOut, ErrorKind::Transient),
            (Io::InvalidData, ErrorKind::Other),
        ];
        for (from, to) in cases {
            assert_eq!(Error::io("x", "open", io::Error::from(from)).kind(), to, "{from:?}");
        }
    }

    #[test]
    fn every_kind_has_a_remedy() {
        use ErrorKind as Kind;
        for kind in [
            Kind::NotFound,
            Kind::NoMatch,
            Kind::PermissionDenied,
            Kind::AlreadyExists,
            Kind::IsFolder,
            Kind::NotAFile,
            Kind::InvalidPattern,
            Kind::Remote,
            Kind::InvalidArgument,
            Kind::Interrupted,
            Kind::NoSpace,
            Kind::UnexpectedEnd,
            Kind::OutOfMemory,
            Kind::Transient,
            Kind::Panicked,
            Kind::Other,
        ] {
            let text = Error::new(kind, "data/train.rec", "open", "x").to_string();
            let (found, hint) = text.split_once("\nhint: ").unwrap();
            assert_eq!(found, "data/train.rec: could not open: x");
            assert!(hint.split(' ').count() > 3, "{kind:?}: {hint}");
        }
        // What the system says of it, whatever that is.
        for code in 1..140 {
            let text = Error::io("a", "open", io::Error::from_raw_os_error(code)).to_string();
            assert!(text.starts_with("a: could not open: ") && text.contains("\nhint: "), "{text}");
        }
        let own = Error::new(ErrorKind::Other, "a", "open", "x").or_hint("first").or_hint("second");
        assert_eq!(own.hint(), "first");
        assert_eq!(own.with_hint("third").hint(), "third");
    }

    #[test]
    fn too_many_open_files_names_the_limit() {
        let error = Error::io("x", "open", io::Error::from_raw_os_error(24));
        assert!(error.hint().contains("ulimit -n"));
    }

    #[test]
    fn a_file_is_to_blame_only_for_what_stays_when_tried_again() {
        // Input/output error and a loop of links, then: too many open files, no memory, no space, interrupted.
        for (code, concerns_file) in [
            (2, true),
            (13, true),
            (21, true),
            (5, true),
            (40, true),
            (24, false),
            (12, false),
            (28, false),
            (4, false),
        ] {
            let error = Error::io("x", "open", io::Error::from_raw_os_error(code));
            assert_eq!(error.concerns_file(), concerns_file, "{error}");
        }
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
