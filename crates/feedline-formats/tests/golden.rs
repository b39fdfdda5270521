//! Our results against the ones recorded from TensorFlow; `golden/README.md` says how they were made.
//!
//! The rule: where TensorFlow gives values, so do we, the same ones; where it gives an error, so do we. Only bytes that
//! are no valid protocol buffer may be an error here though TensorFlow reads something from them.
#![allow(clippy::unwrap_used, reason = "test code")]

mod support;

use feedline_data::{Column, DType, Values};
use feedline_formats::example::{
    self, Default, ExampleParser, ExampleWriter, FeatureSpec, Length, SequenceParser, SequenceWriter,
};
use feedline_formats::tfrecord::{FrameReader, write_frame};
use feedline_formats::{Compression, Result};
use serde_json::Value;
use support::{OwnedFeature, hex, load, load_bytes};

fn dtype_of(spec: &Value) -> DType {
    DType::from_name(spec["dtype"].as_str().unwrap()).unwrap()
}

fn shape_of(spec: &Value) -> Vec<usize> {
    spec["shape"].as_array().unwrap().iter().map(|dim| dim.as_u64().unwrap() as usize).collect()
}

fn default_of(spec: &Value) -> Option<Default> {
    let values = spec["default"].as_array()?;
    Some(match dtype_of(spec) {
        DType::Int64 => Default::Int64(values.iter().map(|v| v.as_i64().unwrap()).collect()),
        DType::Float32 => Default::Float32(values.iter().map(float_of).collect()),
        _ => Default::Bytes(values.iter().map(|v| hex(v.as_str().unwrap())).collect()),
    })
}

fn float_of(bits: &Value) -> f32 {
    f32::from_bits(bits.as_u64().unwrap() as u32)
}

fn spec_of(spec: &Value) -> FeatureSpec {
    let (name, dtype) = (spec["key"].as_str().unwrap(), dtype_of(spec));
    match spec["kind"].as_str().unwrap() {
        "fixed_len" => {
            let length = Length::Fixed { shape: shape_of(spec), default: default_of(spec) };
            FeatureSpec { name: name.into(), dtype, length }
        }
        "var_len" | "ragged" => FeatureSpec::var_len(name, dtype),
        "fixed_len_sequence" => {
            let allow_missing = spec.get("allow_missing").is_none_or(|allow| allow == true);
            let length = Length::Sequence { shape: shape_of(spec), allow_missing };
            FeatureSpec { name: name.into(), dtype, length }
        }
        kind => panic!("unknown kind {kind}"),
    }
}

/// Whether a `FeatureSpec` has no words for this: a name that is no UTF-8, a fixed shape that is not fixed.
fn cannot_be_said(spec: &Value) -> bool {
    spec.get("key_hex").is_some() || spec["shape"].as_array().unwrap().iter().any(Value::is_null)
}

/// The values of a column in the notation of the golden files.
fn values_json(values: &Values, records: &[&[u8]]) -> Value {
    match values {
        Values::Int64(values) => values.iter().copied().collect(),
        Values::Float32(values) => values.iter().map(|value| value.to_bits()).collect(),
        Values::Bytes(values) => {
            (0..values.len()).map(|index| support::to_hex(values.get(index, records))).collect()
        }
    }
}

/// The padding of a dense sequence: the spec's default, or zero.
fn padding_of(spec: &Value) -> Values {
    match default_of(spec) {
        Some(Default::Int64(values)) => Values::Int64(values),
        Some(Default::Float32(values)) => Values::Float32(values),
        other => {
            let mut padding = Values::empty(dtype_of(spec));
            match &mut padding {
                Values::Int64(values) => values.push(0),
                Values::Float32(values) => values.push(0.0),
                Values::Bytes(values) => match other {
                    Some(Default::Bytes(bytes)) => values.push_owned(&bytes[0]),
                    _ => values.push_owned(b""),
                },
            }
            padding
        }
    }
}

