//! One record of CSV by the stricter rules of TensorFlow's `decode_csv`.
//!
//! A field that is not quoted holds neither quotes nor line ends; line ends before a field are read over. A record of no bytes has no
//! field, where [`CsvFields`](super::CsvFields) has an empty one.

use std::ops::Range;

use memchr::memchr;

use super::scan::first_of;
use super::{CLOSE_QUOTE, QUOTE, UNCLOSED_QUOTE};
use crate::error::{Error, ErrorKind, Result};

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// What stands between fields.
    pub delimiter: u8,
    /// Whether fields may be quoted; if not, quotes are ordinary characters.
    pub has_quotes: bool,
}

/// Where a field lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// In these bytes of the record.
    Record(Range<usize>),
    /// In these of the bytes that were unescaped: a quote was doubled in it.
    Unescaped(Range<usize>),
}

/// Adds the fields of `record`, or the first `limit` of them, to `fields`, and what had to be unescaped to `unescaped`.
///
/// ```
/// use feedline_formats::csv::strict::{Dialect, Field, split};
///
/// let (mut fields, mut unescaped) = (Vec::new(), Vec::new());
/// let dialect = Dialect { delimiter: b',', has_quotes: true };
/// split(br#"7,"say ""hi""","#, dialect, usize::MAX, &mut fields, &mut unescaped)?;
/// assert_eq!(fields, [Field::Record(0..1), Field::Unescaped(0..8), Field::Record(15..15)]);
/// assert_eq!(unescaped, b"say \"hi\"");
/// # Ok::<(), feedline_formats::Error>(())
/// ```
pub fn split(
    record: &[u8],
    dialect: Dialect,
    limit: usize,
    fields: &mut Vec<Field>,
    unescaped: &mut Vec<u8>,
) -> Result<()> {
    let first = fields.len();
    let quote = if dialect.has_quotes { QUOTE } else { dialect.delimiter };
    let stops = [dialect.delimiter, quote, b'\n', b'\r'];
    let mut at = 0;
    while at < record.len() && fields.len() - first < limit {
        match record[at] {
            b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            QUOTE if dialect.has_quotes => {
                let (field, end) = quoted(record, at, dialect.delimiter, unescaped)
                    .map_err(|(at, reason, hint)| error(fields.len() - first, at, reason, hint))?;
                fields.push(field);
                at = end;
            }
            _ => {
                let end = first_of(record, at, stops);
                if record.get(end).is_some_and(|&byte| byte != dialect.delimiter) {
                    let hint = "write the field in quotes, with its own quotes doubled";
                    return Err(error(
                        fields.len() - first,
                        end,
                        "a field that is not quoted has a quote or a line end in it",
                        hint,
                    ));
                }
                fields.push(Field::Record(at..end));
                at = end;
            }
        }
        at += 1; // the delimiter
    }
    if record.last() == Some(&dialect.delimiter) && fields.len() - first < limit {
        fields.push(Field::Record(record.len()..record.len()));
    }
    Ok(())
}

/// How far a quote is looked for eight bytes at a time.
const NEAR_BYTES: usize = 48;

/// Reads the quoted field at `start`; where it ends is at a delimiter or the end of the record.
fn quoted(
    record: &[u8],
    start: usize,
    delimiter: u8,
    unescaped: &mut Vec<u8>,
) -> std::result::Result<(Field, usize), (usize, &'static str, &'static str)> {
    let first = unescaped.len();
    let mut copied = start + 1;
    let mut at = copied;
    loop {
        // A field of some words is over before a search for long texts has begun.
        let near = record.len().min(at + NEAR_BYTES);
        let mut quote = first_of(&record[..near], at, [QUOTE]);
        if quote == near {
            let Some(found) = memchr(QUOTE, &record[near..]) else {
                return Err((start, UNCLOSED_QUOTE, CLOSE_QUOTE));
            };
            quote += found;
        }
        match record.get(quote + 1) {
            Some(&QUOTE) if delimiter != QUOTE => {
                unescaped.extend_from_slice(&record[copied..=quote]);
                copied = quote + 2;
                at = copied;
            }
            Some(&next) if next != delimiter => {
                return Err((
                    quote,
                    "text follows the closing quote",
                    "double a quote (\"\") that is part of the text",
                ));
            }
            _ if copied == start + 1 => return Ok((Field::Record(copied..quote), quote + 1)),
            _ => {
                unescaped.extend_from_slice(&record[copied..quote]);
                return Ok((Field::Unescaped(first..unescaped.len()), quote + 1));
            }
        }
    }
}

fn error(field: usize, at: usize, reason: &'static str, hint: &'static str) -> Error {
    Error::new(ErrorKind::Csv { field, reason, hint }).at_byte(at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::CsvFields;
    use proptest::prelude::*;

    fn strict(record: &[u8]) -> Result<Vec<Vec<u8>>> {
        let (mut fields, mut unescaped) = (Vec::new(), Vec::new());
        split(
            record,
            Dialect { delimiter: b',', has_quotes: true },
            usize::MAX,
            &mut fields,
            &mut unescaped,
        )?;
        let text = |field: Field| match field {
            Field::Record(range) => record[range].to_vec(),
            Field::Unescaped(range) => unescaped[range].to_vec(),
        };
        Ok(fields.into_iter().map(text).collect())
    }

    #[test]
    fn records_are_read_strictly() {
        let table: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("a", &["a"]),
            ("a,", &["a", ""]),
            (",", &["", ""]),
            ("\na,\r\nb", &["a", "b"]),
            ("\"a,\",b", &["a,", "b"]),
            ("\"\"\"\",\"\"", &["\"", ""]),
            ("\"a,b,\"", &["a,b,"]),
        ];
        for (record, expected) in table {
            let expected: Vec<Vec<u8>> = expected.iter().map(|field| field.as_bytes().to_vec()).collect();
            assert_eq!(strict(record.as_bytes()).expect(record), expected, "{record:?}");
        }
        for record in ["a\"b", "a\n", "\"a", "\"a\"b", "\"a\" ,b", "a,b\rc"] {
            assert!(strict(record.as_bytes()).is_err(), "{record:?}");
        }
    }

    proptest! {
        /// Quotes are found near and far.
        #[test]
        fn quotes_close_wherever_they_are(length in 0usize..150, has_more: bool) {
            let text = "x".repeat(length);
            let record = format!("\"{text}\"{}", if has_more { ",b" } else { "" });
            let mut expected = vec![text.into_bytes()];
            expected.extend(has_more.then(|| b"b".to_vec()));
            prop_assert_eq!(strict(record.as_bytes()).expect("closed"), expected);
            prop_assert!(strict(&record.as_bytes()[..=length]).is_err());
        }

        /// Where the strict reader takes a record of one line, the other one reads the same.
        #[test]
        fn what_is_taken_is_what_others_read(record in "[a,\" ]{1,30}") {
            if let Ok(fields) = strict(record.as_bytes()) {
                let mut lax = CsvFields::default();
                lax.parse(record.as_bytes(), b',').expect("laxer");
                let expected: Vec<Vec<u8>> = lax.iter(record.as_bytes()).map(<[u8]>::to_vec).collect();
                prop_assert_eq!(fields, expected);
            }
        }
    }
}
