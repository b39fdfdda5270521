//! Batches of `tf.train.SequenceExample` records: what `tf.io.parse_sequence_example` answers, recorded for the parser's own tests; here
//! they go through a plan.

use feedline_data::block::{Strings, Tensor};
use feedline_data::{Composite, DType, ElementSpec, Structure};
use feedline_formats::example::{FeatureValues, SequenceWriter};
use feedline_plan::expr::{Feature, Features};
use feedline_plan::ops;
use serde_json::{Map, Value as Json, json};

use super::parse::{array, sparse_as_json, unhex, values_of};
use super::{Leaves, column_of, try_run};

/// Two batches in a block, of which the second is that of the case.
fn parsed(batch: &Tensor, context: Features, lists: Features) -> (ElementSpec, Leaves) {
    let column = column_of(&[batch, batch]);
    try_run(vec![column], |x| ops::parse_sequence_example(x.at(0), context, lists)).expect("fits")
}

#[test]
fn batches_of_sequences_are_as_tensorflow_has_them() {
    let text = include_str!("../../../../feedline-formats/tests/golden/sequence_cases.json");
    let cases: Vec<Json> = serde_json::from_str(text).expect("the file is as its README says");
    let (mut num_equal, mut num_refused) = (0, 0);
    for case in &cases {
        let name = &case["name"];
        let specs = [features_of(&case["context_spec"]), features_of(&case["feature_lists_spec"])];
        let [Some(context), Some(lists)] = specs else { continue };
        let records: Strings = array(&case["records"]).iter().map(unhex).collect();
        let batch = Tensor::from_strings(vec![records.len()], records);
        let (spec, leaves) = parsed(&batch, context, lists);
        let found: Result<Vec<Tensor>, String> = leaves.iter().map(|leaf| leaf[1].clone()).collect();
        match (found, case.get("result")) {
            (Ok(tensors), Some(expected)) => {
                let mut tensors = tensors.into_iter();
                let tensors = spec.map(|_| tensors.next().expect("a tensor for each leaf"));
                let Structure::Tuple(parts) = tensors else { panic!("three parts") };
                let parts: Vec<Json> = parts.iter().map(as_json).collect();
                assert_eq!(parts[0], without_shapes(&expected["context"]), "{name}");
                assert_eq!(parts[1], without_shapes(&expected["feature_lists"]), "{name}");
                assert_eq!(parts[2], expected["lengths"], "{name}");
                num_equal += 1;
            }
            (Err(_), None) => num_refused += 1,
            // Where bytes are no protocol buffer the parser refuses more than TensorFlow; its own tests name the cases.
            (Err(_), Some(_)) if case["protobuf"] == "error" => {}
            // Ours by choice: a batch of no records is no error.
            (Ok(_), None) if *name == "batch_of_nothing" => {}
            (found, expected) => panic!("{name}: {found:?}, TensorFlow {expected:?}"),
        }
    }
    assert!(num_equal > 150 && num_refused > 50, "{num_equal} compared, {num_refused} refused");
}

/// The features a case asks for; `None` if there are none such here.
fn features_of(spec: &Json) -> Option<Features> {
    let feature = |feature: &Json| {
        let dtype = DType::from_name(feature["dtype"].as_str()?)?;
        let shape: Option<Vec<usize>> =
            array(&feature["shape"]).iter().map(|dim| dim.as_u64().map(|dim| dim as usize)).collect();
        let read = match feature["kind"].as_str()? {
            "fixed_len" if feature["default"].is_null() => Feature::fixed_len(&shape?, dtype),
            "fixed_len_sequence" => {
                let read = Feature::fixed_len_sequence(&shape?, dtype);
                match dtype {
                    _ if feature["allow_missing"] == false => read,
                    DType::Int64 => read.with_default(vec![0_i64]),
                    DType::Float32 => read.with_default(vec![0_f32]),
                    _ => read.with_default(vec![Vec::new()]),
                }
            }
            "ragged" => Feature::ragged(dtype),
            "var_len" => Feature::var_len(dtype),
            _ => return None,
        };
        feature["key_hex"].is_null().then_some((feature["key"].as_str()?.to_owned(), read))
    };
    array(spec).iter().map(feature).collect()
}

