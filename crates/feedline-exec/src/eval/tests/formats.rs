//! Operations that read and write formats, where TensorFlow has no answer to compare with.

use feedline_data::DType;
use feedline_data::block::{Column, Strings, Tensor};
use feedline_plan::expr::Feature;
use feedline_plan::{Symbolic, ops};

use super::{run, try_run};

fn texts(strings: &[&str]) -> Column {
    Column::from_strings(vec![], strings.len(), strings.iter().collect())
}

#[test]
fn objects_of_json_become_columns() {
    let rows = texts(&[
        r#"{"id": 7, "box": {"size": [1.5, 2]}, "tags": ["a", "b"], "ok": true}"#,
        r#"{"id": 8, "tags": [[]], "box": {"size": [0, 1e3]}, "more": {"x": [[1]]}}"#,
        r#"{"id": null, "box": {"size": [1, 2]}}"#,
        r#"{"id": 1.5, "box": {"size": [1, 2]}}"#,
        r#"{"id": 1, "box": {"size": [1]}}"#,
        r"[1]",
        r#"{"id": 9, "ok": false, "box": {"size": [1, 2]}, "id": 10}"#,
    ]);
    let features = [
        ("id", Feature::fixed_len(&[], DType::Int64)),
        ("box.size", Feature::fixed_len(&[2], DType::Float32)),
        ("tags", Feature::ragged(DType::String)),
        ("ok", Feature::fixed_len(&[], DType::Int64).with_default(-1_i64)),
    ];
    let (spec, leaves) = try_run(vec![rows], |x| ops::decode_json(x.at(0), features)).expect("fits");
    assert_eq!(spec.to_string(), "{'box.size': float32[2], 'id': int64[], 'ok': int64[], 'tags': string[?]}");
    assert_eq!(leaves[0][0].as_ref().map(|tensor| tensor.as_slice::<f32>().to_vec()), Ok(vec![1.5, 2.0]));
    let integers =
        |leaf: usize, row: usize| leaves[leaf][row].as_ref().map(|tensor| tensor.as_slice::<i64>()[0]);
    assert_eq!((integers(1, 0), integers(2, 0)), (Ok(7), Ok(1)));
    let tags = Tensor::from_strings(vec![2], ["a", "b"].iter().collect::<Strings>());
    assert_eq!(leaves[3][0], Ok(tags));
    assert_eq!(integers(1, 6), Ok(10), "of two the last counts");
    assert_eq!(leaves[3][6].as_ref().map(Tensor::num_values), Ok(0));
    let errors: Vec<String> = (1..6).map(|row| leaves[0][row].clone().expect_err("wrong")).collect();
    assert_eq!(errors[0], "decode_json: 'tags' has lists in its list ([1, 0] values), and is to be one list");
    assert_eq!(errors[1], "decode_json: 'id' is not there, and has no default");
    assert_eq!(errors[2], "decode_json: 'id' has a number with a fraction, it is to be int64");
    assert_eq!(errors[3], "decode_json: 'box.size' has 1 values, its shape is [2]");
}

