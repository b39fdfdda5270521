//! A row that cannot be converted, or a region whose rows cannot even be counted: its place, what is wrong, and what to do.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A row that could not be converted; or several that were lost in one piece, see [`BadRow::at_least`].
///
/// Prints its place and what is wrong on one line, and what to do on a second one that begins with `hint:`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadRow {
    /// Its position in the whole input, counted from 0. What was lost in one piece holds one position, however many
    /// rows it was.
    pub position: u64,
    /// How many rows were lost here at least, where nobody can tell how many: behind a damaged length, behind the end of a
    /// file that was cut off, in a file that cannot be opened. `None` is exactly one row. The reason says it, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u64>,
    /// The file it is in.
    pub file: String,
    /// The line it begins at, counted from 1 as editors do; for text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Its number in the file, counted from 0; for records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// The byte of the file (or of the image) where the trouble is, where that helps to find it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// The column that is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What was found and what was expected.
    pub reason: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl BadRow {
    pub(super) fn new(position: u64, file: &Path, reason: impl Into<String>) -> BadRow {
        BadRow {
            position,
            at_least: None,
            file: file.display().to_string(),
            line: None,
            record: None,
            byte: None,
            column: None,
            reason: reason.into(),
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> BadRow {
        self.hint = Some(hint.into());
        self
    }

    /// Where it is and what is wrong, without the hint.
    pub fn finding(&self) -> impl fmt::Display + '_ {
        Finding(self)
    }
}

struct Finding<'a>(&'a BadRow);

impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadRow { file, line, record, byte, column, reason, .. } = self.0;
        write!(f, "{}: ", feedline_io::shown(file.as_ref()))?;
        let parts = [
            line.map(|line| format!("line {line}")),
            record.map(|record| format!("record {record}")),
            byte.map(|byte| format!("byte {byte}")),
            column.as_ref().map(|column| format!("column `{column}`")),
        ];
        let place: Vec<String> = parts.into_iter().flatten().collect();
        if !place.is_empty() {
            write!(f, "{}: ", place.join(", "))?;
        }
        f.write_str(reason)
    }
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.finding().fmt(f)?;
        let skip = "leave such rows out with `--on-error skip`";
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}; or {skip}"),
            None => write!(f, "\nhint: {skip}"),
        }
    }
}

/// A value for people: quoted, and cut where it is long.
pub(super) fn quoted(value: &[u8]) -> String {
    const SHOWN: usize = 40;
    let cut = &value[..value.len().min(SHOWN)];
    let text: String =
        String::from_utf8_lossy(cut).chars().map(|c| if c.is_control() { '·' } else { c }).collect();
    if cut.len() < value.len() { format!("`{text}…`") } else { format!("`{text}`") }
}
