//! Records into tensors, and bytes into numbers.

use feedline_data::block::{Column, Strings, Tensor};
use feedline_data::{DType, ElementSpec, Structure, TensorSpec};
use feedline_formats::example::ExampleWriter;
use feedline_plan::expr::{Feature, Features};
use feedline_plan::{Symbolic, ops};
use serde_json::{Value as Json, json};

use super::{Leaves, column_of, try_run};

fn record(label: i64, image: &str, tokens: &[i64]) -> Vec<u8> {
    ExampleWriter::new()
        .int64("label", &[label])
        .bytes("image", &[image.as_bytes()])
        .int64("tokens", tokens)
        .float("box", &[0.5, label as f32])
        .to_bytes()
}

fn records(records: &[Vec<u8>]) -> Column {
    Column::from_strings(vec![], records.len(), records.iter().collect())
}

/// The tensors of each feature by key, a row each. Records parsed together must give what they give alone.
fn parsed(column: Column, features: impl Into<Features>, batch: bool) -> Leaves {
    let features = features.into();
    let parse = |features: &Features, column: Column| {
        let parse = |x: Symbolic| {
            if batch {
                ops::parse_example(x.at(0), features.clone())
            } else {
                ops::parse_single_example(x.at(0), features.clone())
            }
        };
        try_run(vec![column], parse).expect("fits").1
    };
    let together = parse(&features.parsed_together(), column.clone());
    assert_eq!(parse(&features, column), together);
    together
}

#[allow(clippy::unnecessary_wraps, reason = "compared with what may be an error")]
fn ints(shape: &[usize], values: &[i64]) -> Result<Tensor, String> {
    Ok(Tensor::from_vec(shape.to_vec(), values.to_vec()))
}

#[allow(clippy::unnecessary_wraps, reason = "compared with what may be an error")]
fn strings(shape: &[usize], values: &[&str]) -> Result<Tensor, String> {
    Ok(Tensor::from_strings(shape.to_vec(), values.iter().collect()))
}

#[test]
fn one_record_a_row() {
    let features = Features::from([
        ("box", Feature::fixed_len(&[2], DType::Float32)),
        ("image", Feature::fixed_len(&[], DType::String)),
        ("name", Feature::fixed_len(&[], DType::String).with_default("nobody")),
        ("pairs", Feature::fixed_len_sequence(&[2], DType::Int64)),
        ("tags", Feature::ragged(DType::String)),
        ("tokens", Feature::ragged(DType::Int64)),
    ]);
    let named = ExampleWriter::new()
        .float("box", &[1.0, 2.0])
        .bytes("image", &[b""])
        .bytes("name", &[b"ann"])
        .int64("pairs", &[1, 2, 3, 4])
        .bytes("tags", &[b"x", b"y"])
        .to_bytes();
    let column = records(&[record(3, "abc", &[7, 8]), named]);
    let leaves = parsed(column.clone(), features, false);
    assert_eq!(leaves[0][0], Ok(Tensor::from_vec(vec![2], vec![0.5_f32, 3.0])));
    assert_eq!(leaves[1], [strings(&[], &["abc"]), strings(&[], &[""])]);
    assert_eq!(leaves[2], [strings(&[], &["nobody"]), strings(&[], &["ann"])]);
    assert_eq!(leaves[3], [ints(&[0, 2], &[]), ints(&[2, 2], &[1, 2, 3, 4])]);
    assert_eq!(leaves[4], [strings(&[0], &[]), strings(&[2], &["x", "y"])]);
    assert_eq!(leaves[5], [ints(&[2], &[7, 8]), ints(&[0], &[])]);

    // Bytes stay where the record is.
    let found = leaves[1][0].as_ref().expect("parsed").strings().expect("strings").get(0).as_ptr_range();
    let source = column.strings().expect("strings").get(0).as_ptr_range();
    assert!(source.contains(&found.start) && found.end <= source.end);
}

