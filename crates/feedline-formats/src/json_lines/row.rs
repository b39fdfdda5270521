//! A row of JSON taken apart into named values.

use std::ops::Range;

use super::spelling;
use crate::error::{Error, ErrorKind, Result};

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JsonValue<'a> {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond `i64`: the nearest float. [`JsonColumn::texts`] has all of its digits.
    Large(f64),
    /// Any other number.
    Float(f64),
    /// A string, without its escapes.
    Text(&'a str),
}

/// The columns of one row; reused from row to row.
///
/// Objects within the row are flattened: `{"a": {"b": 1}}` has the column `a.b`. A list is a column of several values.
/// `null` is no column at all, though it has a name ([`JsonRow::names`]).
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
    /// Names and the texts of values, one behind the other.
    text: String,
    /// The name of the value being read.
    pub(super) path: String,
}

#[derive(Clone, Debug)]
struct Column {
    name: Range<usize>,
    values: Range<usize>,
    is_null: bool,
}

#[derive(Clone, Debug)]
struct Stored {
    scalar: Scalar,
    text: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar {
    Bool(bool),
    Int(i64),
    Large(f64),
    Float(f64),
    Text,
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
        super::read::read(row, self).map_err(|error| error_of(row, &error))?;
        self.spell(row);
        Ok(())
    }

    /// The columns, in the order of the text.
    pub fn columns(&self) -> impl Iterator<Item = JsonColumn<'_>> {
        let valued = self.columns.iter().filter(|column| !column.is_null);
        valued.map(|column| JsonColumn { row: self, column })
    }

    /// The names of all columns, also of those that are `null`, in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| &self.text[column.name.clone()])
    }

    pub(super) fn num_values(&self) -> usize {
        self.values.len()
    }

    /// Adds a value; `text` is its text, except for numbers, which are spelled at the end.
    pub(super) fn push(&mut self, scalar: Scalar, text: &str) {
        let text = self.add_text(text);
        self.values.push(Stored { scalar, text });
    }

    /// Ends the column at the path, whose values begin at `first`; one of none at all if that is not given.
    pub(super) fn end_column(&mut self, first: Option<usize>) {
        let end = self.values.len();
        let name = self.text.len();
        self.text.push_str(&self.path);
        let name = name..self.text.len();
        self.columns.push(Column { name, values: first.unwrap_or(end)..end, is_null: first.is_none() });
    }

    fn add_text(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    /// Gives each number its text, and what is spelled as a whole number the type of one.
    fn spell(&mut self, row: &[u8]) {
        let is_number = |value: &&mut Stored| !matches!(value.scalar, Scalar::Bool(_) | Scalar::Text);
        let mut numbers = spelling::numbers(row);
        for (value, number) in self.values.iter_mut().filter(is_number).zip(&mut numbers) {
            let start = self.text.len();
            self.text.extend(number.iter().copied().map(char::from));
            value.text = start..self.text.len();
            if let Scalar::Float(float) = value.scalar
                && spelling::is_whole(number)
            {
                // The parser's way with -0 and with what does not fit 64 bits.
                value.scalar = if float == 0.0 { Scalar::Int(0) } else { Scalar::Large(float) };
            }
        }
        debug_assert!(numbers.next().is_none(), "every number is a value");
    }
}

/// The parser's error as one of ours.
pub(super) fn error_of(row: &[u8], error: &serde_json::Error) -> Error {
    // The library's text ends in a place that counts from this row; ours is told apart from the reason.
    let mut reason = error.to_string();
    reason.truncate(reason.rfind(" at line ").unwrap_or(reason.len()));
    Error::new(ErrorKind::Json { reason }).at_byte(byte_of(row, error.line(), error.column()))
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
        self.stored().map(move |value| match value.scalar {
            Scalar::Bool(value) => JsonValue::Bool(value),
            Scalar::Int(value) => JsonValue::Int(value),
            Scalar::Large(value) => JsonValue::Large(value),
            Scalar::Float(value) => JsonValue::Float(value),
            Scalar::Text => JsonValue::Text(&row.text[value.text.clone()]),
        })
    }

    /// Its values as text: strings without their escapes, all else as it is spelled, down to the zeros of `1.10`.
    ///
    /// ```
    /// let mut row = feedline_formats::json_lines::JsonRow::default();
    /// row.parse(br#"{"price": [1.10, 5e3, true, "\u0041"]}"#)?;
    /// let price = row.columns().next().unwrap();
    /// assert_eq!(price.texts().collect::<Vec<_>>(), ["1.10", "5e3", "true", "A"]);
    /// # Ok::<(), feedline_formats::Error>(())
    /// ```
    pub fn texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let row = self.row;
        self.stored().map(move |value| &row.text[value.text.clone()])
    }

    fn stored(&self) -> impl Iterator<Item = &'a Stored> + use<'a> {
        self.row.values[self.column.values.clone()].iter()
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
    fn values_and_columns() {
        let table: [(&str, &[&str]); 13] = [
            ("{}", &[]),
            (" {\"a\": 1}\r\n", &["a=[Int(1)]"]),
            (r#"{"a": -9223372036854775808}"#, &["a=[Int(-9223372036854775808)]"]),
            (r#"{"a": [9223372036854775807, -0]}"#, &["a=[Int(9223372036854775807), Int(0)]"]),
            (r#"{"a": 9223372036854775808}"#, &["a=[Large(9.223372036854776e18)]"]),
            (r#"{"a": -9223372036854775809}"#, &["a=[Large(-9.223372036854776e18)]"]),
            (r#"{"a": 100000000000000000000}"#, &["a=[Large(1e20)]"]),
            (r#"{"a": 1e20, "b": 0.0}"#, &["a=[Float(1e20)]", "b=[Float(0.0)]"]),
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

    #[test]
    fn texts_are_as_spelled_and_names_are_all_there() {
        let mut row = JsonRow::default();
        let text = r#"{"1": 1.10, "b": [-0, 123456789012345678901234567890, "2\"3", false], "c": {"d": null, "e": 1E+2}}"#;
        row.parse(text.as_bytes()).unwrap();
        let texts: Vec<&str> = row.columns().flat_map(|column| column.texts()).collect();
        let expected = ["1.10", "-0", "123456789012345678901234567890", "2\"3", "false", "1E+2"];
        assert_eq!(texts, expected);
        assert_eq!(row.names().collect::<Vec<_>>(), ["1", "b", "c.d", "c.e"]);
        assert_eq!(row.columns().map(|column| column.name()).collect::<Vec<_>>(), ["1", "b", "c.e"]);
    }
}
