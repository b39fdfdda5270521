//! The three ways through a record are one, with all features read and with some only checked.

use proptest::prelude::*;

use super::super::spec::Default;
use super::super::write::{ExampleWriter, FeatureValues};
use super::*;

mod alike;

/// A column for each feature that gets one, for `num_rows` records.
fn prepared(parser: &ExampleParser, num_rows: usize) -> Vec<Column> {
    let column = |spec: &FeatureSpec| {
        let mut column = Column::empty(DType::Int64, Vec::new(), 0);
        slot::prepare(&mut column, spec, num_rows);
        column
    };
    parser.specs().iter().map(column).collect()
}

/// Parses every record on the careful path alone.
fn parse_carefully(parser: &mut ExampleParser, records: &[&[u8]]) -> (Vec<Column>, Vec<(usize, Error)>) {
    let mut columns = prepared(parser, records.len());
    let (mut row, mut bad) = (0, Vec::new());
    for (index, record) in records.iter().enumerate() {
        match parser.careful(record, row, index as u32, &mut columns) {
            Ok(()) => row += 1,
            Err(error) => {
                columns.iter_mut().for_each(|column| slot::roll_back(column, row));
                bad.push((index, error.in_record(index as u64)));
            }
        }
    }
    columns.iter_mut().for_each(|column| slot::finish(column, row));
    (columns, bad)
}

fn specs() -> Vec<FeatureSpec> {
    vec![
        FeatureSpec::fixed("int", DType::Int64, &[]),
        FeatureSpec::fixed("float", DType::Float32, &[1]).with_default(Default::Float32(vec![0.5])),
        FeatureSpec::fixed("pair", DType::Int64, &[2]).with_default(Default::Int64(vec![1, 2])),
        FeatureSpec::fixed("a_longer_name/text", DType::String, &[])
            .with_default(Default::Bytes(vec![b"none".to_vec()])),
        FeatureSpec::var_len("list", DType::Int64),
        FeatureSpec::sequence("steps", DType::Float32, &[2]),
    ]
}

/// A map of features as bytes, in the order given; one name may come twice. Numbers beyond those of the names are names
/// again, with values that are bytes.
fn record_of(entries: &[(usize, Vec<i64>)]) -> Vec<u8> {
    const NAMES: [&str; 8] =
        ["int", "float", "pair", "a_longer_name/text", "list", "steps", "x", "unknown_feature"];
    let mut map = Vec::new();
    for (name, values) in entries {
        let floats: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let texts: Vec<Vec<u8>> = values.iter().map(|value| value.to_string().into_bytes()).collect();
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let (name, is_wrong) = (NAMES[name % NAMES.len()], *name >= NAMES.len());
        let values = match name {
            _ if is_wrong => FeatureValues::Bytes(&texts),
            "float" | "steps" => FeatureValues::Float(&floats),
            "a_longer_name/text" => FeatureValues::Bytes(&texts),
            _ => FeatureValues::Int64(values),
        };
        push_entry(&mut map, name, values);
    }
    example_of(&map)
}

/// Appends an entry to the bytes of a map of features.
fn push_entry(map: &mut Vec<u8>, name: &str, values: FeatureValues<'_>) {
    let example = ExampleWriter::new().feature(name, values).to_bytes();
    let mut message = Reader::new(&example);
    message.take(delimited_tag(1));
    map.extend_from_slice(message.delimited().unwrap().rest());
}

fn example_of(map: &[u8]) -> Vec<u8> {
    let mut example = vec![delimited_tag(1)];
    crate::wire::write_varint(&mut example, map.len() as u64);
    example.extend(map);
    example
}

fn entries() -> impl Strategy<Value = Vec<(usize, Vec<i64>)>> {
    let value = prop_oneof![0i64..5, any::<i64>(), (0u32..63).prop_map(|bits| 1 << bits)];
    let values = prop_oneof![
        4 => prop::collection::vec(value.clone(), 1),
        2 => prop::collection::vec(value, 0..5),
    ];
    // Names in order with gaps, as records have them, and in any order.
    let name = prop_oneof![30 => 0usize..8, 1 => 8usize..16];
    let entries = prop::collection::vec((name, values), 0..10);
    (entries, any::<bool>()).prop_map(|(mut entries, sorted)| {
        if sorted {
            entries.sort_by_key(|(name, _)| name % 8);
        }
        entries
    })
}

