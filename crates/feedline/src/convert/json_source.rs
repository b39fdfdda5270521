//! JSON lines as Examples.

use std::collections::HashMap;

use feedline_formats::Error as FormatError;
use feedline_formats::json_lines::{JsonRow, JsonRows, JsonValue};

use super::bad_row::{BadRow, quoted};
use super::columns::{RowBuffer, SAMPLE_ROWS, to_float32};
use super::json_columns::{Sample, check_declared, natural_type, types_behind, unknown_column};
use super::options::{ColumnType, Options};
use super::row_files::{Row, RowFiles};
use super::row_source::{RowEncoder, RowSource};
use super::source::Sink;
use super::split::split_files;
use super::stage::ReadableFile;
use crate::error::Result;

/// Opens files of one JSON object a line.
pub(super) fn open(
    files: Vec<ReadableFile>,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<RowSource<JsonEncoder>> {
    let files = split_files(files, &JsonRows::default(), options, progress)?;
    let rows = RowFiles::new(files, options.on_error);
    let encoder = JsonEncoder::new(&rows, options)?;
    Ok(RowSource { rows, encoder })
}

/// Makes Examples of JSON objects.
pub(super) struct JsonEncoder {
    /// The columns to keep, by name.
    names: Vec<String>,
    columns: HashMap<String, Column>,
    /// Whether columns not in `columns` are left out (the user chose) or an error (they came too late to be typed).
    others_left_out: bool,
}

#[derive(Clone, Copy)]
struct Column {
    index: usize,
    kind: ColumnType,
    /// Whether the user gave the type: then a string column takes numbers, as text.
    declared: bool,
}

impl JsonEncoder {
    fn new(rows: &RowFiles, options: &Options) -> Result<JsonEncoder> {
        let Sample { types: mut inferred, names: seen } = Sample::of(rows)?;
        inferred.extend(types_behind(rows, &seen, &inferred, options)?);
        check_declared(rows, &seen, options)?;
        let is_known = |name: &&String| inferred.contains_key(*name) || options.type_of(name).is_some();
        let mut names: Vec<String> = if let Some(columns) = &options.columns {
            if let Some(name) = columns.iter().find(|name| !is_known(name)) {
                return Err(unknown_column(name, &inferred, &seen));
            }
            columns.clone()
        } else {
            let declared = options.types.iter().map(|(name, _)| name);
            inferred.keys().chain(declared.filter(|name| !inferred.contains_key(*name))).cloned().collect()
        };
        names.sort_unstable();
        let column = |(index, name): (usize, &String)| {
            let declared = options.type_of(name);
            let kind = declared.or(inferred.get(name).copied())?;
            Some((name.clone(), Column { index, kind, declared: declared.is_some() }))
        };
        let columns = names.iter().enumerate().filter_map(column).collect();
        Ok(JsonEncoder { names, columns, others_left_out: options.columns.is_some() })
    }

    fn fill(&self, row: &Row<'_>, parsed: &mut JsonRow, buffer: &mut RowBuffer) -> Result<(), Trouble> {
        parsed.parse(row.bytes).map_err(Trouble::Broken)?;
        for json in parsed.columns() {
            let name = json.name();
            let Some(&column) = self.columns.get(name) else {
                match natural_type(&json) {
                    Some(column_type) if !self.others_left_out => {
                        return Err(Trouble::Late { column: name.to_owned(), column_type });
                    }
                    // An empty list says nothing, not even its type.
                    _ => continue,
                }
            };
            if buffer.has(column.index) {
                return Err(Trouble::Twice { column: name.to_owned() });
            }
            buffer.feature(column.index, column.kind, |buffer| {
                json.values().zip(json.texts()).try_for_each(|(value, text)| {
                    push(buffer, column, value, text)
                        .map_err(|found| Trouble::Misfit { column: name.to_owned(), found })
                })
            })?;
        }
        Ok(())
    }

    fn bad_row(&self, row: &Row<'_>, trouble: Trouble) -> BadRow {
        let bad = |reason: String| BadRow::new(row.position, &row.file.file.path, reason);
        let mut bad = match trouble {
            Trouble::Broken(error) => {
                let mut bad = bad(error.reason()).hint(error.hint());
                bad.byte = error.byte_offset().map(|byte| row.offset + byte);
                bad
            }
            Trouble::Late { column, column_type } => {
                let reason = format!(
                    "the column is not in the first {SAMPLE_ROWS} rows, from which types are inferred"
                );
                let hint = format!(
                    "give its type: `--types {column}={column_type}`, or choose columns with `--columns`"
                );
                BadRow { column: Some(column), ..bad(reason).hint(hint) }
            }
            Trouble::Twice { column } => {
                let hint = "rename one of the two";
                BadRow { column: Some(column), ..bad("the row has this column twice".into()).hint(hint) }
            }
            Trouble::Misfit { column, found } => {
                let expected = self.columns.get(&column).map_or(ColumnType::String, |column| column.kind);
                let Misfit { value, remedy } = found;
                let give = |fits: ColumnType| format!("`--types {column}={fits}`");
                let remedy = match remedy {
                    Remedy::Type(fits) => give(fits),
                    Remedy::KeepOrRound => format!(
                        "{} keeps every digit, {} rounds",
                        give(ColumnType::String),
                        give(ColumnType::Float32)
                    ),
                };
                let hint = format!("correct the value, or give the column's type: {remedy}");
                BadRow { column: Some(column), ..bad(format!("{value} is no {expected}")).hint(hint) }
            }
        };
        bad.line = row.line();
        bad
    }
}

/// What is wrong with a row.
enum Trouble {
    Broken(FormatError),
    /// A column that did not occur in the rows that types are inferred from.
    Late {
        column: String,
        column_type: ColumnType,
    },
    Twice {
        column: String,
    },
    Misfit {
        column: String,
        found: Misfit,
    },
}

/// A value that is not of its column's type.
struct Misfit {
    value: String,
    remedy: Remedy,
}

/// What would take the value.
enum Remedy {
    Type(ColumnType),
    /// A string for the name of something, a float for a quantity: only the user knows.
    KeepOrRound,
}

/// Adds a value, spelled `text`, to the row.
fn push(buffer: &mut RowBuffer, column: Column, value: JsonValue<'_>, text: &str) -> Result<(), Misfit> {
    let misfit = |value: String, fits| Err(Misfit { value, remedy: Remedy::Type(fits) });
    match (column.kind, value) {
        (ColumnType::Int64, JsonValue::Int(value)) => buffer.push_int(value),
        (ColumnType::Int64, JsonValue::Bool(value)) => buffer.push_int(i64::from(value)),
        (ColumnType::Int64, JsonValue::Float(_)) => return misfit(text.to_owned(), ColumnType::Float32),
        (ColumnType::Float32, JsonValue::Int(value)) => buffer.push_float(value as f32),
        (ColumnType::Float32, JsonValue::Bool(value)) => buffer.push_float(f32::from(u8::from(value))),
        (ColumnType::Int64, JsonValue::Large(_)) => return Err(too_large(text)),
        (ColumnType::Float32, JsonValue::Large(_)) if !column.declared => return Err(too_large(text)),
        (ColumnType::Float32, JsonValue::Float(value) | JsonValue::Large(value)) => match to_float32(value) {
            Some(value) => buffer.push_float(value),
            None => return misfit(format!("{text}, beyond {:e},", f32::MAX), ColumnType::String),
        },
        (ColumnType::Int64 | ColumnType::Float32, JsonValue::Text(value)) => {
            return misfit(format!("the string {}", quoted(value.as_bytes())), ColumnType::String);
        }
        (ColumnType::String, JsonValue::Text(value)) => buffer.push_bytes(value.as_bytes()),
        (ColumnType::String, _) if !column.declared => {
            return misfit(format!("the value {text}"), ColumnType::String);
        }
        (ColumnType::String, _) => buffer.push_bytes(text.as_bytes()),
    }
    Ok(())
}

/// A whole number beyond int64 is most likely the name of something, which a float would blur into others.
fn too_large(text: &str) -> Misfit {
    let value = format!("{}, beyond {},", quoted(text.as_bytes()), i64::MAX);
    Misfit { value, remedy: Remedy::KeepOrRound }
}

impl RowEncoder for JsonEncoder {
    type Scratch = (JsonRow, RowBuffer);

    fn encode(&self, row: &Row<'_>, scratch: &mut Self::Scratch, sink: &mut Sink) -> Result<()> {
        let (parsed, buffer) = scratch;
        buffer.clear();
        buffer.reserve(row)?;
        let filled = self.fill(row, parsed, buffer);
        let write = |()| sink.record(|out| buffer.write(&self.names, out)).map_err(Trouble::Broken);
        filled.and_then(write).or_else(|trouble| sink.bad(self.bad_row(row, trouble)))
    }

    fn place(&self, row: &Row<'_>, bad: &mut BadRow) {
        bad.line = row.line();
    }

    fn columns(&self) -> Vec<(String, ColumnType)> {
        let typed = self.names.iter().filter_map(|name| Some((name.clone(), self.columns.get(name)?.kind)));
        typed.collect()
    }
}
