//! Example parsing: any bytes, parsed alone and among others by several specs. Checks that nothing panics, and that a
//! record gives the same whether the parser has seen its keys before or not, and whether other records stand around it.
#![no_main]

use feedline_data::DType;
use feedline_formats::example::{
    Default, ExampleParser, ExampleWriter, FeatureSpec, SchemaBuilder, count_features, is_valid_example,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|record: &[u8]| {
    let good = ExampleWriter::new().int64("a", &[1]).float("b", &[2.0]).bytes("c", &[b"x", b"y"]).to_bytes();
    for specs in specs() {
        let mut parser = ExampleParser::new(specs).expect("specs fit");
        let mut alone = Vec::new();
        let bad_alone = parser.parse_or_skip(&[record], &mut alone);
        let mut again = Vec::new();
        let bad_again = parser.parse_or_skip(&[record], &mut again);
        assert_eq!(format!("{bad_alone:?} {alone:?}"), format!("{bad_again:?} {again:?}"));

        let mut many = Vec::new();
        let bad = parser.parse_or_skip(&[&good, record, &good, record], &mut many);
        let bad_records = bad.iter().filter(|(index, _)| index % 2 == 1).count();
        assert_eq!(bad_records, 2 * bad_alone.len());
        if let Some((_, error)) = bad_alone.first() {
            assert!(error.to_string().contains("hint: "));
        }
    }
    _ = is_valid_example(record);
    _ = count_features(record);
    let mut schema = SchemaBuilder::default();
    schema.observe(record);
    schema.observe(&good);
    let schema = schema.finish();
    // A schema's own specs read the records it was made from, unless the types of one name differ.
    if schema.features.iter().all(|feature| feature.conflicting_dtype.is_none()) {
        _ = ExampleParser::new(schema.to_specs()).expect("names of a schema differ");
    }
});

fn specs() -> [Vec<FeatureSpec>; 3] {
    [
        vec![
            FeatureSpec::fixed("a", DType::Int64, &[]),
            FeatureSpec::fixed("b", DType::Float32, &[]),
            FeatureSpec::var_len("c", DType::String),
        ],
        vec![
            FeatureSpec::fixed("a", DType::Int64, &[2]).with_default(Default::Int64(vec![3, 4])),
            FeatureSpec::sequence("b", DType::Float32, &[2]),
            FeatureSpec::fixed("c", DType::String, &[]).with_default(Default::Bytes(vec![b"none".to_vec()])),
            FeatureSpec::var_len("a_name_of_more_than_sixteen_bytes", DType::Int64),
        ],
        vec![FeatureSpec::var_len("a", DType::Int64)],
    ]
}
