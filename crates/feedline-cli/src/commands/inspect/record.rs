//! `feedline inspect FILE --record K`: one record, as JSON.

use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

use feedline::data::Values;
use feedline::formats::example::RecordKind;
use feedline::inspect::{Decoded, DecodedList, Look, decode, read_record};
use feedline::io::shown;
use serde_json::{Map, Value, json};

use super::{json as to_json, value};
use crate::ui::{self, Ui};

/// Values shown of a list, and bytes of a text, for people.
const MAX_VALUES: usize = 12;
const MAX_TEXT_BYTES: usize = 200;
/// Bytes of a string looked at, as many as `inspect` keeps of one.
const HEAD_BYTES: usize = 64 << 10;

/// How to show some of the values of a feature.
type ShowList = fn(&Values, Range<usize>) -> Value;

pub(super) fn run(path: &Path, number: u64, ui: &Ui) -> feedline::Result<ExitCode> {
    let found = read_record(path, number)?;
    if let Some(problem) = &found.index_problem {
        let hint = problem.hint.as_deref().unwrap_or("make it again with `feedline index`");
        ui.problem(format_args!("warning: {problem}\nhint: {hint}"));
    }
    let decoded = decode(&found.data)?;
    if ui.json {
        let mut object = parts(&decoded, &found.data, full);
        let mut place = Map::new();
        place.insert("file".into(), json!(path.to_string_lossy()));
        place.insert("record".into(), json!(number));
        place.insert("byte".into(), json!(found.byte));
        place.insert("bytes".into(), json!(found.data.len()));
        place.insert("kind".into(), json!(decoded.kind.name()));
        place.append(&mut object);
        ui.result(Value::Object(place));
        return Ok(ExitCode::SUCCESS);
    }
    let size = ui::size(found.data.len() as u64);
    ui.note(format_args!(
        "{}: record {number} (byte {}): {}, {size}",
        shown(path),
        found.byte,
        decoded.kind.name()
    ));
    ui.result(pretty(&parts(&decoded, &found.data, short)));
    Ok(ExitCode::SUCCESS)
}

/// Objects over several lines, lists on one: a row of numbers is read across.
fn pretty(object: &Map<String, Value>) -> String {
    let entries = |object: &Map<String, Value>, indent: &str| -> String {
        let lines: Vec<String> =
            object.iter().map(|(name, value)| format!("{indent}{}: {value}", json!(name))).collect();
        lines.join(",\n")
    };
    let parts: Vec<String> = object
        .iter()
        .map(|(name, value)| match value {
            Value::Object(inner) if !inner.is_empty() => {
                format!("  {}: {{\n{}\n  }}", json!(name), entries(inner, "    "))
            }
            value => format!("  {}: {value}", json!(name)),
        })
        .collect();
    format!("{{\n{}\n}}", parts.join(",\n"))
}

/// `features` and `lists`, or the bytes of a record that is no Example.
fn parts(decoded: &Decoded, data: &[u8], list: ShowList) -> Map<String, Value> {
    let mut object = Map::new();
    if decoded.kind == RecordKind::Bytes {
        object.insert("data".into(), to_json::bytes_json(&data[..data.len().min(HEAD_BYTES)], data.len()));
        return object;
    }
    let features = decoded.features.iter().map(|feature| {
        let values = feature.values.as_ref().map_or(Value::Null, |values| list(values, 0..values.len()));
        (feature.name.clone(), values)
    });
    object.insert("features".into(), Value::Object(features.collect()));
    if !decoded.lists.is_empty() {
        let lists = decoded.lists.iter().map(|steps| (steps.name.clone(), step_values(steps, list)));
        object.insert("lists".into(), Value::Object(lists.collect()));
    }
    object
}

/// The values of each step of a feature list.
fn step_values(steps: &DecodedList, list: ShowList) -> Value {
    let mut start = 0;
    let values = steps.step_lens.iter().map(|&len| {
        let step = start..start + len;
        start += len;
        steps.values.as_ref().map_or_else(|| json!([]), |values| list(values, step))
    });
    Value::Array(values.collect())
}

/// Every number; byte strings by their length and look.
fn full(values: &Values, range: Range<usize>) -> Value {
    Value::Array(match values {
        Values::Int64(values) => values[range].iter().map(|value| json!(value)).collect(),
        Values::Float32(values) => values[range].iter().map(|&value| to_json::f32_json(value)).collect(),
        Values::Bytes(values) => range
            .map(|index| values.get(index, &[]))
            .map(|bytes| to_json::bytes_json(&bytes[..bytes.len().min(HEAD_BYTES)], bytes.len()))
            .collect(),
    })
}

/// The first few values, one alone without its list.
fn short(values: &Values, range: Range<usize>) -> Value {
    let len = range.len();
    let shown = range.start..range.end.min(range.start + MAX_VALUES);
    let mut list: Vec<Value> = match values {
        Values::Bytes(values) => shown
            .map(|index| values.get(index, &[]))
            .map(|bytes| match Look::of(&bytes[..bytes.len().min(HEAD_BYTES)], bytes.len()) {
                Look::Text(text) if bytes.len() <= MAX_TEXT_BYTES => json!(text),
                _ => json!(value::bytes(&bytes[..bytes.len().min(HEAD_BYTES)], bytes.len())),
            })
            .collect(),
        _ => full(values, shown).as_array().cloned().unwrap_or_default(),
    };
    if len == 1 {
        return list.remove(0);
    }
    if len > MAX_VALUES {
        list.push(json!(format!("… {} values", ui::thousands(len as u64))));
    }
    Value::Array(list)
}
