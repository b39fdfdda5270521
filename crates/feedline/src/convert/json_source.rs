//! JSON lines as Examples.

use std::collections::HashMap;

use feedline_formats::Error as FormatError;
use feedline_formats::json_lines::{JsonColumn, JsonRow, JsonRows, JsonValue};

use super::bad_row::{BadRow, quoted};
use super::columns::{RowBuffer, SAMPLE_ROWS, to_float32};
use super::options::{ColumnType, Options, argument, meant};
use super::row_files::{Row, RowFiles};
use super::source::{Sink, Source};
use super::split::split_files;
use super::stage::ReadableFile;
use crate::error::Result;

/// Files of one JSON object a line.
pub(super) struct JsonSource {
    rows: RowFiles,
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

impl JsonSource {
    pub(super) fn open(
        files: Vec<ReadableFile>,
        options: &Options,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<JsonSource> {
        let rows = RowFiles::new(split_files(files, &JsonRows::default(), options.num_threads, progress)?);
        let inferred = infer_types(&rows)?;
        let is_known = |name: &&String| inferred.contains_key(*name) || options.type_of(name).is_some();
        let mut names: Vec<String> = if let Some(columns) = &options.columns {
            if let Some(name) = columns.iter().find(|name| !is_known(name)) {
                return Err(unknown_column(name, &inferred));
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
        Ok(JsonSource { rows, names, columns, others_left_out: options.columns.is_some() })
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
                json.values().try_for_each(|value| {
                    push(buffer, column, value)
                        .map_err(|found| Trouble::Misfit { column: name.to_owned(), found })
                })
            })?;
        }
        Ok(())
    }

