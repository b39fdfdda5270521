//! The feature spec that parses records like these: as one types it in Python, and as data.

use feedline::formats::example::{FeatureSpec, FeatureSummary, Length, RecordKind, Schema};
use serde_json::{Map, Value, json};

/// What makes the names below mean something. Both packages have all of them.
const IMPORT: &str = "import feedline as fl  # or, with the same names: import tensorflow as fl";

pub(super) fn python(schema: &Schema) -> String {
    let entries = |specs: &[FeatureSpec]| specs.iter().map(feature).collect::<Vec<_>>();
    let (features, lists) = (entries(&schema.to_specs()), entries(&lists(schema)));
    let imported = |spec: &str| format!("{IMPORT}\n\n{spec}");
    match schema.kind {
        RecordKind::Bytes if schema.num_records == 0 => {
            "# There are no records: there is nothing to tell features by.".to_owned()
        }
        RecordKind::Bytes => "# The records are no Examples: there is nothing to parse them by.".to_owned(),
        RecordKind::Example => imported(&dict("features", &features)),
        RecordKind::SequenceExample => imported(&format!(
            "{}\n{}",
            dict("context_features", &features),
            dict("sequence_features", &lists)
        )),
    }
}

pub(super) fn json(schema: &Schema) -> Value {
    let object = |specs: &[FeatureSpec]| -> Map<String, Value> {
        specs.iter().map(|spec| (spec.name.clone(), feature_json(spec))).collect()
    };
    let (features, lists) = (object(&schema.to_specs()), object(&lists(schema)));
    json!({ "kind": schema.kind.name(), "features": features, "lists": lists })
}

fn feature_json(spec: &FeatureSpec) -> Value {
    let (length, shape) = match &spec.length {
        Length::Fixed { shape, .. } => ("fixed", Some(shape)),
        Length::Variable => ("variable", None),
        Length::Sequence { shape, .. } => ("sequence", Some(shape)),
    };
    let mut object = json!({ "dtype": spec.dtype.name(), "length": length, "shape": shape });
    if let Length::Sequence { allow_missing, .. } = spec.length {
        object["allow_missing"] = json!(allow_missing);
    }
    object
}

fn dict(name: &str, entries: &[String]) -> String {
    let lines: Vec<String> = entries.iter().map(|entry| format!("    {entry},")).collect();
    format!("{name} = {{\n{}\n}}", lines.join("\n"))
}

fn feature(spec: &FeatureSpec) -> String {
    let (name, dtype) = (json!(spec.name), spec.dtype);
    match &spec.length {
        Length::Fixed { shape, .. } => format!("{name}: fl.io.FixedLenFeature({shape:?}, fl.{dtype})"),
        Length::Variable => format!("{name}: fl.io.VarLenFeature(fl.{dtype})"),
        Length::Sequence { shape, allow_missing } => {
            let more = if *allow_missing { ", allow_missing=True" } else { "" };
            format!("{name}: fl.io.FixedLenSequenceFeature({shape:?}, fl.{dtype}{more})")
        }
    }
}

/// The specs of the feature lists; one whose name is no UTF-8 cannot be asked for.
fn lists(schema: &Schema) -> Vec<FeatureSpec> {
    let known = schema.lists.iter().filter(|list| list.name_is_utf8);
    known.filter_map(|summary| list(summary, schema.num_records)).collect()
}

fn list(summary: &FeatureSummary, num_records: u64) -> Option<FeatureSpec> {
    let dtype = summary.dtype?;
    let shape = match (summary.min_len, summary.max_len) {
        (1, 1) => vec![],
        (least, greatest) if least == greatest && least > 0 => vec![least],
        _ => return Some(FeatureSpec::var_len(&summary.name, dtype)),
    };
    // TensorFlow refuses a record without the list unless told that there may be such.
    let length = Length::Sequence { shape, allow_missing: summary.present < num_records };
    Some(FeatureSpec { name: summary.name.clone(), dtype, length })
}
