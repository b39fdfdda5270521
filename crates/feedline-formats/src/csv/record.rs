//! Where the records of a CSV file end by the rules of TensorFlow's `CsvDataset`.
//!
//! They differ from those of [`CsvRows`](super::CsvRows): a blank line is a record of one empty field, and a quoted field ends only
//! at a quote before a delimiter or a line's end, whatever stands between. So a record with a quote out of place is one bad record, which
//! [`strict`](super::strict) refuses, and the next line is the next record.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3};

use super::QUOTE;
use super::strict::Dialect;

/// The record at `start`, without its line's end, and where the next one begins. `None` if it goes on behind `bytes`, unless those
/// are all there are (`is_end`): then it ends with them. There is none to find at the end of `bytes`.
///
/// ```
/// use feedline_formats::csv::record::next_record;
/// use feedline_formats::csv::strict::Dialect;
///
/// let dialect = Dialect { delimiter: b',', has_quotes: true };
/// assert_eq!(next_record(b"a,\"b\nc\"\r\nd", 0, dialect, false), Some((0..7, 9)));
/// assert_eq!(next_record(b"a,\"b\nc\"\r\nd", 9, dialect, false), None);
/// assert_eq!(next_record(b"a,\"b\nc\"\r\nd", 9, dialect, true), Some((9..10, 10)));
/// ```
pub fn next_record(
    bytes: &[u8],
    start: usize,
    dialect: Dialect,
    is_end: bool,
) -> Option<(Range<usize>, usize)> {
    if start >= bytes.len() {
        return None;
    }
    let last = is_end.then_some((start..bytes.len(), bytes.len()));
    let mut at = start;
    let mut is_field_start = true;
    loop {
        if is_field_start && dialect.has_quotes && bytes.get(at) == Some(&QUOTE) {
            at = match behind_quoted(bytes, at, dialect.delimiter) {
                Some(end) => end,
                None => return last,
            };
            if bytes.get(at) == Some(&dialect.delimiter) {
                at += 1;
                continue;
            }
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let found =
            if dialect.has_quotes { memchr3(b'\n', b'\r', QUOTE, rest) } else { memchr2(b'\n', b'\r', rest) };
        let Some(found) = found.map(|found| at + found) else { return last };
        match bytes[found] {
            b'\n' => return Some((start..found, found + 1)),
            b'\r' => {
                // Whether a newline belongs to it shows behind it.
                return match bytes.get(found + 1) {
                    Some(b'\n') => Some((start..found, found + 2)),
                    Some(_) => Some((start..found, found + 1)),
                    None if is_end => Some((start..found, found + 1)),
                    None => None,
                };
            }
            _ => {
                is_field_start = found > start && bytes[found - 1] == dialect.delimiter;
                at = if is_field_start { found } else { found + 1 };
            }
        }
    }
}

/// Behind the quoted field at `at`: a delimiter, or a line's end. `None` if it is not closed in `bytes`, or nobody can tell yet.
fn behind_quoted(bytes: &[u8], at: usize, delimiter: u8) -> Option<usize> {
    let mut from = at + 1;
    loop {
        let quote = from + memchr(QUOTE, bytes.get(from..)?)?;
        match bytes.get(quote + 1)? {
            &next if next == delimiter || matches!(next, b'\n' | b'\r') => return Some(quote + 1),
            // Another quote is a part of the text; anything else is a fault, but the field goes on all the same.
            _ => from = quote + 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUOTED: Dialect = Dialect { delimiter: b',', has_quotes: true };

    fn records(text: &[u8], dialect: Dialect) -> Vec<String> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some((record, next)) = next_record(text, at, dialect, true) {
            found.push(String::from_utf8_lossy(&text[record]).into_owned());
            at = next;
        }
        assert_eq!(at, text.len(), "all of it");
        found
    }

    /// Byte by byte, as TensorFlow's kernel goes through a file.
    fn reference(text: &[u8], dialect: Dialect) -> Vec<String> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let start = at;
            let mut is_quoted = dialect.has_quotes && text[at] == QUOTE;
            let mut end = text.len();
            at += usize::from(is_quoted);
            while at < text.len() {
                let byte = text[at];
                at += 1;
                if is_quoted {
                    if byte != QUOTE {
                        continue;
                    }
                    match text.get(at) {
                        Some(&next) if next == dialect.delimiter || matches!(next, b'\n' | b'\r') => {
                            is_quoted = false;
                        }
                        _ => at = (at + 1).min(text.len()),
                    }
                } else if byte == dialect.delimiter {
                    is_quoted = dialect.has_quotes && text.get(at) == Some(&QUOTE);
                    at += usize::from(is_quoted);
                } else if matches!(byte, b'\n' | b'\r') {
                    end = at - 1;
                    at += usize::from(byte == b'\r' && text.get(at) == Some(&b'\n'));
                    break;
                }
            }
            found.push(String::from_utf8_lossy(&text[start..end]).into_owned());
        }
        found
    }

    #[test]
    fn records_end_where_tensorflow_ends_them() {
        let table: [(&str, &[&str]); 10] = [
            ("", &[]),
            ("a,b\nc,d", &["a,b", "c,d"]),
            ("a\r\nb\rc\n", &["a", "b", "c"]),
            ("0\n\n2\n", &["0", "", "2"]),
            ("\n", &[""]),
            ("a,b,\"\"\"c\"\"\n0\",\"d\ne\"\nf", &["a,b,\"\"\"c\"\"\n0\",\"d\ne\"", "f"]),
            ("1,2\"3,4\n5", &["1,2\"3,4", "5"]),
            ("\"a\"b\",\"c\"\nd", &["\"a\"b\",\"c\"", "d"]),
            ("a,\"b\nc\nd", &["a,\"b\nc\nd"]),
            ("\"a\"", &["\"a\""]),
        ];
        for (text, expected) in table {
            assert_eq!(records(text.as_bytes(), QUOTED), expected, "{text:?}");
        }
        let plain = Dialect { delimiter: b',', has_quotes: false };
        assert_eq!(records(b"\"a\nb\",c", plain), ["\"a", "b\",c"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn records_are_those_of_the_reference(text in "[a,\"\n\r ]{0,40}", has_quotes: bool) {
            let dialect = Dialect { delimiter: b',', has_quotes };
            prop_assert_eq!(records(text.as_bytes(), dialect), reference(text.as_bytes(), dialect));
        }

        /// What is found in a part of the bytes is what is found in all of them.
        #[test]
        fn a_part_tells_nothing_else(text in "[a,\"\n\r]{1,30}", cut in 0usize..30) {
            let part = &text.as_bytes()[..cut.min(text.len())];
            if let Some(found) = next_record(part, 0, QUOTED, false) {
                prop_assert_eq!(Some(found), next_record(text.as_bytes(), 0, QUOTED, true));
            }
        }
    }
}
