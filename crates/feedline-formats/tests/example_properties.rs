//! Examples: our writer and parser against a protobuf library, and against themselves asked differently.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod support;

use std::collections::BTreeMap;

use feedline_data::{Column, DType, Values};
use feedline_formats::example::{
    Default, ExampleParser, ExampleWriter, FeatureSpec, SchemaBuilder, count_features, is_valid_example,
};
use proptest::prelude::*;
use prost::Message;
use support::{OwnedFeature, proto};

type Features = BTreeMap<String, OwnedFeature>;

fn feature() -> impl Strategy<Value = OwnedFeature> {
    let int = prop_oneof![any::<i64>(), -3i64..300, Just(i64::MIN), Just(i64::MAX)];
    let float = prop_oneof![any::<f32>(), Just(f32::NAN), Just(-0.0f32)];
    prop_oneof![
        prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..4).prop_map(OwnedFeature::Bytes),
        prop::collection::vec(float, 0..5).prop_map(OwnedFeature::Float),
        prop::collection::vec(int, 0..5).prop_map(OwnedFeature::Int64),
        Just(OwnedFeature::Unset),
    ]
}

fn features() -> impl Strategy<Value = Features> {
    let name = prop_oneof!["[a-f]{0,2}", "[a-c]{11,20}", "k{120,140}"];
    prop::collection::btree_map(name, feature(), 0..8)
}

fn ours(features: &Features) -> Vec<u8> {
    let features: Vec<(String, OwnedFeature)> = features.clone().into_iter().collect();
    let lists = OwnedFeature::byte_lists(&features);
    let mut writer = ExampleWriter::new();
    for ((name, feature), list) in features.iter().zip(&lists).rev() {
        writer.push(name, feature.values(list));
    }
    writer.to_bytes()
}

fn reference(features: &Features) -> Vec<u8> {
    let feature = features.iter().map(|(name, feature)| (name.clone(), feature.into())).collect();
    proto::Example { features: Some(proto::Features { feature }) }.encode_to_vec()
}

fn unpacked(features: &Features) -> Vec<u8> {
    let feature = features.iter().map(|(name, feature)| (name.clone(), feature.into())).collect();
    proto::UnpackedExample { features: Some(proto::UnpackedFeatures { feature }) }.encode_to_vec()
}