fn column_json(column: &Column, spec: &Value, records: &[&[u8]]) -> Value {
    match spec["kind"].as_str().unwrap() {
        kind @ ("fixed_len" | "fixed_len_sequence") => {
            let column =
                if kind == "fixed_len" { column.clone() } else { column.to_padded(&padding_of(spec)) };
            let mut shape = vec![records.len()];
            shape.extend(&column.inner_shape);
            serde_json::json!({ "shape": shape, "values": values_json(&column.values, records) })
        }
        "var_len" => {
            let sparse = column.sparse_indices();
            let rank = sparse.dense_shape.len();
            let indices: Vec<&[i64]> = sparse.indices.chunks(rank).collect();
            serde_json::json!({
                "indices": indices, "dense_shape": sparse.dense_shape, "values": values_json(&column.values, records),
            })
        }
        _ => {
            let values = values_json(&column.values, records);
            match column.splits.as_slice() {
                [splits] => serde_json::json!({ "row_splits": splits, "values": values }),
                nested => serde_json::json!({ "nested_row_splits": nested, "values": values }),
            }
        }
    }
}

/// All columns by the keys of their specs.
fn columns_json(columns: &[Column], specs: &[Value], records: &[&[u8]]) -> Value {
    assert_eq!(columns.len(), specs.len());
    let by_key = columns.iter().zip(specs).map(|(column, spec)| {
        let key = spec["key"].as_str().unwrap().to_owned();
        (key, column_json(column, spec, records))
    });
    by_key.collect()
}

/// How many steps each record has of the feature lists that TensorFlow makes dense.
fn lengths_json(columns: &[Column], specs: &[Value]) -> Value {
    let dense = columns.iter().zip(specs).filter(|(_, spec)| spec["kind"] == "fixed_len_sequence");
    dense
        .map(|(column, spec)| {
            let lengths: Vec<u64> = column.splits[0].windows(2).map(|pair| pair[1] - pair[0]).collect();
            let key = spec["key"].as_str().unwrap().to_owned();
            (key, serde_json::json!({ "shape": [lengths.len()], "values": lengths }))
        })
        .collect()
}

/// Holds what `parse` makes of each case of a golden file against what TensorFlow made of it; `spec_fields` are the
/// fields of a case that hold specs, handed to `parse` in that order.
fn compare_with_tensorflow<const N: usize>(
    file: &str,
    spec_fields: [&str; N],
    min_cases: usize,
    parse: impl Fn(&[&[u8]], [&[Value]; N]) -> Result<Value>,
) {
    let cases = load(file);
    let mut wrong = Vec::new();
    let mut num_stricter = 0;
    for case in cases.as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        if OURS_BY_CHOICE.contains(&(file, name)) {
            continue;
        }
        let records: Vec<Vec<u8>> =
            case["records"].as_array().unwrap().iter().map(|record| hex(record.as_str().unwrap())).collect();
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let specs = spec_fields.map(|field| case[field].as_array().unwrap().as_slice());
        if specs.iter().copied().flatten().any(cannot_be_said) {
            continue;
        }
        match (parse(&records, specs), case.get("result")) {
            (Ok(found), Some(expected)) if found != *expected => {
                wrong.push(format!("{name}: {found}, TensorFlow {expected}"));
            }
            (Ok(_), Some(_)) | (Err(_), None) => {}
            (Err(_), Some(_)) if case["protobuf"] == "error" => num_stricter += 1,
            (Err(error), Some(result)) => wrong.push(format!("{name}: {error}, TensorFlow {result}")),
            (Ok(found), None) => wrong.push(format!("{name}: {found}, TensorFlow {}", case["error"])),
        }
    }
    let num_cases = cases.as_array().unwrap().len();
    assert!(wrong.is_empty(), "{} of {num_cases} cases differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        num_cases > min_cases && num_stricter < num_cases / 10,
        "{num_cases} cases, {num_stricter} stricter"
    );
}

/// Cases in which we do otherwise on purpose, each with the reason.
const OURS_BY_CHOICE: [(&str, &str); 1] = [
    // Of no SequenceExamples TensorFlow makes an error as soon as a context feature has a fixed length ("Inconsistent
    // max number of elements"), though of no Examples it makes empty tensors. We give empty columns for both.
    ("sequence_cases.json", "batch_of_nothing"),
];

#[test]
fn parse_example_gives_what_tensorflow_gives() {
    compare_with_tensorflow("parse_cases.json", ["spec"], 1000, |records, [specs]| {
        let mut columns = Vec::new();
        let mut parser = ExampleParser::new(specs.iter().map(spec_of).collect())?;
        parser.parse(records, &mut columns)?;
        Ok(columns_json(&columns, specs, records))
    });
}

