//! The columns of JSON lines: their names and types, as the first rows have them.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use feedline_formats::json_lines::{JsonColumn, JsonRow, JsonValue};

use super::columns::SAMPLE_ROWS;
use super::options::{ColumnType, Options, argument, meant};
use super::parallel::try_map;
use super::row_files::RowFiles;
use crate::error::Result;

/// The type of a column by these values; `None` if there are none.
pub(super) fn natural_type(column: &JsonColumn<'_>) -> Option<ColumnType> {
    if column.values().any(|value| matches!(value, JsonValue::Large(_))) {
        return Some(ColumnType::String); // what holds it as it is
    }
    column.values().fold(None, |known, value| Some(widen(known, value)))
}

/// Whole numbers and others together are float32. Numbers and strings together are not a column: the first decides,
/// and the rows of the other kind are bad. So are those with whole numbers beyond int64, whichever the type.
fn widen(known: Option<ColumnType>, value: JsonValue<'_>) -> ColumnType {
    match (known, value) {
        (Some(ColumnType::String), _) | (None, JsonValue::Text(_)) => ColumnType::String,
        (Some(known), JsonValue::Text(_)) => known,
        (Some(ColumnType::Float32), _) | (_, JsonValue::Float(_)) => ColumnType::Float32,
        (None | Some(ColumnType::Int64), _) => ColumnType::Int64,
    }
}

/// What the first rows say of the columns.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) types: HashMap<String, ColumnType>,
    /// All names, also those without a value that has a type.
    pub(super) names: HashSet<String>,
}

impl Sample {
    pub(super) fn of(rows: &RowFiles) -> Result<Sample> {
        let mut sample = Sample::default();
        let mut parsed = JsonRow::default();
        rows.sample(|row| {
            // A row that cannot be read has no say; it is reported when it is its turn.
            if parsed.parse(row.bytes).is_ok() {
                sample.observe(&parsed);
            }
        })?;
        Ok(sample)
    }

    fn observe(&mut self, row: &JsonRow) {
        for column in row.columns() {
            let known = self.types.get(column.name()).copied();
            let widened = column.values().fold(known, |known, value| Some(widen(known, value)));
            if let Some(widened) = widened.filter(|_| widened != known) {
                self.types.insert(column.name().to_owned(), widened);
            }
        }
        for name in row.names() {
            if !self.names.contains(name) {
                self.names.insert(name.to_owned());
            }
        }
    }
}

/// An error if `--types` names a column that no row has: most likely another one was meant, which would go its own way.
///
/// A row may lack any column, so that only all rows together can say so. Those behind the sample are looked through for
/// the names that are not in it, up to the first row that has each: a misspelt name costs a pass, others next to nothing.
pub(super) fn check_declared(rows: &RowFiles, seen: &HashSet<String>, options: &Options) -> Result<()> {
    let declared = || options.types.iter().map(|(name, _)| name.as_str());
    let missing: HashSet<&str> = declared().filter(|name| !seen.contains(*name)).collect();
    let missing = search(rows, missing, options.num_threads)?;
    match declared().find(|name| missing.contains(name)) {
        // No row can be read: each will say so, with its place.
        Some(_) if seen.is_empty() => Ok(()),
        Some(name) => {
            let mut known: Vec<&str> = seen.iter().map(String::as_str).collect();
            known.sort_unstable();
            let message = format!("`--types` names `{name}`, a column that no row has");
            Err(argument(message, format!("the columns are {}{}", known.join(", "), meant(name, &known))))
        }
        None => Ok(()),
    }
}