#[test]
fn features_of_any_length_are_sparse_where_asked() {
    let features = || {
        let (label, tokens) = (Feature::fixed_len(&[], DType::Int64), Feature::var_len(DType::Int64));
        Features::from([("label", label), ("tokens", tokens)])
    };
    let rows = [record(1, "a", &[5, 6]), b"bad".to_vec(), record(2, "b", &[]), record(3, "c", &[0])];
    let leaves = parsed(records(&rows), features(), false);
    let [labels, indices, values, sizes] = &leaves[..] else { panic!("a tensor and three parts") };
    assert_eq!((&labels[0], &labels[3]), (&ints(&[], &[1]), &ints(&[], &[3])));
    assert_eq!((&indices[0], &indices[2]), (&ints(&[2, 1], &[0, 1]), &ints(&[0, 1], &[])));
    assert_eq!(
        (&values[0], &values[2], &values[3]),
        (&ints(&[2], &[5, 6]), &ints(&[0], &[]), &ints(&[1], &[0]))
    );
    assert_eq!((&sizes[0], &sizes[2]), (&ints(&[1], &[2]), &ints(&[1], &[0])));
    assert!(leaves.iter().all(|leaf| leaf[1].is_err()));
    let spec = Symbolic::of_spec(&ElementSpec::Leaf(TensorSpec::scalar(DType::String)));
    let parsed = ops::parse_single_example(spec, features()).to_structure().expect("fits");
    assert_eq!(
        parsed.map(|expr| expr.spec().to_string()).to_string(),
        "{'label': int64[], 'tokens': sparse(int64[?, 1], int64[?], int64[1])}"
    );
}

#[test]
fn bad_records_are_errors_of_their_rows() {
    let features = || {
        Features::from([
            ("image", Feature::fixed_len(&[], DType::String)),
            ("label", Feature::fixed_len(&[], DType::Int64)),
            ("tokens", Feature::ragged(DType::Int64)),
        ])
    };
    let nameless = ExampleWriter::new().int64("lable", &[1]).bytes("image", &[b"x"]).to_bytes();
    let column = records(&[record(1, "a", &[5]), nameless, b"no record".to_vec(), record(2, "b", &[])]);
    let leaves = parsed(column, features(), false);
    assert_eq!((&leaves[1][0], &leaves[1][3]), (&ints(&[], &[1]), &ints(&[], &[2])));
    assert_eq!((&leaves[0][0], &leaves[0][3]), (&strings(&[], &["a"]), &strings(&[], &["b"])));
    assert_eq!((&leaves[2][0], &leaves[2][3]), (&ints(&[1], &[5]), &ints(&[0], &[])));
    let message = leaves[1][1].as_ref().expect_err("no label");
    let expected = "parse_single_example: feature `label` missing, and it has no default; \
                    the record has 2 features: `image`, `lable`\nhint: did you mean `lable`?";
    assert!(message.starts_with(expected), "{message}");
    assert!(leaves[1][2].as_ref().expect_err("no record").contains("not a valid Example"));
    let all_bad = parsed(records(&[b"bad".to_vec(), b"worse".to_vec()]), features(), false);
    assert!(all_bad.iter().flatten().all(Result::is_err));
}

