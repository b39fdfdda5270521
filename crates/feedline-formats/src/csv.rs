//! CSV as RFC 4180 describes it: where rows begin ([`CsvRows`]) and what their fields are ([`CsvFields`]).
//!
//! Fields may be quoted, and then hold delimiters, newlines and doubled quotes. Rows end in LF, CRLF or CR; blank lines
//! are no rows. A quote that does not stand at the beginning of a field is an ordinary character. Bytes are bytes: any
//! encoding that keeps ASCII passes.
//!
//! The two halves agree by construction and are tested against `csv-core`. Why not `csv-core` itself: it copies every
//! field byte by byte, and takes a quote that is never closed, which swallows the rest of a file, for an ordinary field.

pub mod fast;
pub mod file;
pub mod record;
mod scan;
pub mod strict;

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::RowSplitter;
use crate::error::{Error, ErrorKind, Result};

const QUOTE: u8 = b'"';

/// The reason given for a quote that is never closed: the one fault of a row that swallows all rows behind it.
pub const UNCLOSED_QUOTE: &str = "a quote is opened here and never closed";

/// What to do about it.
pub const CLOSE_QUOTE: &str = "close the quote, or double it (\"\") where it is part of the text";

/// Finds where rows begin, quotes and the newlines inside them respected.
#[derive(Clone, Debug)]
pub struct CsvRows {
    delimiter: u8,
    state: State,
    /// Bytes read before those of the current call.
    num_read: u64,
    /// Where the last quote was opened, counted likewise from the first byte.
    quote: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    RowStart,
    FieldStart,
    Unquoted,
    Quoted,
    /// Behind a quote in a quoted field: it closes the field unless another quote follows.
    QuoteInQuoted,
}

impl CsvRows {
    /// A splitter at the beginning of a row.
    pub fn new(delimiter: u8) -> CsvRows {
        CsvRows { delimiter, state: State::RowStart, num_read: 0, quote: 0 }
    }

    /// Where the quote stands that is open behind all bytes read so far, counted from the first of them; `None` if none is.
    pub fn open_quote(&self) -> Option<u64> {
        (self.state == State::Quoted).then_some(self.quote)
    }
}

impl RowSplitter for CsvRows {
    fn push(&mut self, bytes: &[u8], mut on_row: impl FnMut(usize)) {
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                State::RowStart => match bytes[at] {
                    b'\n' | b'\r' => at += 1, // the rest of a line's end, or a blank line
                    _ => {
                        on_row(at);
                        self.state = State::FieldStart;
                    }
                },
                // At the start of a field a quote opens it, behind a quote in it another one is part of the text.
                State::FieldStart | State::QuoteInQuoted if bytes[at] == QUOTE => {
                    if self.state == State::FieldStart {
                        self.quote = self.num_read + at as u64;
                    }
                    self.state = State::Quoted;
                    at += 1;
                }
                State::FieldStart | State::QuoteInQuoted => self.state = State::Unquoted,
                State::Unquoted => match memchr3(QUOTE, b'\n', b'\r', &bytes[at..]) {
                    None => {
                        if bytes[bytes.len() - 1] == self.delimiter {
                            self.state = State::FieldStart;
                        }
                        at = bytes.len();
                    }
                    Some(found) => {
                        let found = at + found;
                        if bytes[found] != QUOTE {
                            self.state = State::RowStart;
                        } else if found > 0 && bytes[found - 1] == self.delimiter {
                            // At the start of a piece the byte before is not here, but had it been a delimiter the
                            // state would be `FieldStart`.
                            self.state = State::Quoted;
                            self.quote = self.num_read + found as u64;
                        }
                        at = found + 1;
                    }
                },
                State::Quoted => match memchr(QUOTE, &bytes[at..]) {
                    None => at = bytes.len(),
                    Some(found) => {
                        self.state = State::QuoteInQuoted;
                        at += found + 1;
                    }
                },
            }
        }
        self.num_read += bytes.len() as u64;
    }
}

/// The fields of one row; reused from row to row.
///
/// ```
/// use feedline_formats::csv::CsvFields;
///
/// let row = b"7,\"say \"\"hi\"\"\",\r\n";
/// let mut fields = CsvFields::default();
/// fields.parse(row, b',')?;
/// assert_eq!(fields.iter(row).collect::<Vec<_>>(), [&b"7"[..], b"say \"hi\"", b""]);
/// # Ok::<(), feedline_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CsvFields {
    places: Vec<Place>,
    /// Quoted fields in which a quote was doubled, without the doubling.
    unescaped: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Place {
    Row(Range<usize>),
    Unescaped(Range<usize>),
}

