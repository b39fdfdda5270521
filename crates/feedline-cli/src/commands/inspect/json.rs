//! An inspection, for scripts. Keys are only ever added.

use feedline::data::DType;
use feedline::formats::Compression;
use feedline::formats::example::{FeatureSummary, Sample};
use feedline::inspect::{Count, FileInspection, IndexState, Inspection, Look};
use serde_json::{Value, json};

use super::super::common::problem_json;

pub(super) fn of(inspection: &Inspection) -> Value {
    let (files, sample) = (&inspection.files, &inspection.sample);
    let total = files.iter().fold(Count::Exact(0), |sum, file| sum.plus(file.count));
    let summaries = |summaries: &[FeatureSummary]| -> Vec<Value> {
        summaries.iter().map(|feature| feature_json(feature, sample.schema.num_records)).collect()
    };
    json!({
        "total": {
            "files": files.len(),
            "bytes": files.iter().map(|file| file.file_bytes).sum::<u64>(),
            "records": total.number(),
            "records_exact": total.is_exact(),
            "num_problems": files.iter().map(|file| file.num_problems).sum::<u64>(),
        },
        "files": files.iter().map(file_json).collect::<Vec<_>>(),
        "kind": sample.schema.kind.name(),
        "sample": {
            "records": sample.num_records,
            "all": sample.is_whole,
            "unparsed": sample.num_unparsed,
            "min_record_bytes": sample.record_bytes.map(|(least, _)| least),
            "max_record_bytes": sample.record_bytes.map(|(_, greatest)| greatest),
            "examples": sample.heads.iter().map(sample_json).collect::<Vec<_>>(),
        },
        "features": summaries(&sample.schema.features),
        "lists": summaries(&sample.schema.lists),
    })
}

fn file_json(file: &FileInspection) -> Value {
    json!({
        "file": file.path.to_string_lossy(),
        "bytes": file.file_bytes,
        "compression": file.compression.map(Compression::name),
        "records": file.count.number(),
        "records_exact": file.count.is_exact(),
        "index": match &file.index {
            IndexState::Missing => "missing",
            IndexState::Valid => "valid",
            IndexState::Unusable(_) => "unusable",
        },
        "index_problem": match &file.index {
            IndexState::Unusable(problem) => problem_json(problem),
            _ => Value::Null,
        },
        "num_problems": file.num_problems,
        "first_problem": file.problem.as_ref().map(problem_json),
        "blind_byte": file.blind_byte,
    })
}

fn feature_json(feature: &FeatureSummary, num_records: u64) -> Value {
    let (least, greatest) = match (feature.int_range, feature.range) {
        (Some((least, greatest)), _) => (json!(least), json!(greatest)),
        (None, Some((least, greatest))) => (float_json(least), float_json(greatest)),
        (None, None) => (Value::Null, Value::Null),
    };
    let counts = |histogram: &feedline::formats::example::Histogram| -> Vec<Value> {
        histogram.counts.iter().map(|(value, count)| json!([value, count])).collect()
    };
    json!({
        "name": feature.name,
        "dtype": feature.dtype.map(DType::name),
        "conflicting_dtype": feature.conflicting_dtype.map(DType::name),
        "present": feature.present,
        "present_fraction": feature.present as f64 / num_records.max(1) as f64,
        "min_len": feature.min_len,
        "max_len": feature.max_len,
        "is_fixed": feature.is_fixed(num_records),
        "min_steps": feature.steps.map(|(least, _)| least),
        "max_steps": feature.steps.map(|(_, greatest)| greatest),
        "min": least,
        "max": greatest,
        "examples": feature.samples.iter().map(sample_json).collect::<Vec<_>>(),
        "histogram": feature.histogram.as_ref().map(counts),
    })
}

fn sample_json(sample: &Sample) -> Value {
    match sample {
        Sample::Int64(value) => json!(value),
        Sample::Float(value) => f32_json(*value),
        Sample::Bytes { head, len } => bytes_json(head, *len),
    }
}

/// Characters of a text given; a script that wants all of it reads the file.
const TEXT_CHARS: usize = 256;

/// A byte string of `len` bytes that begins with `head`: its length, and what it looks like.
pub(super) fn bytes_json(head: &[u8], len: usize) -> Value {
    match Look::of(head, len) {
        Look::Text(text) => {
            json!({ "bytes": len, "text": text.chars().take(TEXT_CHARS).collect::<String>() })
        }
        Look::Image { format, size } => {
            json!({ "bytes": len, "image": format, "width": size.map(|size| size.0), "height": size.map(|size| size.1) })
        }
        Look::Hex(hex) => json!({ "bytes": len, "hex": hex }),
    }
}

/// A float with the digits of its own type: 0.1, not 0.10000000149011612.
pub(super) fn f32_json(value: f32) -> Value {
    match value.to_string().parse() {
        Ok(value) => float_json(value),
        Err(_) => Value::Null,
    }
}

/// JSON has no NaN and no infinity: they become strings.
fn float_json(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or_else(|| json!(value.to_string()), Value::Number)
}
