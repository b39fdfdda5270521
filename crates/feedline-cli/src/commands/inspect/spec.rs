//! The feature spec that parses records like these, as one types it in Python.

use feedline::formats::example::{FeatureSpec, FeatureSummary, Length, RecordKind, Schema};
use serde_json::json;

pub(super) fn of(schema: &Schema) -> String {
    match schema.kind {
        RecordKind::Bytes => "# The records are no Examples: there is nothing to parse them by.".to_owned(),
        RecordKind::Example => dict("features", &features(schema)),
        RecordKind::SequenceExample => {
            let lists: Vec<String> = schema.lists.iter().filter_map(list).collect();
            format!("{}\n{}", dict("context_features", &features(schema)), dict("sequence_features", &lists))
        }
    }
}

fn dict(name: &str, entries: &[String]) -> String {
    let lines: Vec<String> = entries.iter().map(|entry| format!("    {entry},")).collect();
    format!("{name} = {{\n{}\n}}", lines.join("\n"))
}

fn features(schema: &Schema) -> Vec<String> {
    schema.to_specs().iter().map(feature).collect()
}

fn feature(spec: &FeatureSpec) -> String {
    let (name, dtype) = (json!(spec.name), spec.dtype);
    match &spec.length {
        Length::Fixed { shape, .. } => format!("{name}: fl.io.FixedLenFeature({shape:?}, fl.{dtype})"),
        Length::Variable => format!("{name}: fl.io.VarLenFeature(fl.{dtype})"),
        Length::Sequence { shape, .. } => {
            format!("{name}: fl.io.FixedLenSequenceFeature({shape:?}, fl.{dtype})")
        }
    }
}

fn list(summary: &FeatureSummary) -> Option<String> {
    let dtype = summary.dtype?;
    let spec = match (summary.min_len, summary.max_len) {
        (1, 1) => FeatureSpec::sequence(&summary.name, dtype, &[]),
        (least, greatest) if least == greatest && least > 0 => {
            FeatureSpec::sequence(&summary.name, dtype, &[least])
        }
        _ => FeatureSpec::var_len(&summary.name, dtype),
    };
    Some(feature(&spec))
}
