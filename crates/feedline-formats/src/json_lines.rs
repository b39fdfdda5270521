//! JSON lines: one object a line ([`JsonRows`]), taken apart into named values ([`JsonRow`]).

use std::fmt;
use std::ops::Range;

use memchr::memchr;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::RowSplitter;
use crate::error::{Error, ErrorKind, Result};

/// Finds where rows begin: at every line that is not blank.
#[derive(Clone, Debug, Default)]
pub struct JsonRows {
    inside: bool,
}

impl RowSplitter for JsonRows {
    fn push(&mut self, bytes: &[u8], mut on_row: impl FnMut(usize)) {
        let mut at = 0;
        while at < bytes.len() {
            if self.inside {
                match memchr(b'\n', &bytes[at..]) {
                    None => return,
                    Some(found) => {
                        self.inside = false;
                        at += found + 1;
                    }
                }
            } else if bytes[at].is_ascii_whitespace() {
                at += 1;
            } else {
                on_row(at);
                self.inside = true;
            }
        }
    }
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JsonValue<'a> {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond `i64`.
    Unsigned(u64),
    /// Any other number.
    Float(f64),
    /// A string, without its escapes.
    Text(&'a str),
}

/// The columns of one row; reused from row to row.
///
/// Objects within the row are flattened: `{"a": {"b": 1}}` has the column `a.b`. A list is a column of several values.
/// `null` is no column at all.
///
/// ```
/// use feedline_formats::json_lines::{JsonRow, JsonValue};
///
/// let mut row = JsonRow::default();
/// row.parse(br#"{"id": 7, "box": {"size": [1.5, 2]}, "note": null}"#)?;
/// let columns: Vec<_> = row.columns().map(|column| (column.name(), column.values().collect::<Vec<_>>())).collect();
/// assert_eq!(columns[0], ("id", vec![JsonValue::Int(7)]));
/// assert_eq!(columns[1], ("box.size", vec![JsonValue::Float(1.5), JsonValue::Int(2)]));
/// assert_eq!(columns.len(), 2);
/// # Ok::<(), feedline_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct JsonRow {
    columns: Vec<Column>,
    values: Vec<Stored>,
    /// Names and strings, one behind the other.
    text: String,
    /// The name of the value being read.
    path: String,
}

#[derive(Clone, Debug)]
struct Column {
    name: Range<usize>,
    values: Range<usize>,
}

#[derive(Clone, Debug)]
enum Stored {
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    Float(f64),
    Text(Range<usize>),
}

impl JsonRow {
    /// Takes `row` apart: one object, with white space around it or without.
    ///
    /// The error's byte is where in `row` the trouble is.
    pub fn parse(&mut self, row: &[u8]) -> Result<()> {
        self.columns.clear();
        self.values.clear();
        self.text.clear();
        self.path.clear();
        let mut parser = serde_json::Deserializer::from_slice(row);
        let parsed = Top(self).deserialize(&mut parser).and_then(|()| parser.end());
        parsed.map_err(|error| {
            // The library's text ends in a place that counts from this row; ours is told apart from the reason.
            let mut reason = error.to_string();
            reason.truncate(reason.rfind(" at line ").unwrap_or(reason.len()));
            Error::new(ErrorKind::Json { reason }).at_byte(byte_of(row, error.line(), error.column()))
        })
    }

    /// The columns, in the order of the text.
    pub fn columns(&self) -> impl Iterator<Item = JsonColumn<'_>> {
        self.columns.iter().map(|column| JsonColumn { row: self, column })
    }

    fn push(&mut self, value: Stored) {
        self.values.push(value);
    }

    fn push_text(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.values.push(Stored::Text(start..self.text.len()));
    }

    /// Ends the column at `path` whose values begin at `first`.
    fn end_column(&mut self, first: usize) {
        let start = self.text.len();
        self.text.push_str(&self.path);
        self.columns.push(Column { name: start..self.text.len(), values: first..self.values.len() });
    }
}

/// The byte of `row` at a line and column, both counted from 1.
fn byte_of(row: &[u8], line: usize, column: usize) -> u64 {
    let line_start = match line.checked_sub(2) {
        None => 0,
        Some(nth) => memchr::memchr_iter(b'\n', row).nth(nth).map_or(0, |newline| newline + 1),
    };
    (line_start + column.saturating_sub(1)).min(row.len()) as u64
}

/// One column of a [`JsonRow`].
#[derive(Clone, Copy)]
pub struct JsonColumn<'a> {
    row: &'a JsonRow,
    column: &'a Column,
}

impl<'a> JsonColumn<'a> {
    /// Its name: the names of the objects around it and its own, with dots between.
    pub fn name(&self) -> &'a str {
        &self.row.text[self.column.name.clone()]
    }

    /// Its values: one, or those of a list.
    pub fn values(&self) -> impl Iterator<Item = JsonValue<'a>> + use<'a> {
        let row = self.row;
        row.values[self.column.values.clone()].iter().map(move |value| match value {
            Stored::Bool(value) => JsonValue::Bool(*value),
            Stored::Int(value) => JsonValue::Int(*value),
            Stored::Unsigned(value) => JsonValue::Unsigned(*value),
            Stored::Float(value) => JsonValue::Float(*value),
            Stored::Text(range) => JsonValue::Text(&row.text[range.clone()]),
        })
    }
}

