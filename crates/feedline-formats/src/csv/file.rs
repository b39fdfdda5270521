//! Records of CSV files: lines, or several lines where a quoted field has line ends in it.

use std::ops::Range;

use super::record::next_record;
use super::strict::Dialect;
use crate::{Error, ErrorKind, Result};

/// How they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsvRecords {
    /// Delimiter and quotes.
    pub dialect: Dialect,
    /// Whether the first record of a file is no row.
    pub has_header: bool,
}

impl CsvRecords {
    /// Refuses a file without the header it should have.
    pub fn check_size(&self, size: u64) -> Result<()> {
        if self.has_header && size == 0 {
            return Err(Error::new(ErrorKind::NoCsvHeader));
        }
        Ok(())
    }

    /// Visits whole records at the front of `bytes`, at most `max_rows`; how many there were, and the bytes taken. The header is
    /// taken with the first record behind it, or at the end.
    pub fn split(
        &self,
        (bytes, offset): (&[u8], u64),
        is_end: bool,
        max_rows: usize,
        mut visit: impl FnMut(Range<usize>),
    ) -> Result<(usize, usize)> {
        let mut at = 0;
        if self.has_header && offset == 0 {
            match next_record(bytes, 0, self.dialect, is_end) {
                Some((_, next)) => at = next,
                None if is_end => return Err(Error::new(ErrorKind::NoCsvHeader)),
                None => return Ok((0, 0)),
            }
        }
        let mut num_rows = 0;
        while num_rows < max_rows
            && let Some((record, next)) = next_record(bytes, at, self.dialect, is_end)
        {
            visit(record);
            at = next;
            num_rows += 1;
        }
        // Rows are counted from where they begin: a header alone is left for when its first row is there.
        Ok((num_rows, if num_rows > 0 || is_end { at } else { 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_taken_with_the_first_record() {
        let format = CsvRecords { dialect: Dialect { delimiter: b',', has_quotes: true }, has_header: true };
        let split = |text: &str, offset: u64, is_end: bool, max_rows: usize| {
            let mut rows = Vec::new();
            let taken = format
                .split((text.as_bytes(), offset), is_end, max_rows, |row| rows.push(text[row].to_owned()));
            taken.map(|(_, taken)| (rows.join("|"), taken))
        };
        let rows = |rows: &str, taken: usize| (rows.to_owned(), taken);
        assert_eq!(split("a\nb\nc", 0, false, 9).unwrap(), rows("b", 4));
        assert_eq!(split("a\nb\nc", 0, true, 9).unwrap(), rows("b|c", 5));
        assert_eq!(split("a\nb\nc", 0, true, 1).unwrap(), rows("b", 4));
        assert_eq!(split("a\nb\nc", 7, true, 9).unwrap(), rows("a|b|c", 5));
        assert_eq!(split("a\nb", 0, false, 9).unwrap(), rows("", 0));
        assert_eq!(split("\"a\nb\"", 0, true, 9).unwrap(), rows("", 5));
        let error = split("", 0, true, 9).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::NoCsvHeader) && error.to_string().contains("hint: "),
            "{error}"
        );
        assert!(format.check_size(0).is_err() && format.check_size(1).is_ok());
    }
}