impl CsvFields {
    /// Takes `row` apart: one row as [`CsvRows`] cuts it, with its line end and blank lines behind it or without.
    pub fn parse(&mut self, row: &[u8], delimiter: u8) -> Result<()> {
        self.places.clear();
        self.unescaped.clear();
        let end = row.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
        let mut at = 0;
        loop {
            // Newlines stand only in quotes here, so a delimiter is all that can end an unquoted field.
            let next = if row[..end].get(at) == Some(&QUOTE) {
                self.quoted(&row[..end], at, delimiter)?
            } else {
                let field_end = memchr(delimiter, &row[at..end]).map_or(end, |found| at + found);
                self.places.push(Place::Row(at..field_end));
                field_end
            };
            if next == end {
                return Ok(());
            }
            at = next + 1;
        }
    }

    /// Reads the quoted field at `start`; returns where it ends: at a delimiter or at the end of the row.
    fn quoted(&mut self, row: &[u8], start: usize, delimiter: u8) -> Result<usize> {
        let first = self.unescaped.len();
        let mut copied = start + 1;
        let mut at = copied;
        loop {
            let Some(found) = memchr(QUOTE, &row[at..]) else {
                return Err(self.error(start, UNCLOSED_QUOTE, CLOSE_QUOTE));
            };
            let quote = at + found;
            match row.get(quote + 1) {
                Some(&QUOTE) => {
                    self.unescaped.extend_from_slice(&row[copied..=quote]);
                    copied = quote + 2;
                    at = copied;
                }
                Some(&next) if next != delimiter => {
                    let hint = "double a quote (\"\") that is part of the text";
                    return Err(self.error(quote, "text follows the closing quote", hint));
                }
                _ if copied == start + 1 => {
                    self.places.push(Place::Row(copied..quote));
                    return Ok(quote + 1);
                }
                _ => {
                    self.unescaped.extend_from_slice(&row[copied..quote]);
                    self.places.push(Place::Unescaped(first..self.unescaped.len()));
                    return Ok(quote + 1);
                }
            }
        }
    }