/// Reads the object of a line.
struct Top<'r>(&'r mut JsonRow);
/// Reads the value of a key.
struct Value<'r>(&'r mut JsonRow);
/// Reads an element of a list.
struct Element<'r>(&'r mut JsonRow);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, {…}")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        object(self.0, map)
    }
}

fn object<'de, A: MapAccess<'de>>(row: &mut JsonRow, mut map: A) -> Result<(), A::Error> {
    let outer = row.path.len();
    while map.next_key_seed(Key(row))?.is_some() {
        map.next_value_seed(Value(row))?;
        row.path.truncate(outer);
    }
    Ok(())
}

/// Reads a key onto the end of the path.
struct Key<'r>(&'r mut JsonRow);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<(), E> {
        if !self.0.path.is_empty() {
            self.0.path.push('.');
        }
        self.0.path.push_str(key);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The visits that a value and an element of a list have in common: scalars.
macro_rules! visit_scalars {
    ($done:expr) => {
        fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
            self.0.push(Stored::Bool(value));
            $done(self.0);
            Ok(())
        }

        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
            self.0.push(Stored::Int(value));
            $done(self.0);
            Ok(())
        }

        fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
            self.0.push(i64::try_from(value).map_or(Stored::Unsigned(value), Stored::Int));
            $done(self.0);
            Ok(())
        }

        fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
            self.0.push(Stored::Float(value));
            $done(self.0);
            Ok(())
        }

        fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
            self.0.push_text(value);
            $done(self.0);
            Ok(())
        }
    };
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    visit_scalars!(|row: &mut JsonRow| row.end_column(row.values.len() - 1));

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let first = self.0.values.len();
        while list.next_element_seed(Element(self.0))?.is_some() {}
        self.0.end_column(first);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        object(self.0, map)
    }
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Element<'_> {
    fn refuse<E: serde::de::Error>(&self, what: &str) -> E {
        E::custom(format_args!(
            "the list `{}` holds {what}, expected numbers, strings or booleans",
            self.0.path
        ))
    }
}

impl<'de> Visitor<'de> for Element<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a string or a boolean")
    }

    visit_scalars!(|_: &mut JsonRow| {});

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Err(self.refuse("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.refuse("another list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.refuse("an object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<Vec<String>> {
        let mut row = JsonRow::default();
        row.parse(b"{\"left\": \"over\"}").unwrap();
        row.parse(text.as_bytes())?;
        Ok(row
            .columns()
            .map(|column| format!("{}={:?}", column.name(), column.values().collect::<Vec<_>>()))
            .collect())
    }

    #[test]
    fn rows_begin_at_lines_that_are_not_blank() {
        let text = b"\n{\"a\":1}\r\n \t\n\n  {\"a\":2}\n{}";
        for step in 1..text.len() {
            let (mut rows, mut starts) = (JsonRows::default(), Vec::new());
            for (index, piece) in text.chunks(step).enumerate() {
                rows.push(piece, |at| starts.push(index * step + at));
            }
            assert_eq!(starts, [1, 16, 24], "pieces of {step}");
        }
    }

    #[test]
    fn values_and_columns() {
        let table: [(&str, &[&str]); 9] = [
            ("{}", &[]),
            (" {\"a\": 1}\r\n", &["a=[Int(1)]"]),
            (r#"{"a": -9223372036854775808}"#, &["a=[Int(-9223372036854775808)]"]),
            (r#"{"a": 18446744073709551615}"#, &["a=[Unsigned(18446744073709551615)]"]),
            (r#"{"a": 1.0, "b": 1e2}"#, &["a=[Float(1.0)]", "b=[Float(100.0)]"]),
            (r#"{"a": "x\u0041\n", "b": true}"#, &[r#"a=[Text("xA\n")]"#, "b=[Bool(true)]"]),
            (
                r#"{"a": null, "b": [], "c": [1, 2.5, "x"]}"#,
                &["b=[]", r#"c=[Int(1), Float(2.5), Text("x")]"#],
            ),
            (r#"{"a": {"b": {"c": 1}, "d": 2}, "e": 3}"#, &["a.b.c=[Int(1)]", "a.d=[Int(2)]", "e=[Int(3)]"]),
            (r#"{"a": {"b": 1}, "a.b": 2}"#, &["a.b=[Int(1)]", "a.b=[Int(2)]"]),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_row_is_an_error_with_its_byte() {
        let table = [
            ("[1]", 0, "expected an object"),
            ("7", 0, "expected an object"),
            (r#"{"a": 1"#, 6, "EOF"),
            (r#"{"a": [1, [2]]}"#, 10, "`a` holds another list"),
            (r#"{"a": {"b": [null]}}"#, 16, "`a.b` holds null"),
            (r#"{"a": [{}]}"#, 7, "`a` holds an object"),
            (r#"{"a": 1} {"a": 2}"#, 9, "trailing characters"),
            (r#"{"a": tru}"#, 9, "expected ident"),
            (r#"{"a": 1e999}"#, 11, "out of range"),
        ];
        for (text, byte, reason) in table {
            let error = shown(text).unwrap_err();
            assert!(error.to_string().contains(reason), "{text}: {error}");
            assert!(!error.to_string().contains("at line"), "{error}");
            let found = error.byte_offset().unwrap();
            assert!(found.abs_diff(byte) <= 1, "{text}: byte {found}, expected {byte}");
        }
        let mut row = JsonRow::default();
        assert!(row.parse(b"{\"a\": \"\xff\"}").unwrap_err().to_string().contains("unicode"));
    }
}