/// The types of columns that the sample has, but not a single value of: `null` up to then, or empty lists. Told by the first
/// rows behind it that have one, as many as make a sample.
pub(super) fn types_behind(
    rows: &RowFiles,
    seen: &HashSet<String>,
    inferred: &HashMap<String, ColumnType>,
    options: &Options,
) -> Result<HashMap<String, ColumnType>> {
    let is_wanted = |name: &str| match &options.columns {
        Some(columns) => columns.iter().any(|column| column == name),
        None => true,
    };
    let untyped: HashSet<&str> = seen
        .iter()
        .map(String::as_str)
        .filter(|name| !inferred.contains_key(*name) && options.type_of(name).is_none() && is_wanted(name))
        .collect();
    if untyped.is_empty() {
        return Ok(HashMap::new());
    }
    // Of each column, the first group of rows that has values of it, whichever thread comes to it first.
    let found: Mutex<HashMap<String, (u64, ColumnType)>> = Mutex::default();
    let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
    try_map(options.num_threads, &groups_behind_sample(rows), |&first| {
        let is_known = |name: &&&str| lock().get(**name).is_some_and(|(group, _)| *group < first);
        if untyped.iter().filter(is_known).count() == untyped.len() {
            return Ok(());
        }
        let mut sample = Sample::default();
        let mut parsed = JsonRow::default();
        visit_group(rows, first, |row| {
            if parsed.parse(row).is_ok() {
                sample.observe(&parsed);
            }
        })?;
        let mut found = lock();
        for (name, column_type) in sample.types {
            if untyped.contains(name.as_str()) && found.get(&name).is_none_or(|(group, _)| first < *group) {
                found.insert(name, (first, column_type));
            }
        }
        Ok(())
    })?;
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(found.into_iter().map(|(name, (_, column_type))| (name, column_type)).collect())
}

/// The rows behind the sample in groups as large as it: where each begins.
fn groups_behind_sample(rows: &RowFiles) -> Vec<u64> {
    (SAMPLE_ROWS..rows.num_rows()).step_by(SAMPLE_ROWS as usize).collect()
}

/// Calls `visit` with each row of a group that can be read.
fn visit_group(rows: &RowFiles, first: u64, mut visit: impl FnMut(&[u8])) -> Result<()> {
    let group: Vec<u64> = (first..rows.num_rows().min(first + SAMPLE_ROWS)).collect();
    rows.visit(&group, |row| {
        if row.loss.is_none() {
            visit(row.bytes);
        }
        Ok(())
    })
}

/// Those of `names` that no row behind the sample has.
fn search<'n>(rows: &RowFiles, names: HashSet<&'n str>, num_threads: usize) -> Result<HashSet<&'n str>> {
    if names.is_empty() {
        return Ok(names);
    }
    let missing = Mutex::new(names);
    let still_missing = || missing.lock().unwrap_or_else(PoisonError::into_inner);
    try_map(num_threads, &groups_behind_sample(rows), |&first| {
        // A copy, so that threads meet only where a name is found.
        let mut wanted = still_missing().clone();
        if wanted.is_empty() {
            return Ok(());
        }
        let mut parsed = JsonRow::default();
        visit_group(rows, first, |row| {
            if parsed.parse(row).is_ok() {
                for name in parsed.names() {
                    if wanted.remove(name) {
                        still_missing().remove(name);
                    }
                }
            }
        })
    })?;
    Ok(missing.into_inner().unwrap_or_else(PoisonError::into_inner))
}

pub(super) fn unknown_column(
    name: &str,
    inferred: &HashMap<String, ColumnType>,
    seen: &HashSet<String>,
) -> crate::Error {
    if seen.contains(name) {
        let message = format!("`--columns` names `{name}`, of which no row has a value");
        let hint = format!("leave it out, or give its type: `--types {name}=string`");
        return argument(message, hint);
    }
    let mut known: Vec<&str> = inferred.keys().map(String::as_str).collect();
    known.sort_unstable();
    let message = format!("`--columns` names `{name}`, which is not in the first {SAMPLE_ROWS} rows");
    let hint = format!("the columns there are {}{}", known.join(", "), meant(name, &known));
    argument(message, format!("{hint}; for one that comes later, give its type with `--types`"))
}
