//! CSV rows as Examples.

use std::path::Path;

use feedline_formats::csv::{CLOSE_QUOTE, CsvFields, CsvRows, UNCLOSED_QUOTE};
use feedline_formats::{Error as FormatError, ErrorKind};

use super::bad_row::{BadRow, quoted};
use super::columns::RowBuffer;
use super::csv_header::{check_delimiter, choose, read_headers};
use super::loss::{Loss, skippable};
use super::options::{ColumnType, OnError, Options};
use super::row_files::{Row, RowFile, RowFiles};
use super::row_source::{RowEncoder, RowSource};
use super::source::Sink;
use super::split::{feed, split_files};
use super::stage::ReadableFile;
use crate::error::Result;

/// Opens CSV files of one header.
pub(super) fn open(
    files: Vec<ReadableFile>,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<RowSource<CsvEncoder>> {
    let delimiter = options.delimiter.unwrap_or_else(|| default_delimiter(&files));
    let mut files = split_files(files, &CsvRows::new(delimiter), options, progress)?;
    lose_open_quotes(&mut files, delimiter, options.on_error)?;
    let header = read_headers(&mut files, delimiter, options.on_error)?;
    if options.delimiter.is_none() {
        check_delimiter(&header)?;
    }
    let chosen = choose(&header, options)?;
    let names = chosen.iter().map(|&field| header.names[field].clone()).collect();
    let columns = chosen.into_iter().map(|field| Column { field, column_type: ColumnType::String }).collect();
    let rows = RowFiles::new(files, options.on_error);
    let mut encoder = CsvEncoder { delimiter, num_fields: header.names.len(), columns, names };
    encoder.infer_types(&rows, options)?;
    Ok(RowSource { rows, encoder })
}

/// Makes Examples of CSV rows.
pub(super) struct CsvEncoder {
    delimiter: u8,
    /// Fields a row must have.
    num_fields: usize,
    /// The columns to keep, by name.
    columns: Vec<Column>,
    names: Vec<String>,
}

struct Column {
    field: usize,
    column_type: ColumnType,
}

impl CsvEncoder {
    /// Gives every column its type: the one that was asked for, or the narrowest that fits the first rows.
    fn infer_types(&mut self, rows: &RowFiles, options: &Options) -> Result<()> {
        let mut inferred: Vec<Option<ColumnType>> = vec![None; self.columns.len()];
        let mut fields = CsvFields::default();
        rows.sample(|row| {
            // A row that cannot be read has no say; it is reported when it is its turn.
            if fields.parse(row.bytes, self.delimiter).is_ok() && fields.len() == self.num_fields {
                for (column, inferred) in self.columns.iter().zip(&mut inferred) {
                    let value = fields.get(row.bytes, column.field).unwrap_or_default();
                    if !value.is_empty() {
                        *inferred = (*inferred).max(Some(narrowest(value)));
                    }
                }
            }
        })?;
        for ((column, inferred), name) in self.columns.iter_mut().zip(inferred).zip(&self.names) {
            // A column that is empty so far may hold anything: as text, everything fits.
            column.column_type = options.type_of(name).or(inferred).unwrap_or(ColumnType::String);
        }
        Ok(())
    }

    fn fill(&self, row: &Row<'_>, fields: &mut CsvFields, buffer: &mut RowBuffer) -> Result<(), Trouble> {
        fields.parse(row.bytes, self.delimiter).map_err(Trouble::Broken)?;
        if fields.len() != self.num_fields {
            return Err(Trouble::WrongCount(fields.len()));
        }
        for (index, column) in self.columns.iter().enumerate() {
            let value = fields.get(row.bytes, column.field).unwrap_or_default();
            match column.column_type {
                ColumnType::String if value.is_empty() => {}
                ColumnType::String => buffer.feature(index, ColumnType::String, |buffer| {
                    buffer.push_bytes(value);
                    Ok(())
                })?,
                number => {
                    let trimmed = value.trim_ascii();
                    if !trimmed.is_empty() {
                        let misfit = || Trouble::Misfit { column: index, value: value.to_vec() };
                        buffer.feature(index, number, |buffer| match number {
                            ColumnType::Int64 => {
                                parse_int(trimmed).map(|value| buffer.push_int(value)).ok_or_else(misfit)
                            }
                            _ => {
                                parse_float(trimmed).map(|value| buffer.push_float(value)).ok_or_else(misfit)
                            }
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn bad_row(&self, row: &Row<'_>, trouble: Trouble) -> BadRow {
        let is_misfit = matches!(trouble, Trouble::Misfit { .. });
        let bad = |reason: String| BadRow::new(row.position, &row.file.file.path, reason);
        let mut bad = match trouble {
            Trouble::Broken(error) => {
                let mut bad = bad(error.reason()).hint(error.hint());
                bad.byte = error.byte_offset().map(|byte| row.offset + byte);
                if let ErrorKind::Csv { field, reason, .. } = error.kind() {
                    bad.reason = format!("field {}: {reason}", field + 1);
                }
                bad
            }
            Trouble::WrongCount(found) => {
                let noun = if found == 1 { "field" } else { "fields" };
                bad(format!("the row has {found} {noun}, the header has {}", self.num_fields)).hint(format!(
                    "quote fields that contain {}, or correct the row",
                    if self.delimiter == b'\t' {
                        "a tab".into()
                    } else {
                        format!("`{}`", char::from(self.delimiter))
                    }
                ))
            }
            Trouble::Misfit { column, value } => {
                let (name, expected) = (&self.names[column], self.columns[column].column_type);
                let value_text = quoted(&value);
                let reason = match (expected, narrowest(&value)) {
                    (ColumnType::Int64, ColumnType::String) if is_integer(value.trim_ascii()) => {
                        format!("{value_text} does not fit int64, which ends at {}", i64::MAX)
                    }
                    (ColumnType::Float32, ColumnType::String) if parse_f64(value.trim_ascii()).is_some() => {
                        format!("{value_text} does not fit float32, which ends at {:e}", f32::MAX)
                    }
                    _ => format!("{value_text} is no {expected}"),
                };
                // The type that would hold what the column held so far and this.
                let fits = narrowest(&value).max(expected);
                let fits = if fits == expected { ColumnType::String } else { fits };
                let mut bad = bad(reason)
                    .hint(format!("correct the value, or widen the column: `--types {name}={fits}`"));
                bad.column = Some(name.clone());
                bad
            }
        };
        bad.line = row.line();
        // A quote too many or too few makes one row of several, up to the next one: who knows how many they were.
        let more_lines = memchr::memchr_iter(b'\n', row.bytes.trim_ascii_end()).count() as u64;
        if let Some(line) = bad.line.filter(|_| more_lines > 0 && !is_misfit) {
            bad.at_least = Some(1);
            let last = line + more_lines;
            bad.reason = format!("{}; the row goes on to line {last}, at least 1 row is lost", bad.reason);
        }
        bad
    }
}

/// What is wrong with a row.
enum Trouble {
    Broken(FormatError),
    WrongCount(usize),
    Misfit { column: usize, value: Vec<u8> },
}

impl RowEncoder for CsvEncoder {
    type Scratch = (CsvFields, RowBuffer);

    fn encode(&self, row: &Row<'_>, scratch: &mut Self::Scratch, sink: &mut Sink) -> Result<()> {
        let (fields, buffer) = scratch;
        buffer.clear();
        buffer.reserve(row)?;
        let filled = self.fill(row, fields, buffer);
        let write = |()| sink.record(|out| buffer.write(&self.names, out)).map_err(Trouble::Broken);
        filled.and_then(write).or_else(|trouble| sink.bad(self.bad_row(row, trouble)))
    }

    fn place(&self, row: &Row<'_>, bad: &mut BadRow) {
        bad.line = row.line_at(bad.byte.unwrap_or(row.offset));
    }

    fn columns(&self) -> Vec<(String, ColumnType)> {
        self.names.iter().cloned().zip(self.columns.iter().map(|column| column.column_type)).collect()
    }
}

/// Makes losses of the rows that end their files inside a quote: each is not one row but the rest of its file, of which nobody
/// can tell how many rows it was meant to be. So it is not read as a row either, which might take all memory.
fn lose_open_quotes(files: &mut [RowFile], delimiter: u8, on_error: OnError) -> Result<()> {
    for RowFile { file, places, .. } in files {
        let Some(last) = places.len().checked_sub(1).filter(|&last| places.loss(last).is_none()) else {
            continue;
        };
        let range = places.range(last);
        let find_quote = || -> Result<Option<u64>> {
            let mut splitter = CsvRows::new(delimiter);
            feed(&mut splitter, file, range.clone())?;
            Ok(splitter.open_quote().map(|quote| range.start + quote))
        };
        // A row that cannot be read is lost when it is its turn.
        if let Ok(Some(quote)) = skippable(find_quote(), on_error)? {
            let reason = format!("{UNCLOSED_QUOTE}, so that all that follows is part of it");
            places.lose_last(Loss::new(&reason, CLOSE_QUOTE).at_byte(quote));
        }
    }
    Ok(())
}

/// A tab if all files say so by their names, else a comma.
fn default_delimiter(files: &[ReadableFile]) -> u8 {
    let is_tabs = |file: &ReadableFile| {
        let name = file.path.to_string_lossy().to_ascii_lowercase();
        Path::new(name.strip_suffix(".gz").unwrap_or(&name)).extension().is_some_and(|ending| ending == "tsv")
    };
    if files.iter().all(is_tabs) { b'\t' } else { b',' }
}

/// The narrowest type that holds a value, which is not empty.
fn narrowest(value: &[u8]) -> ColumnType {
    let value = value.trim_ascii();
    if parse_int(value).is_some() {
        ColumnType::Int64
    } else if parse_float(value).is_some() && !is_integer(value) {
        ColumnType::Float32
    } else {
        // Also whole numbers beyond int64: they are names of things, which a float would blur into each other.
        ColumnType::String
    }
}

fn is_integer(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"-").or(value.strip_prefix(b"+")).unwrap_or(value);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn parse_int(value: &[u8]) -> Option<i64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// A float as text, rounded to the nearest float32; `None` where only infinity is near.
fn parse_float(value: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(value).ok()?;
    let parsed: f32 = text.parse().ok()?;
    // `inf` and `nan` are meant; 1e99 is not.
    (parsed.is_finite() || !value.iter().any(u8::is_ascii_digit)).then_some(parsed)
}

fn parse_f64(value: &[u8]) -> Option<f64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_type() {
        for (value, expected) in [
            ("0", ColumnType::Int64),
            ("-17", ColumnType::Int64),
            ("+5", ColumnType::Int64),
            (" 5 ", ColumnType::Int64),
            ("9223372036854775807", ColumnType::Int64),
            ("9223372036854775808", ColumnType::String),
            ("1.5", ColumnType::Float32),
            (".5", ColumnType::Float32),
            ("1e10", ColumnType::Float32),
            ("NaN", ColumnType::Float32),
            ("-inf", ColumnType::Float32),
            ("1e99", ColumnType::String),
            ("0x10", ColumnType::String),
            ("1,5", ColumnType::String),
            ("abc", ColumnType::String),
            ("-", ColumnType::String),
            ("1 2", ColumnType::String),
        ] {
            assert_eq!(narrowest(value.as_bytes()), expected, "{value}");
        }
        assert_eq!(narrowest(b"\xff\xfe"), ColumnType::String);
    }

    #[test]
    fn floats_round_to_the_nearest() {
        assert_eq!(parse_float(b"0.1"), Some(0.1));
        assert_eq!(parse_float(b"16777217"), Some(16_777_216.0));
        assert_eq!(parse_float(b"1e-99"), Some(0.0));
        assert_eq!(parse_float(b"3.5e38"), None);
    }
}
