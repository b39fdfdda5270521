//! What went wrong, in kinds: which one an error of the system is, and what to do about it.

use std::io;

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
    /// The disk or the quota is full, or a file would become larger than it may.
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
pub(super) fn kind_of(error: &io::Error) -> ErrorKind {
    use io::ErrorKind as Io;
    match error.kind() {
        Io::NotFound | Io::NotADirectory => ErrorKind::NotFound,
        Io::PermissionDenied | Io::ReadOnlyFilesystem => ErrorKind::PermissionDenied,
        Io::AlreadyExists => ErrorKind::AlreadyExists,
        Io::IsADirectory => ErrorKind::IsFolder,
        Io::Interrupted => ErrorKind::Interrupted,
        Io::StorageFull | Io::QuotaExceeded | Io::FileTooLarge => ErrorKind::NoSpace,
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

pub(super) fn io_kind_of(kind: ErrorKind) -> io::ErrorKind {
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

pub(super) fn is_too_many_open_files(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| TOO_MANY_OPEN_FILES.contains(&code))
}

/// What to do about an error of this kind where nothing better is known.
pub(super) fn remedy_for(kind: ErrorKind) -> &'static str {
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

pub(super) fn hint_for(error: &io::Error) -> Option<&'static str> {
    use io::ErrorKind as Io;
    if is_too_many_open_files(error) {
        return Some("this process has reached its limit of open files; raise it with `ulimit -n`");
    }
    match error.kind() {
        Io::StorageFull => Some("the disk is full; free some space, then run the same command again"),
        Io::QuotaExceeded => {
            Some("the disk quota is used up; free some space, then run the same command again")
        }
        Io::FileTooLarge => Some(
            "files may not become so large here; raise the limit of this process (`ulimit -f`), or write to a file system \
             that takes larger files, then run the same command again",
        ),
        Io::PermissionDenied => Some(NEEDS_ACCESS),
        Io::ReadOnlyFilesystem => Some("the file system is mounted read-only; choose another folder"),
        Io::StaleNetworkFileHandle => Some("the file was replaced on the server; open it again"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn kinds_follow_the_system() {
        use io::ErrorKind as Io;
        let cases = [
            (Io::NotFound, ErrorKind::NotFound),
            (Io::NotADirectory, ErrorKind::NotFound),
            (Io::StorageFull, ErrorKind::NoSpace),
            (Io::FileTooLarge, ErrorKind::NoSpace),
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
    fn limits_of_the_process_are_named() {
        for (code, limit) in [(24, "ulimit -n"), (27, "ulimit -f")] {
            let error = Error::io("x", "open", io::Error::from_raw_os_error(code));
            assert!(error.hint().contains(limit), "{error}");
        }
    }

    #[test]
    fn a_file_is_to_blame_only_for_what_stays_when_tried_again() {
        // Input/output error and a loop of links, then: too many open files, no memory, no space, a file too large, interrupted.
        for (code, concerns_file) in [
            (2, true),
            (13, true),
            (21, true),
            (5, true),
            (40, true),
            (24, false),
            (12, false),
            (28, false),
            (27, false),
            (4, false),
        ] {
            let error = Error::io("x", "open", io::Error::from_raw_os_error(code));
            assert_eq!(error.concerns_file(), concerns_file, "{error}");
        }
    }
}
