//! SequenceExample parsing: any bytes by several specs, alone and among others.
#![no_main]

use feedline_data::DType;
use feedline_formats::example::{
    FeatureSpec, FeatureValues, SchemaBuilder, SequenceParser, SequenceWriter, is_valid_sequence_example,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|record: &[u8]| {
    let steps = [FeatureValues::Int64(&[1, 2]), FeatureValues::Int64(&[3, 4])];
    let good = SequenceWriter::new().context("a", FeatureValues::Int64(&[1])).list("l", &steps).to_bytes();
    for (context, lists) in [
        (vec![FeatureSpec::fixed("a", DType::Int64, &[])], vec![FeatureSpec::var_len("l", DType::Int64)]),
        (vec![FeatureSpec::var_len("a", DType::Int64)], vec![FeatureSpec::sequence("l", DType::Int64, &[2])]),
        (vec![], vec![FeatureSpec::var_len("l", DType::String), FeatureSpec::var_len("f", DType::Float32)]),
    ] {
        let mut parser = SequenceParser::new(context, lists).expect("specs fit");
        let (mut alone, mut alone_lists) = (Vec::new(), Vec::new());
        let bad = parser.parse_or_skip(&[record], &mut alone, &mut alone_lists);
        let (mut many, mut many_lists) = (Vec::new(), Vec::new());
        let bad_many = parser.parse_or_skip(&[&good, record, &good, record], &mut many, &mut many_lists);
        assert_eq!(bad_many.iter().filter(|(index, _)| index % 2 == 1).count(), 2 * bad.len());
        for column in many.iter().chain(&many_lists) {
            assert_eq!(column.rows(), 4 - bad_many.len());
        }
    }
    _ = is_valid_sequence_example(record);
    let mut schema = SchemaBuilder::default();
    schema.observe(record);
    schema.finish();
});
