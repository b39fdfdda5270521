//! What cannot be read at all: rows that are lost, and take one position together.
//!
//! How many rows stood in a damaged region, in a file that cannot be opened, or behind the end of a cut one, nobody can
//! tell. Yet every row behind them needs a position, the same one for any number of threads and after any kill. So the
//! rule is: *what is lost in one piece holds exactly one position*, and its entry in the report says "at least one".

use std::path::Path;

use feedline_formats::ErrorKind as FormatErrorKind;
use feedline_formats::tfrecord::LostRecords;

use super::bad_row::BadRow;
use super::options::OnError;
use crate::error::{Error, Result};
use crate::problem::Problem;

/// Why a region of the input cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loss {
    reason: String,
    hint: Option<String>,
    /// Rows lost, if that is not exactly one.
    at_least: Option<u64>,
    /// Whether the reason says so already.
    is_said: bool,
    /// Where in the file the trouble is, if not where the row begins.
    byte: Option<u64>,
}

impl Loss {
    /// What `error` says, if the file it is about is to blame; `None` if the call or the machine is. The rows it took are
    /// not known.
    pub(super) fn of(error: &Error) -> Option<Loss> {
        let path = match error {
            Error::Io(error) if error.concerns_file() => error.location(),
            Error::Data { path, .. } => path,
            _ => return None,
        };
        let Problem { reason, hint, .. } = Problem::new(path, error);
        Some(Loss { reason, hint, at_least: Some(1), is_said: false, byte: None })
    }

    /// Damage in a record file; `has_records` is whether there are valid ones in it, so that there is no doubt that it is one.
    pub(super) fn of_records(error: &feedline_formats::Error, has_records: bool) -> Loss {
        let error = error.clone().in_opened_file();
        let lost = error.damage().map(|damage| damage.lost_records());
        let at_least = lost.filter(|lost| !lost.is_exact()).map(LostRecords::count);
        // Behind the place where a file was cut off there may have been any number.
        let is_cut = matches!(error.kind(), FormatErrorKind::Truncated { .. });
        Loss {
            reason: error.reason(),
            hint: Some(match error.kind() {
                FormatErrorKind::LengthChecksum { .. } if has_records => {
                    "the file is damaged; `feedline verify` lists every bad record".into()
                }
                _ => error.hint(),
            }),
            at_least: at_least.or(is_cut.then_some(1)),
            is_said: at_least.is_some(),
            byte: None,
        }
    }

    /// The loss of a row that is known to be one.
    pub(super) fn of_one_row(self) -> Loss {
        Loss { at_least: None, ..self }
    }

    /// A loss of a file, or of the rest of one, for a reason that is no error of its own.
    pub(super) fn new(reason: &str, hint: &str) -> Loss {
        let (reason, hint) = (reason.to_owned(), Some(hint.to_owned()));
        Loss { reason, hint, at_least: Some(1), is_said: false, byte: None }
    }

    /// The same loss, its reason being at this byte of the file.
    pub(super) fn at_byte(self, byte: u64) -> Loss {
        Loss { byte: Some(byte), ..self }
    }

    /// The entry of the report.
    pub(super) fn bad_row(&self, position: u64, path: &Path) -> BadRow {
        let reason = match self.at_least.filter(|_| !self.is_said) {
            None => self.reason.clone(),
            Some(1) => format!("{}; at least 1 row is lost", self.reason),
            Some(count) => format!("{}; at least {count} rows are lost", self.reason),
        };
        let mut bad = BadRow::new(position, path, reason);
        bad.hint.clone_from(&self.hint);
        bad.at_least = self.at_least;
        bad.byte = self.byte;
        bad
    }
}

/// Makes a loss of an error where losses are to be skipped and the input is to blame.
pub(super) fn skippable<T>(result: Result<T>, on_error: OnError) -> Result<Result<T, Loss>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) => match Loss::of(&error) {
            Some(loss) if on_error == OnError::Skip => Ok(Err(loss)),
            _ => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use feedline_io::Error as IoError;

    use super::*;

    #[test]
    fn only_what_the_input_is_to_blame_for_is_skipped() {
        let system = |code| Error::from(IoError::io("a.csv", "open", io::Error::from_raw_os_error(code)));
        for (error, is_skipped) in [
            (system(2), true),   // not there
            (system(5), true),   // the disk cannot read it
            (system(24), false), // too many open files
            (system(12), false), // no memory
            (Error::Argument { message: "x".into(), hint: "y".into() }, false),
        ] {
            let text = error.to_string();
            assert_eq!(Loss::of(&error).is_some(), is_skipped, "{text}");
            assert!(skippable::<()>(Err(error), OnError::Fail).is_err(), "{text}");
        }
        let bad = Loss::of(&system(2)).unwrap().bad_row(7, Path::new("a.csv"));
        let text = bad.finding().to_string();
        assert_eq!(
            text,
            "a.csv: could not open: No such file or directory (os error 2); at least 1 row is lost"
        );
    }
}