#[test]
fn parse_sequence_example_gives_what_tensorflow_gives() {
    let fields = ["context_spec", "feature_lists_spec"];
    compare_with_tensorflow("sequence_cases.json", fields, 400, |records, [context_specs, list_specs]| {
        let (mut context, mut lists) = (Vec::new(), Vec::new());
        let specs = |specs: &[Value]| specs.iter().map(spec_of).collect();
        let mut parser = SequenceParser::new(specs(context_specs), specs(list_specs)).unwrap();
        parser.parse(records, &mut context, &mut lists)?;
        Ok(serde_json::json!({
            "context": columns_json(&context, context_specs, records),
            "feature_lists": columns_json(&lists, list_specs, records),
            "lengths": lengths_json(&lists, list_specs),
        }))
    });
}

#[test]
fn written_examples_are_tensorflows_deterministic_bytes() {
    for case in load("examples.json").as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let expected = case["deterministic_hex"].as_str().unwrap();
        let written = if case["kind"] == "example" {
            let features = OwnedFeature::map(&case["features"]);
            let lists = OwnedFeature::byte_lists(&features);
            let mut writer = ExampleWriter::new();
            // Backwards, so that the order of bytes is the writer's doing.
            for ((key, feature), list) in features.iter().zip(&lists).rev() {
                writer.push(key, feature.values(list));
            }
            writer.to_bytes()
        } else {
            let context = OwnedFeature::map(&case["context"]);
            let context_lists = OwnedFeature::byte_lists(&context);
            let steps: Vec<(String, Vec<(String, OwnedFeature)>)> = case["feature_lists"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(key, steps)| (key.clone(), OwnedFeature::list(steps)))
                .collect();
            let step_lists: Vec<Vec<Vec<&[u8]>>> =
                steps.iter().map(|(_, steps)| OwnedFeature::byte_lists(steps)).collect();
            let step_values: Vec<Vec<example::FeatureValues<'_>>> = steps
                .iter()
                .zip(&step_lists)
                .map(|((_, steps), lists)| {
                    steps.iter().zip(lists).map(|((_, step), list)| step.values(list)).collect()
                })
                .collect();
            let mut writer = SequenceWriter::new();
            for ((key, feature), list) in context.iter().zip(&context_lists).rev() {
                writer = writer.context(key, feature.values(list));
            }
            for ((key, _), values) in steps.iter().zip(&step_values).rev() {
                writer = writer.list(key, values);
            }
            writer.to_bytes()
        };
        let (written, expected) = (support::to_hex(&written), expected.to_owned());
        if has_prefix_keys(case) {
            // Python's protobuf puts a name before its prefixes (`ab`, `a`), C++'s and we after them.
            let sorted = |text: &str| -> Vec<char> {
                let mut chars: Vec<char> = text.chars().collect();
                chars.sort_unstable();
                chars
            };
            assert_eq!(sorted(&written), sorted(&expected), "{name}");
        } else {
            assert_eq!(written, expected, "{name}");
        }
    }
}

fn has_prefix_keys(case: &Value) -> bool {
    ["features", "context", "feature_lists"].iter().filter_map(|part| case[part].as_object()).any(|map| {
        map.keys().any(|key| map.keys().any(|other| other != key && other.starts_with(key.as_str())))
    })
}

#[test]
fn reads_and_writes_tensorflows_files() {
    let payloads = load("records.json");
    let payloads = payloads.as_array().or_else(|| payloads["records"].as_array()).unwrap();
    let payloads: Vec<Vec<u8>> = payloads.iter().map(|payload| hex(payload.as_str().unwrap())).collect();
    let plain = load_bytes("records_none.tfrecord");
    for (name, compression) in [
        ("records_none.tfrecord", None),
        ("records_gzip.tfrecord", Some(Compression::Gzip)),
        ("records_zlib.tfrecord", Some(Compression::Zlib)),
    ] {
        let bytes = load_bytes(name);
        assert_eq!(Compression::sniff(&bytes), compression, "{name}");
        let bytes = match compression {
            Some(compression) => support::inflate(compression, &bytes),
            None => bytes,
        };
        let mut records = Vec::new();
        let taken = FrameReader::default().read(&bytes, &mut records).unwrap();
        assert_eq!((taken, records), (bytes.len(), payloads.iter().map(Vec::as_slice).collect()), "{name}");
    }
    let mut written = Vec::new();
    for payload in &payloads {
        write_frame(&mut written, payload).unwrap();
    }
    assert_eq!(written, plain);
}