/// Records as files have them, and some with features of a wrong type, or a byte that is wrong.
fn batches() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let batch = prop::collection::vec(entries(), 1..8);
    let damage = prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()));
    (batch, damage).prop_map(|(batch, damage)| {
        let mut records: Vec<Vec<u8>> = batch.iter().map(|entries| record_of(entries)).collect();
        if let Some((record, at, byte)) = damage {
            let index = record.index(records.len());
            let record = &mut records[index];
            let at = at.index(record.len());
            record[at] = byte;
        }
        records
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_fast_path_changes_nothing(records in batches()) {
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let mut parser = ExampleParser::new(specs()).unwrap();
        let mut columns = Vec::new();
        let bad = parser.parse_or_skip(&records, &mut columns);
        let (expected, expected_bad) = parse_carefully(&mut ExampleParser::new(specs()).unwrap(), &records);
        prop_assert_eq!(bad, expected_bad);
        // By their text, so that NaN equals itself.
        prop_assert_eq!(format!("{columns:?}"), format!("{expected:?}"));
    }

    #[test]
    fn what_is_only_checked_fails_as_it_would_and_leaves_the_rest_as_it_is(
        records in batches(),
        is_read in prop::collection::vec(any::<bool>(), 6),
        order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let specs: Vec<FeatureSpec> = order.iter().map(|&index| specs()[index].clone()).collect();
        let is_checked = |spec: &FeatureSpec| !is_read[specs.iter().position(|other| other == spec).unwrap()];
        let mut whole = ExampleParser::new(specs.clone()).unwrap();
        let mut expected = Vec::new();
        let expected_bad = whole.parse_or_skip(&records, &mut expected);
        let expected: Vec<Column> =
            expected.into_iter().zip(&is_read).filter(|(_, is_read)| **is_read).map(|(column, _)| column).collect();

        let mut parser = ExampleParser::with_checks(specs.clone(), is_checked).unwrap();
        let (mut columns, mut bad) = (Vec::new(), Vec::new());
        // A second time with the order of keys known.
        for _ in 0..2 {
            bad = parser.parse_or_skip(&records, &mut columns);
            prop_assert_eq!(format!("{columns:?}"), format!("{expected:?}"));
        }
        prop_assert_eq!(&bad, &expected_bad);
        let (columns, bad) = parse_carefully(&mut parser, &records);
        prop_assert_eq!(format!("{columns:?}"), format!("{expected:?}"));
        prop_assert_eq!(&bad, &expected_bad);
    }
}

#[test]
fn the_fast_path_takes_plain_records() {
    let record = record_of(&[
        (0, vec![300]),
        (1, vec![2]),
        (2, vec![1, -1]),
        (3, vec![7]),
        (4, vec![1, 2, 3]),
        (7, vec![]),
    ]);
    let mut parser = ExampleParser::new(specs()).unwrap();
    let mut columns = prepared(&parser, 1);
    parser.record_number = 1;
    assert!(parser.fast(&record, 0, 0, &mut columns));
    assert_eq!(columns[0].values, Values::Int64(vec![300]));
    assert_eq!(columns[4].values, Values::Int64(vec![1, 2, 3]));
}

#[test]
fn packed_numbers_of_every_length() {
    for bits in 0..64 {
        for value in [1u64 << bits, (1u64 << bits) - 1, u64::MAX >> bits] {
            let record = record_of(&[(0, vec![value as i64])]);
            let number_bytes = crate::wire::varint_bytes(value);
            if number_bytes > 8 {
                continue;
            }
            let mut eight = [0x55; 8];
            eight[..number_bytes].copy_from_slice(&record[record.len() - number_bytes..]);
            let found = packed_int64(u64::from_le_bytes(eight), number_bytes);
            for bytes in 1..=8 {
                assert_eq!(is_one_int64(u64::from_le_bytes(eight), bytes), bytes == number_bytes, "{value}");
            }
            let expected = Some(value as i64);
            assert_eq!(found, expected, "{value}");
        }
    }
}

#[test]
fn of_several_missing_features_the_first_asked_for_is_the_error_read_or_checked() {
    let record = record_of(&[(6, vec![1])]);
    let specs = ["b", "a", "c"].map(|name| FeatureSpec::fixed(name, DType::Int64, &[])).to_vec();
    let whole = ExampleParser::new(specs.clone()).unwrap().parse(&[&record], &mut Vec::new());
    for is_checked in [[true, false, true], [false, true, false], [true; 3]] {
        let place = |spec: &FeatureSpec| specs.iter().position(|other| other == spec).unwrap();
        let parser = ExampleParser::with_checks(specs.clone(), |spec| is_checked[place(spec)]);
        let found = parser.unwrap().parse(&[&record], &mut Vec::new());
        assert_eq!(found, whole);
        assert_eq!(found.unwrap_err().feature(), Some("b"));
    }
}