    fn bad_row(&self, row: &Row<'_>, trouble: Trouble) -> Result<BadRow> {
        let bad = |reason: String| BadRow::new(row.position, &row.file.file.path, reason);
        let mut bad = match trouble {
            Trouble::Broken(error) => {
                let mut bad = bad(error.reason()).hint(error.hint().unwrap_or_default());
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
                let Misfit { value, fits } = found;
                let hint =
                    format!("correct the value, or change the column's type: `--types {column}={fits}`");
                BadRow { column: Some(column), ..bad(format!("{value} is no {expected}")).hint(hint) }
            }
        };
        bad.line = Some(row.line()?);
        Ok(bad)
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
    /// The type that would take it.
    fits: ColumnType,
}

fn push(buffer: &mut RowBuffer, column: Column, value: JsonValue<'_>) -> Result<(), Misfit> {
    let misfit = |value: String, fits| Err(Misfit { value, fits });
    match (column.kind, value) {
        (ColumnType::Int64, JsonValue::Int(value)) => buffer.push_int(value),
        (ColumnType::Int64, JsonValue::Bool(value)) => buffer.push_int(i64::from(value)),
        (ColumnType::Int64, JsonValue::Unsigned(value)) => {
            return misfit(format!("{value}, beyond {},", i64::MAX), ColumnType::String);
        }
        (ColumnType::Int64, JsonValue::Float(value)) => {
            return misfit(format!("{value:?}"), ColumnType::Float32);
        }
        (ColumnType::Float32, JsonValue::Int(value)) => buffer.push_float(value as f32),
        (ColumnType::Float32, JsonValue::Unsigned(value)) => buffer.push_float(value as f32),
        (ColumnType::Float32, JsonValue::Bool(value)) => buffer.push_float(f32::from(u8::from(value))),
        (ColumnType::Float32, JsonValue::Float(value)) => match to_float32(value) {
            Some(value) => buffer.push_float(value),
            None => return misfit(format!("{value:?}, beyond {:e},", f32::MAX), ColumnType::String),
        },
        (ColumnType::String, JsonValue::Text(value)) => buffer.push_bytes(value.as_bytes()),
        (ColumnType::Int64 | ColumnType::Float32, JsonValue::Text(value)) => {
            return misfit(format!("the string {}", quoted(value.as_bytes())), ColumnType::String);
        }
        (ColumnType::String, value) if !column.declared => {
            return misfit(format!("the value {}", text_of(value)), ColumnType::String);
        }
        (ColumnType::String, value) => buffer.push_bytes(text_of(value).as_bytes()),
    }
    Ok(())
}

/// A number or boolean as JSON writes it.
fn text_of(value: JsonValue<'_>) -> String {
    match value {
        JsonValue::Bool(value) => value.to_string(),
        JsonValue::Int(value) => value.to_string(),
        JsonValue::Unsigned(value) => value.to_string(),
        JsonValue::Float(value) => format!("{value:?}"),
        JsonValue::Text(value) => value.to_owned(),
    }
}

/// The type of a column by these values; `None` if there are none.
fn natural_type(column: &JsonColumn<'_>) -> Option<ColumnType> {
    column.values().fold(None, |known, value| Some(widen(known, value)))
}

/// Whole numbers and others together are float32. Numbers and strings together are not a column: the first decides,
/// and the rows of the other kind are bad.
fn widen(known: Option<ColumnType>, value: JsonValue<'_>) -> ColumnType {
    match (known, value) {
        (Some(ColumnType::String), _) | (None, JsonValue::Text(_)) => ColumnType::String,
        (Some(known), JsonValue::Text(_)) => known,
        (Some(ColumnType::Float32), _) | (_, JsonValue::Float(_)) => ColumnType::Float32,
        (None | Some(ColumnType::Int64), _) => ColumnType::Int64,
    }
}

fn infer_types(rows: &RowFiles) -> Result<HashMap<String, ColumnType>> {
    let mut types: HashMap<String, ColumnType> = HashMap::new();
    let mut parsed = JsonRow::default();
    let sample: Vec<u64> = (0..rows.num_rows().min(SAMPLE_ROWS)).collect();
    rows.visit(&sample, |row| {
        // A row that cannot be read has no say; it is reported when it is its turn.
        if parsed.parse(row.bytes).is_ok() {
            for column in parsed.columns() {
                let known = types.get(column.name()).copied();
                let widened = column.values().fold(known, |known, value| Some(widen(known, value)));
                if let Some(widened) = widened.filter(|_| widened != known) {
                    types.insert(column.name().to_owned(), widened);
                }
            }
        }
        Ok(())
    })?;
    Ok(types)
}

fn unknown_column(name: &str, inferred: &HashMap<String, ColumnType>) -> crate::Error {
    let mut known: Vec<&str> = inferred.keys().map(String::as_str).collect();
    known.sort_unstable();
    let message = format!("`--columns` names `{name}`, which is not in the first {SAMPLE_ROWS} rows");
    let hint = format!("the columns there are {}{}", known.join(", "), meant(name, &known));
    argument(message, format!("{hint}; for one that comes later, give its type with `--types`"))
}

impl Source for JsonSource {
    fn num_rows(&self) -> u64 {
        self.rows.num_rows()
    }

    fn num_bytes(&self) -> u64 {
        self.rows.num_bytes()
    }

    fn row_bytes(&self, row: u64) -> u64 {
        self.rows.row_bytes(row)
    }

    fn encode(&self, rows: &[u64], sink: &mut Sink) -> Result<()> {
        let (mut parsed, mut buffer) = (JsonRow::default(), RowBuffer::default());
        self.rows.visit(rows, |row| {
            buffer.clear();
            match self.fill(&row, &mut parsed, &mut buffer) {
                Ok(()) => {
                    sink.record(|out| buffer.write(&self.names, out));
                    Ok(())
                }
                Err(trouble) => sink.bad(self.bad_row(&row, trouble)?),
            }
        })
    }

    fn columns(&self) -> Vec<(String, ColumnType)> {
        let typed = self.names.iter().filter_map(|name| Some((name.clone(), self.columns.get(name)?.kind)));
        typed.collect()
    }
}