/// A part of the result as the golden file has it.
fn as_json(part: &Structure<Tensor>) -> Json {
    match part {
        Structure::Dict(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.clone(), as_json(value)));
            Json::Object(entries.collect::<Map<_, _>>())
        }
        Structure::Leaf(tensor) => json!({ "shape": tensor.shape(), "values": values_of(tensor) }),
        Structure::Composite(Composite::Sparse, parts) => sparse_as_json(parts),
        Structure::Composite(Composite::Ragged, parts) => match &parts[..] {
            [values, splits] => json!({ "row_splits": values_of(splits), "values": values_of(values) }),
            [values, nested @ ..] => {
                let nested: Vec<Json> = nested.iter().map(values_of).collect();
                json!({ "nested_row_splits": nested, "values": values_of(values) })
            }
            [] => panic!("no parts"),
        },
        other => panic!("{other:?} is no part of the result"),
    }
}

/// Ragged features have a shape beside their splits, which says the same.
fn without_shapes(features: &Json) -> Json {
    let mut features = features.clone();
    for feature in features.as_object_mut().expect("by key").values_mut() {
        let feature = feature.as_object_mut().expect("a tensor");
        if feature.contains_key("row_splits") || feature.contains_key("nested_row_splits") {
            feature.remove("shape");
        }
    }
    features
}

#[test]
fn a_bad_record_fails_its_batch_alone() {
    let record = |ids: &[i64]| {
        let steps: Vec<FeatureValues<'_>> =
            ids.iter().map(|id| FeatureValues::Int64(std::slice::from_ref(id))).collect();
        SequenceWriter::new().list("ids", &steps).to_bytes()
    };
    let batch = |records: [Vec<u8>; 2]| Tensor::from_strings(vec![2], records.iter().collect());
    let good = batch([record(&[1]), record(&[2, 3])]);
    let bad = batch([record(&[4]), b"\xff".to_vec()]);
    let lists = Features::from([("ids", Feature::fixed_len_sequence(&[], DType::Int64))]);
    let column = column_of(&[&good, &bad, &good]);
    let parse = |x: feedline_plan::Symbolic| ops::parse_sequence_example(x.at(0), Features::default(), lists);
    let (_, leaves) = try_run(vec![column], parse).expect("fits");
    let ids = Tensor::from_vec(vec![2, 2], vec![1_i64, 0, 2, 3]);
    for row in [0, 2] {
        assert_eq!(leaves[0][row], Ok(ids.clone()));
        assert_eq!(leaves[1][row], Ok(Tensor::from_vec(vec![2], vec![1_i64, 2])));
    }
    let message = leaves[0][1].as_ref().expect_err("a bad record");
    assert!(message.starts_with("parse_sequence_example: record 1 of the batch: "), "{message}");
}

#[test]
fn what_is_no_batch_of_records_is_refused() {
    let id = || Features::from([("id", Feature::fixed_len(&[], DType::Int64))]);
    let sequence = || Features::from([("l", Feature::fixed_len_sequence(&[], DType::Int64))]);
    let one = Tensor::from_strings(vec![], [""].iter().collect());
    let many = Tensor::from_strings(vec![1], [""].iter().collect());
    let cases = [
        (&one, id(), sequence(), "parse_single_sequence_example takes one record"),
        (&many, Features::default(), Features::default(), "none is asked for"),
        (&many, id(), id(), "'id' is of fixed length"),
    ];
    for (batch, context, lists, expected) in cases {
        let refused =
            try_run(vec![column_of(&[batch])], |x| ops::parse_sequence_example(x.at(0), context, lists));
        let message = refused.expect_err("refused").to_string();
        assert!(message.contains(expected), "{message}");
    }
}