/// Floats by their bits, so that NaN equals itself.
fn bits(column: &Column, records: &[&[u8]]) -> Vec<Vec<u8>> {
    match &column.values {
        Values::Float32(values) => {
            values.iter().map(|value| value.to_bits().to_le_bytes().to_vec()).collect()
        }
        Values::Int64(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        Values::Bytes(values) => (0..values.len()).map(|index| values.get(index, records).to_vec()).collect(),
    }
}

fn expected_bits(feature: &OwnedFeature) -> Vec<Vec<u8>> {
    match feature {
        OwnedFeature::Float(values) => {
            values.iter().map(|value| value.to_bits().to_le_bytes().to_vec()).collect()
        }
        OwnedFeature::Int64(values) => values.iter().map(|value| value.to_le_bytes().to_vec()).collect(),
        OwnedFeature::Bytes(values) => values.clone(),
        OwnedFeature::Unset => Vec::new(),
    }
}

fn dtype_of(feature: &OwnedFeature) -> DType {
    match feature {
        OwnedFeature::Float(_) => DType::Float32,
        OwnedFeature::Bytes(_) => DType::String,
        OwnedFeature::Int64(_) | OwnedFeature::Unset => DType::Int64,
    }
}

proptest! {
    #[test]
    fn the_writer_writes_what_a_protobuf_library_reads(features in features()) {
        let bytes = ours(&features);
        let read = proto::Example::decode(&bytes[..]).unwrap().features.unwrap_or_default();
        prop_assert_eq!(read.feature.len(), features.len());
        // By bytes, so that NaN equals itself.
        prop_assert_eq!(proto::Example { features: Some(read) }.encode_to_vec(), reference(&features));
        prop_assert!(is_valid_example(&bytes).is_ok());
        prop_assert_eq!(count_features(&bytes).unwrap(), features.len());
    }

    #[test]
    fn the_parser_reads_what_a_protobuf_library_writes(features in features()) {
        // The library leaves out empty names and unset features of map entries; TensorFlow refuses such entries.
        let plain: Features = features.clone().into_iter()
            .filter(|(name, feature)| !name.is_empty() && *feature != OwnedFeature::Unset).collect();
        for (features, record) in
            [(&features, ours(&features)), (&plain, reference(&plain)), (&plain, unpacked(&plain))]
        {
            let specs = features.iter().map(|(name, feature)| FeatureSpec::var_len(name, dtype_of(feature))).collect();
            let mut columns = Vec::new();
            ExampleParser::new(specs).unwrap().parse(&[&record], &mut columns).unwrap();
            for (column, feature) in columns.iter().zip(features.values()) {
                prop_assert_eq!(bits(column, &[&record]), expected_bits(feature));
                prop_assert_eq!(&column.splits[0], &vec![0, expected_bits(feature).len() as u64]);
            }
        }
    }

    #[test]
    fn any_projection_is_the_full_parse_and_then_a_choice(
        batch in prop::collection::vec(features(), 1..6),
        chosen in prop::collection::vec(any::<bool>(), 40),
    ) {
        // One type a name over the whole batch, so that all records parse.
        let mut types: BTreeMap<String, DType> = BTreeMap::new();
        let batch: Vec<Features> = batch.into_iter().map(|features| {
            features.into_iter().filter(|(name, feature)| {
                *types.entry(name.clone()).or_insert_with(|| dtype_of(feature)) == dtype_of(feature)
            }).collect()
        }).collect();
        let records: Vec<Vec<u8>> = batch.iter().map(ours).collect();
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let all: Vec<FeatureSpec> =
            types.iter().map(|(name, dtype)| FeatureSpec::var_len(name, *dtype)).collect();
        let mut full = Vec::new();
        ExampleParser::new(all.clone()).unwrap().parse(&records, &mut full).unwrap();
        let some: Vec<usize> = (0..all.len()).filter(|&index| chosen[index]).rev().collect();
        let mut projected = Vec::new();
        let specs = some.iter().map(|&index| all[index].clone()).collect();
        ExampleParser::new(specs).unwrap().parse(&records, &mut projected).unwrap();
        for (column, &index) in projected.iter().zip(&some) {
            prop_assert_eq!(&column.splits, &full[index].splits);
            prop_assert_eq!(bits(column, &records), bits(&full[index], &records));
        }
    }

    #[test]
    fn a_batch_is_its_records_one_by_one(batch in prop::collection::vec(features(), 0..6), size in 1usize..4) {
        let records: Vec<Vec<u8>> = batch.iter().map(ours).collect();
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let specs = || vec![
            FeatureSpec::fixed("a", DType::Int64, &[size]).with_default(Default::Int64(vec![-1; size])),
            FeatureSpec::sequence("b", DType::Float32, &[size]),
            FeatureSpec::var_len("ab", DType::String),
        ];
        let mut parser = ExampleParser::new(specs()).unwrap();
        let mut together = Vec::new();
        let bad = parser.parse_or_skip(&records, &mut together);
        let mut alone = Vec::new();
        let mut row = 0;
        for (index, record) in records.iter().enumerate() {
            match ExampleParser::new(specs()).unwrap().parse(&[record], &mut alone) {
                Ok(()) => {
                    prop_assert!(bad.iter().all(|(bad, _)| *bad != index));
                    for (column, single) in together.iter().zip(&alone) {
                        let all = bits(column, &records);
                        let range = match column.splits.first() {
                            Some(level) => level[row] as usize * column.stride()..level[row + 1] as usize * column.stride(),
                            None => row * size..(row + 1) * size,
                        };
                        prop_assert_eq!(&all[range], &bits(single, &[record])[..]);
                    }
                    row += 1;
                }
                Err(error) => {
                    let found = bad.iter().find(|(bad, _)| *bad == index);
                    prop_assert_eq!(found.map(|(_, error)| error.kind()), Some(error.kind()));
                }
            }
        }
        prop_assert_eq!(together.iter().map(Column::rows).max().unwrap_or(0), row);
    }

    #[test]
    fn damaged_records_never_panic(
        features in features(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut record = ours(&features);
        for (at, byte) in flips {
            if !record.is_empty() {
                let at = at.index(record.len());
                record[at] = byte;
            }
        }
        record.truncate(cut.index(record.len() + 1));
        let mut schema = SchemaBuilder::default();
        schema.observe(&record);
        let schema = schema.finish();
        let mut specs = schema.to_specs();
        specs.extend(features.iter().map(|(name, feature)| FeatureSpec::var_len(name, dtype_of(feature))));
        let mut names = std::collections::HashSet::new();
        specs.retain(|spec| names.insert(spec.name.clone()));
        let mut columns = Vec::new();
        let parsed = ExampleParser::new(specs).unwrap().parse(&[&record], &mut columns);
        if let Err(error) = parsed {
            prop_assert_eq!(error.record(), Some(0));
            prop_assert!(error.to_string().contains("hint: "), "{}", error);
        }
    }
}

#[test]
fn errors_name_the_feature_both_types_and_the_nearest_name() {
    let record = ExampleWriter::new()
        .bytes("image/encoded", &[b"x"])
        .int64("image/class/label", &[3])
        .float("image/object/bbox", &[0.0, 0.1, 0.2])
        .to_bytes();
    let good = ExampleWriter::new()
        .bytes("image/encoded", &[b"x"])
        .int64("image/class/label", &[3])
        .int64("label", &[1])
        .float("image/object/bbox", &[0.5; 4])
        .to_bytes();
    for (spec, parts) in [
        (
            FeatureSpec::fixed("label", DType::Int64, &[]),
            &[
                "record 1",
                "feature `label` missing",
                "3 features",
                "`image/encoded`",
                "did you mean `image/class/label`",
            ][..],
        ),
        (
            FeatureSpec::fixed("image/class/label", DType::Float32, &[]),
            &[
                "record 0",
                "feature `image/class/label` is int64 in the record, float32 was asked for",
                "hint: ask for int64",
            ],
        ),
        (
            FeatureSpec::fixed("image/object/bbox", DType::Float32, &[4]),
            &["record 1", "feature `image/object/bbox` has 3 values, shape [4] needs 4", "hint:"],
        ),
        (
            FeatureSpec::sequence("image/object/bbox", DType::Float32, &[2]),
            &["record 1", "has 3 values, shape [2] needs a multiple of 2", "hint:"],
        ),
    ] {
        let mut columns = Vec::new();
        let mut parser = ExampleParser::new(vec![spec]).unwrap();
        let error = parser.parse(&[&good, &record], &mut columns).unwrap_err();
        for part in parts {
            assert!(error.to_string().contains(part), "{error} lacks {part:?}");
        }
        let bad = parser.parse_or_skip(&[&good, &record, &good], &mut columns);
        assert!(!bad.is_empty() && columns[0].rows() == 3 - bad.len());
    }
}

#[test]
fn specs_that_contradict_themselves_are_refused() {
    let label = || FeatureSpec::fixed("label", DType::Int64, &[2]);
    for (specs, part) in [
        (vec![label(), FeatureSpec::var_len("label", DType::Int64)], "`label` is asked for twice"),
        (
            vec![FeatureSpec::var_len("image", DType::UInt8)],
            "`image` is asked for as uint8; an Example holds",
        ),
        (
            vec![label().with_default(Default::Float32(vec![0.0; 2]))],
            "`label` is int64, its default is float32",
        ),
        (vec![label().with_default(Default::Int64(vec![0]))], "needs a default of 2 values, 1 were given"),
        (vec![FeatureSpec::fixed("x", DType::Int64, &[usize::MAX, 2])], "larger than any record"),
        (vec![FeatureSpec::sequence("x", DType::Int64, &[0])], "hold no values"),
    ] {
        let error = ExampleParser::new(specs).err().unwrap().to_string();
        assert!(error.contains(part), "{error} lacks {part:?}");
    }
}

#[test]
fn columns_are_reused_over_batches_of_other_sizes() {
    let record =
        |label: i64| ExampleWriter::new().int64("label", &[label]).int64("list", &[label, label]).to_bytes();
    let records: Vec<Vec<u8>> = (0..10).map(record).collect();
    let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
    let specs =
        vec![FeatureSpec::fixed("label", DType::Int64, &[]), FeatureSpec::var_len("list", DType::Int64)];
    let mut parser = ExampleParser::new(specs).unwrap();
    let mut columns = Vec::new();
    for (start, end) in [(0, 10), (3, 4), (0, 0), (5, 10)] {
        parser.parse(&records[start..end], &mut columns).unwrap();
        assert_eq!(columns[0].values, Values::Int64((start as i64..end as i64).collect()));
        assert_eq!(columns[1].rows(), end - start);
    }
}