#[test]
fn batches_of_records() {
    let features = || {
        Features::from([
            ("box", Feature::fixed_len(&[2], DType::Float32)),
            ("image", Feature::fixed_len_sequence(&[], DType::String).with_default("-")),
            ("label", Feature::fixed_len(&[], DType::Int64)),
            ("tokens", Feature::fixed_len_sequence(&[], DType::Int64).with_default(-1)),
        ])
    };
    let batch =
        |batch: &[Vec<u8>]| Tensor::from_strings(vec![batch.len()], batch.iter().collect::<Strings>());
    let first = batch(&[record(1, "a", &[5]), record(2, "b", &[6, 7, 8])]);
    let second = batch(&[record(3, "c", &[]), record(4, "d", &[9])]);
    let bare = ExampleWriter::new().int64("label", &[5]).float("box", &[0.0, 0.0]).to_bytes();
    let third = batch(&[record(5, "e", &[1]), bare.clone(), bare]);
    let bad = batch(&[record(6, "f", &[]), b"bad".to_vec()]);
    let none = Tensor::from_strings(vec![0], Strings::default());
    for rows in [vec![&first, &second], vec![&first, &second, &third, &bad, &none]] {
        let leaves = parsed(column_of(&rows), features(), true);
        assert_eq!(leaves[0][1], Ok(Tensor::from_vec(vec![2, 2], vec![0.5_f32, 3.0, 0.5, 4.0])));
        assert_eq!(leaves[1][0], strings(&[2, 1], &["a", "b"]));
        assert_eq!(leaves[2][..2], [ints(&[2], &[1, 2]), ints(&[2], &[3, 4])]);
        assert_eq!(leaves[3][..2], [ints(&[2, 3], &[5, -1, -1, 6, 7, 8]), ints(&[2, 1], &[-1, 9])]);
        if rows.len() > 2 {
            assert_eq!(leaves[1][2], strings(&[3, 1], &["e", "-", "-"]));
            assert_eq!(leaves[3][2], ints(&[3, 1], &[1, -1, -1]));
            let message = leaves[2][3].as_ref().expect_err("a bad record");
            assert!(message.starts_with("parse_example: record 1 of the batch: "), "{message}");
            assert_eq!((&leaves[2][4], &leaves[3][4]), (&ints(&[0], &[]), &ints(&[0, 0], &[])));
            assert_eq!(leaves[0][4], Ok(Tensor::from_vec(vec![0, 2], Vec::<f32>::new())));
        }
    }
}

#[test]
fn mistakes_are_found_when_the_plan_is_built() {
    let x = |spec| Symbolic::of_spec(&ElementSpec::Leaf(spec));
    let one = || x(TensorSpec::scalar(DType::String));
    let features = |feature: Feature| Features::from([("a", feature)]);
    let int = || Feature::fixed_len(&[2], DType::Int64);
    let cases: [(Symbolic, &str); 7] = [
        (
            ops::parse_single_example(one(), features(int().with_default(1))),
            "its default has 1 values, it needs 2",
        ),
        (
            ops::parse_single_example(one(), features(int().with_default(vec![1.0, 2.0]))),
            "its default is float32",
        ),
        (
            ops::parse_single_example(one(), features(Feature::var_len(DType::Int32))),
            "not int32; cast afterwards",
        ),
        (ops::parse_single_example(one(), Features::default()), "none is asked for"),
        (ops::parse_single_example(x(TensorSpec::scalar(DType::Int64)), features(int())), "takes records"),
        (ops::parse_example(one(), features(int())), "parse_single_example takes one record"),
        (ops::decode_raw(one(), DType::String, true), "not string"),
    ];
    for (value, expected) in cases {
        let message = value.to_structure().expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    }
    let parsed = ops::parse_single_example(one(), features(int()));
    let structure = parsed.to_structure().expect("fits").map(|expr| expr.spec().to_string());
    assert_eq!(structure, Structure::dict([("a", Structure::Leaf("int64[2]".to_owned()))]));
}

