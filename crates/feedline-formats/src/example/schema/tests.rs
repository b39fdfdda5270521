//! What records together say of their features.

use super::super::write::{ExampleWriter, FeatureValues, SequenceWriter};
use super::*;

fn schema_of(records: &[Vec<u8>]) -> Schema {
    let mut builder = SchemaBuilder::default();
    for record in records {
        builder.observe(record);
    }
    builder.finish()
}

#[test]
fn types_lengths_and_presence() {
    let schema = schema_of(&[
        ExampleWriter::new()
            .int64("label", &[1])
            .float("box", &[0., 1., 2., 3.])
            .bytes("tag", &[b"a"])
            .to_bytes(),
        ExampleWriter::new().int64("label", &[0]).float("box", &[0.; 4]).int64("rare", &[]).to_bytes(),
        ExampleWriter::new().int64("label", &[1]).float("box", &[9.; 4]).bytes("tag", &[]).to_bytes(),
    ]);
    assert_eq!(schema.kind, RecordKind::Example);
    let by_name: BTreeMap<&str, &FeatureSummary> =
        schema.features.iter().map(|feature| (feature.name.as_str(), feature)).collect();
    assert_eq!(by_name["label"].histogram, Some(Histogram { counts: vec![(0, 1), (1, 2)] }));
    assert_eq!(by_name["label"].to_spec(3), Some(FeatureSpec::fixed("label", DType::Int64, &[])));
    assert_eq!(by_name["box"].to_spec(3), Some(FeatureSpec::fixed("box", DType::Float32, &[4])));
    assert_eq!(by_name["box"].range, Some((0.0, 9.0)));
    assert_eq!(by_name["tag"].to_spec(3), Some(FeatureSpec::var_len("tag", DType::String)));
    assert_eq!((by_name["tag"].present, by_name["tag"].min_len, by_name["tag"].max_len), (2, 0, 1));
    assert_eq!(by_name["rare"].present, 1);
}

#[test]
fn sequences_bytes_and_conflicts() {
    let steps = [FeatureValues::Int64(&[1, 2]), FeatureValues::Int64(&[3])];
    let sequence =
        SequenceWriter::new().context("id", FeatureValues::Int64(&[7])).list("words", &steps).to_bytes();
    let schema = schema_of(std::slice::from_ref(&sequence));
    assert_eq!(schema.kind, RecordKind::SequenceExample);
    assert_eq!(schema.features[0].name, "id");
    assert_eq!((schema.lists[0].steps, schema.lists[0].max_len), (Some((2, 2)), 2));

    let plain = ExampleWriter::new().float("id", &[7.]).to_bytes();
    let schema = schema_of(&[sequence, plain.clone()]);
    assert_eq!(schema.kind, RecordKind::SequenceExample);
    assert_eq!(schema.features[0].conflicting_dtype, Some(DType::Float32));

    let schema = schema_of(&[plain, b"some text".to_vec()]);
    assert_eq!((schema.kind, schema.features.len()), (RecordKind::Bytes, 0));
    assert_eq!(schema_of(&[]).kind, RecordKind::Bytes);
}

#[test]
fn names_that_are_no_utf8_stay_apart_and_have_no_spec() {
    let entry = |key: u8| [0x0a, 0x0a, 0x0a, 0x01, key, 0x12, 0x05, 0x1a, 0x03, 0x0a, 0x01, 0x01];
    let record = [&[0x0a, 24][..], &entry(0xe1), &entry(0xc5)].concat();
    let schema = schema_of(&[record]);
    let names: Vec<&str> = schema.features.iter().map(|feature| feature.name.as_str()).collect();
    assert_eq!(names, ["\\xc5", "\\xe1"]);
    assert!(schema.to_specs().is_empty());
}

#[test]
fn many_different_integers_have_no_histogram() {
    let records: Vec<Vec<u8>> =
        (0..=MAX_DISTINCT as i64).map(|id| ExampleWriter::new().int64("id", &[id]).to_bytes()).collect();
    assert_eq!(schema_of(&records).features[0].histogram, None);
    assert_eq!(schema_of(&records).features[0].range, Some((0.0, 1000.0)));
}

#[test]
fn integers_keep_every_digit() {
    let (least, greatest) = (i64::MIN + 1, (1 << 53) + 1);
    let records = [least, greatest].map(|value| ExampleWriter::new().int64("id", &[value]).to_bytes());
    assert_eq!(schema_of(&records).features[0].int_range, Some((least, greatest)));
    let float = ExampleWriter::new().float("id", &[0.5]).to_bytes();
    let [first, second] = records;
    let mixed = &schema_of(&[first, second, float]).features[0];
    assert_eq!((mixed.int_range, mixed.conflicting_dtype), (None, Some(DType::Float32)));
}

#[test]
fn a_record_that_has_a_feature_twice_has_it_once() {
    let entry = |key: u8| vec![0x0a, 0x0a, 0x0a, 0x01, key, 0x12, 0x05, 0x1a, 0x03, 0x0a, 0x01, 0x01];
    let record = |keys: &[u8]| {
        let entries: Vec<u8> = keys.iter().flat_map(|&key| entry(key)).collect();
        [&[0x0a, entries.len() as u8][..], &entries].concat()
    };
    let schema = schema_of(&[record(b"aab"), record(b"b"), record(b"ab")]);
    let presence: Vec<u64> = schema.features.iter().map(|feature| feature.present).collect();
    assert_eq!(presence, [2, 3]);
}