#[test]
fn what_is_not_asked_for_is_read_over_and_paths_go_into_lists() {
    let features = [
        ("a", Feature::fixed_len(&[2, 2], DType::Int64)),
        ("b.1.c", Feature::fixed_len(&[], DType::Float32).with_default(-1_f32)),
    ];
    let text = r#"{"x": [{"c": [[1], "y", null]}], "b": [7, {"c": 2.5}], "a": [[1, 2], [-0, true]], "z": {"x": [{}]}}"#;
    let (_, leaves) =
        try_run(vec![texts(&[text])], |x| ops::decode_json(x.at(0), features.clone())).expect("fits");
    assert_eq!(leaves[0][0], Ok(Tensor::from_vec(vec![2, 2], vec![1_i64, 2, 0, 1])));
    assert_eq!(leaves[1][0], Ok(Tensor::from_vec(vec![], vec![2.5_f32])));

    // A batch of texts, as parse_example has them: one that is wrong is the error of its batch.
    let rows = Column::from_strings(
        vec![2],
        2,
        [r#"{"a": [1, 2, 3, 4]}"#, r#"{"a": [[5, 6], [7, 8]], "b": [0, {"c": 1}]}"#, "{}", "{"]
            .iter()
            .collect(),
    );
    let (spec, leaves) = try_run(vec![rows], |x| ops::decode_json(x.at(0), features)).expect("fits");
    assert_eq!(spec.to_string(), "{'a': int64[2, 2, 2], 'b.1.c': float32[2]}");
    assert_eq!(leaves[0][0], Ok(Tensor::from_vec(vec![2, 2, 2], (1..9_i64).collect())));
    assert_eq!(leaves[1][0], Ok(Tensor::from_vec(vec![2], vec![-1_f32, 1.0])));
    let error = leaves[0][1].clone().expect_err("wrong");
    assert_eq!(error, "decode_json: text 0: 'a' is not there, and has no default");

    let rows = || Column::from_strings(vec![2], 1, [r#"{"t": ["x", "y"]}"#, r#"{"u": 1}"#].iter().collect());
    let tags = |feature: Feature| {
        let (spec, _) = try_run(vec![rows()], |x| ops::decode_json(x.at(0), [("t", feature)])).expect("fits");
        spec.to_string()
    };
    assert_eq!(tags(Feature::ragged(DType::String)), "{'t': ragged(string[?], int64[3])}");
    assert_eq!(tags(Feature::var_len(DType::String)), "{'t': sparse(int64[?, 2], string[?], int64[2])}");
}

#[test]
fn files_are_written_whole_and_their_names_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (one, two, bad) = (path("a/b.txt"), path("c.txt"), folder.path().to_str().expect("UTF-8").to_owned());
    let results =
        run(vec![texts(&[&one, &two, &bad])], |x| ops::write_file(x.at(0), ops::strings::upper(x.at(0), "")));
    assert_eq!(std::fs::read_to_string(&one).expect("written"), one.to_ascii_uppercase());
    assert_eq!(std::fs::read_to_string(&two).expect("written"), two.to_ascii_uppercase());
    assert_eq!(
        results[0].as_ref().map(|name| name.strings().map(|s| s.get(0).to_vec())),
        Ok(Some(one.into_bytes()))
    );
    assert!(results[2].as_ref().is_err_and(|error| error.contains("folder")), "{:?}", results[2]);
}

#[test]
fn damaged_streams_fail_their_rows_alone() {
    let mut gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03".to_vec();
    feedline_formats::deflate_piece(b"hello", 6, &mut gzip);
    let rows = Column::from_strings(vec![], 2, [&gzip[..], b""].iter().collect());
    let results = run(vec![rows], |x| ops::decode_compressed(x.at(0), "GZIP"));
    assert!(results[0].as_ref().is_err_and(|error| error.contains("ends in the middle")), "{:?}", results[0]);
    assert!(results[1].is_ok());
}

#[test]
fn bad_arguments_are_refused_when_the_plan_is_built() {
    let line = || texts(&["a"]);
    let refused = |function: fn(Symbolic) -> Symbolic, reason: &str| {
        let error = try_run(vec![line()], |x| function(x.at(0))).expect_err(reason).to_string();
        assert!(error.contains(reason), "{error} has no {reason}");
    };
    refused(|x| ops::strings::length(x, "WORD"), "unit is 'BYTE' or 'UTF8_CHAR', not 'WORD'");
    refused(|x| ops::strings::regex_full_match(x, "("), "pattern '('");
    refused(|x| ops::strings::regex_replace(x, "a", r"\1", true), "rewrite '\\1'");
    refused(|x| ops::strings::to_number(x, DType::Int8), "out_type");
    refused(|x| ops::strings::to_hash_bucket_fast(x, 0), "num_buckets");
    refused(|x| ops::strings::unicode_decode(x, "UTF-16", "replace", 65533, false), "input_encoding");
    refused(|x| ops::strings::unicode_decode(x, "UTF-8", "replace", 0xd800, false), "replacement_char");
    refused(|x| ops::strings::lower(x, "latin1"), "encoding");
    refused(|x| ops::decode_compressed(x, "LZ4"), "compression_type");
    refused(|x| ops::decode_json(x, [("a", Feature::var_len(DType::Bool))]), "feature 'a'");
    refused(|x| ops::strings::substr(x, 0.5, 1, "BYTE"), "pos is int32 or int64");
    refused(|x| ops::strings::reduce_join(x, [1], false, ""), "no axis 1");
    refused(|x| ops::ragged::to_tensor(x, "", [], feedline_plan::expr::Attribute::None), "nested_row_splits");
}