    fn error(&self, at: usize, reason: &'static str, hint: &'static str) -> Error {
        Error::new(ErrorKind::Csv { field: self.places.len(), reason, hint }).at_byte(at as u64)
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing was parsed yet: a row has at least one field.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Field `index` of `row`, the row that was parsed; `None` past the last.
    pub fn get<'a>(&'a self, row: &'a [u8], index: usize) -> Option<&'a [u8]> {
        self.places.get(index).map(|place| match place {
            Place::Row(range) => &row[range.clone()],
            Place::Unescaped(range) => &self.unescaped[range.clone()],
        })
    }

    /// All fields of `row`, the row that was parsed.
    pub fn iter<'a>(&'a self, row: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).filter_map(|index| self.get(row, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows as we read them: where each begins, and its fields or why not.
    fn ours(text: &[u8], step: usize) -> Vec<(usize, Result<Vec<Vec<u8>>>)> {
        let mut splitter = CsvRows::new(b',');
        let mut starts = Vec::new();
        for (index, piece) in text.chunks(step).enumerate() {
            splitter.push(piece, |at| starts.push(index * step + at));
        }
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        let mut fields = CsvFields::default();
        starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| {
                let row = &text[start..end];
                let parsed = fields.parse(row, b',').map(|()| fields.iter(row).map(<[u8]>::to_vec).collect());
                (start, parsed)
            })
            .collect()
    }

    /// Rows as `csv-core` reads them.
    fn reference(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        use csv_core::{ReadRecordResult, Reader};
        let mut reader = Reader::new();
        let (mut input, mut rows) = (text, Vec::new());
        let (mut out, mut ends) = (vec![0; text.len() + 16], vec![0; text.len() + 16]);
        let (mut num_out, mut num_ends) = (0, 0);
        loop {
            let (result, taken, wrote, fields) =
                reader.read_record(input, &mut out[num_out..], &mut ends[num_ends..]);
            input = &input[taken..];
            (num_out, num_ends) = (num_out + wrote, num_ends + fields);
            match result {
                ReadRecordResult::Record => {
                    let starts = std::iter::once(0).chain(ends[..num_ends].iter().copied());
                    rows.push(
                        starts.zip(&ends[..num_ends]).map(|(start, &end)| out[start..end].to_vec()).collect(),
                    );
                    (num_out, num_ends) = (0, 0);
                }
                ReadRecordResult::End => return rows,
                ReadRecordResult::InputEmpty => {}
                _ => panic!("the buffers hold any row"),
            }
        }
    }

    #[test]
    fn corner_cases() {
        let table: [(&str, &[&[&str]]); 16] = [
            ("", &[]),
            ("\n\r\n\n", &[]),
            ("a,b", &[&["a", "b"]]),
            ("a,b\n", &[&["a", "b"]]),
            ("a,b\r\n1,2\r\n", &[&["a", "b"], &["1", "2"]]),
            ("a\rb\r", &[&["a"], &["b"]]),
            ("a,\n,b\n,\n", &[&["a", ""], &["", "b"], &["", ""]]),
            ("\"a\nb\",c\nd,e\n", &[&["a\nb", "c"], &["d", "e"]]),
            ("\"a\"\"b\",\"\"\n", &[&["a\"b", ""]]),
            ("\"\"\"\"\n", &[&["\""]]),
            ("\"\"\n", &[&[""]]),
            ("5\" disk,x\n", &[&["5\" disk", "x"]]),
            ("a\n\n\nb\n", &[&["a"], &["b"]]),
            (" \"a\" ,b\n", &[&[" \"a\" ", "b"]]),
            ("\"a,\",\",b\"\n", &[&["a,", ",b"]]),
            ("x,\"\r\n\"\r\ny,z", &[&["x", "\r\n"], &["y", "z"]]),
        ];
        for (text, expected) in table {
            for step in [1, 2, 3, 100] {
                let rows: Vec<Vec<Vec<u8>>> =
                    ours(text.as_bytes(), step).into_iter().map(|(_, row)| row.unwrap()).collect();
                let expected: Vec<Vec<Vec<u8>>> = expected
                    .iter()
                    .map(|row| row.iter().map(|field| field.as_bytes().to_vec()).collect())
                    .collect();
                assert_eq!(rows, expected, "{text:?} in pieces of {step}");
            }
        }
    }

    #[test]
    fn broken_quotes_are_errors_with_their_place() {
        let table = [
            ("a,\"b\n", 1, 2, "never closed"),
            ("\"a\"b,c\n", 0, 2, "follows the closing quote"),
            ("x,\"a\" ,c\n", 1, 4, "follows the closing quote"),
        ];
        for (text, field, byte, reason) in table {
            let error = ours(text.as_bytes(), 100).remove(0).1.unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Csv { field: found, .. } if *found == field),
                "{error}"
            );
            assert_eq!(error.byte_offset(), Some(byte), "{text}");
            assert!(error.to_string().contains(reason) && error.to_string().contains("hint: "), "{error}");
        }
    }

    #[test]
    fn a_quote_that_is_open_at_the_end_is_known_with_its_place() {
        for (text, quote) in [
            ("", None),
            ("a,\"b", Some(2)),
            ("\"a\"\"b", Some(0)),
            ("\"a\"", None),
            ("a\nb,\"x\"\"y\"\nc,\"d\n\n", Some(13)),
            // What follows a closing quote is wrong, too, but not what swallows the rest.
            ("\"a\"b,\"c\nd", Some(5)),
            ("5\" disk", None),
        ] {
            for step in [1, 2, 3, 100] {
                let mut splitter = CsvRows::new(b',');
                text.as_bytes().chunks(step).for_each(|piece| splitter.push(piece, |_| {}));
                assert_eq!(splitter.open_quote(), quote, "{text:?} in pieces of {step}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Text of the characters that matter, so that every transition is met often.
        #[test]
        fn rows_and_fields_are_those_of_csv_core(text in "[a,\"\n\r ]{0,40}", step in 1usize..45) {
            let ours = ours(text.as_bytes(), step);
            let reference = reference(text.as_bytes());
            prop_assert_eq!(ours.len(), reference.len(), "{:?}", ours);
            for ((start, row), expected) in ours.into_iter().zip(reference) {
                // Where we refuse, `csv-core` guesses; the rows are the same.
                if let Ok(row) = row {
                    prop_assert_eq!(row, expected, "row at {}", start);
                }
            }
        }
    }
}