/// What `tf.io.parse_example` answers for batches, recorded for the parser's own tests; here they go through a plan.
#[test]
fn batches_are_as_tensorflow_has_them() {
    let text = include_str!("../../../../feedline-formats/tests/golden/parse_cases.json");
    let cases: Vec<Json> = serde_json::from_str(text).expect("the file is as its README says");
    let mut num_compared = [0; 2];
    for case in &cases {
        let (Some(result), Some(features)) = (case["result"].as_object(), features_of(&case["spec"])) else {
            continue;
        };
        let records: Strings = array(&case["records"]).iter().map(unhex).collect();
        let batch = Tensor::from_strings(vec![records.len()], records);
        let parts: Vec<(String, usize)> = features
            .iter()
            .map(|(key, feature)| (key.to_owned(), if feature.has_any_length() { 3 } else { 1 }))
            .collect();
        let leaves = parsed(column_of(&[&batch, &batch]), features, true);
        let mut leaves = leaves.into_iter();
        for (key, num_parts) in parts {
            let rows: Vec<[Result<Tensor, String>; 2]> =
                leaves.by_ref().take(num_parts).map(|leaf| [leaf[0].clone(), leaf[1].clone()]).collect();
            let found: Result<Vec<Tensor>, String> = rows.iter().map(|[_, second]| second.clone()).collect();
            // Where bytes are no protocol buffer the parser refuses more than TensorFlow; its own tests name the cases.
            let Ok(found) = found else { continue };
            let found = match &found[..] {
                [tensor] => json!({ "shape": tensor.shape(), "values": values_of(tensor) }),
                parts => sparse_as_json(parts),
            };
            assert_eq!(found, result[&key], "{} {key}", case["name"]);
            assert!(rows.iter().all(|[first, second]| first == second));
            num_compared[usize::from(num_parts > 1)] += 1;
        }
    }
    assert!(num_compared.iter().all(|&count| count > 100), "only {num_compared:?} tensors were compared");
}

/// The parts of a sparse tensor as the golden files have them.
pub(super) fn sparse_as_json(parts: &[Tensor]) -> Json {
    let [indices, values, dense_shape] = parts else { panic!("a sparse tensor has three parts") };
    let rank = indices.shape()[1];
    let indices: Vec<&[i64]> = indices.as_slice::<i64>().chunks(rank).collect();
    json!({ "indices": indices, "values": values_of(values), "dense_shape": values_of(dense_shape) })
}

pub(super) fn values_of(tensor: &Tensor) -> Json {
    match tensor.dtype() {
        DType::Int64 => Json::from(tensor.as_slice::<i64>().to_vec()),
        DType::Float32 => tensor.as_slice::<f32>().iter().map(|value| value.to_bits()).collect(),
        _ => tensor.strings().expect("strings").iter().map(hex).collect(),
    }
}

/// The features a case asks for; `None` if there are none such here.
fn features_of(spec: &Json) -> Option<Features> {
    let feature = |feature: &Json| {
        let dtype = DType::from_name(feature["dtype"].as_str()?)?;
        let shape: Vec<usize> = array(&feature["shape"])
            .iter()
            .map(|dim| dim.as_u64().map(|dim| dim as usize))
            .collect::<Option<_>>()?;
        let read = match feature["kind"].as_str()? {
            "fixed_len" => Feature::fixed_len(&shape, dtype),
            "fixed_len_sequence" => Feature::fixed_len_sequence(&shape, dtype),
            "var_len" => Feature::var_len(dtype),
            _ => return None,
        };
        let read = match (feature["default"].as_array(), dtype) {
            (None, _) => read,
            (Some(values), DType::Int64) => {
                read.with_default(values.iter().filter_map(Json::as_i64).collect::<Vec<_>>())
            }
            (Some(values), DType::Float32) => {
                let bits = values.iter().filter_map(Json::as_u64);
                read.with_default(bits.map(|bits| f32::from_bits(bits as u32)).collect::<Vec<_>>())
            }
            (Some(values), _) => read.with_default(values.iter().map(unhex).collect::<Vec<_>>()),
        };
        if !feature["key_hex"].is_null() {
            return None;
        }
        Some((feature["key"].as_str()?.to_owned(), read))
    };
    let features: Option<Features> = array(spec).iter().map(feature).collect();
    features.filter(|features| !features.is_empty())
}

pub(super) fn array(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn unhex(json: &Json) -> Vec<u8> {
    let text = json.as_str().expect("hex");
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("a hex digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
