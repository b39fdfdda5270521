//! Batches of records that are alike, and of some that are not among them.

use super::*;

/// Names whose heads end within 16 bytes, and beyond them.
const TABLE: [(&str, DType); 7] = [
    ("a", DType::Int64),
    ("b12", DType::Float32),
    ("count", DType::Int64),
    ("a_longer_name", DType::Float32),
    ("a_longer_name_yet", DType::Int64),
    ("x", DType::Int64),
    ("y0", DType::Float32),
];

/// What becomes of a feature of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    Read,
    ReadOrDefault,
    Checked,
    Ignored,
}

fn uses() -> impl Strategy<Value = Vec<Use>> {
    let one = prop_oneof![
        4 => Just(Use::Read),
        1 => Just(Use::ReadOrDefault),
        1 => Just(Use::Checked),
        1 => Just(Use::Ignored),
    ];
    prop::collection::vec(one, TABLE.len())
}

fn parser_of(uses: &[Use]) -> ExampleParser {
    let use_of = |name: &str| uses[TABLE.iter().position(|(other, _)| *other == name).unwrap()];
    let wanted = TABLE.iter().filter(|(name, _)| use_of(name) != Use::Ignored);
    let spec = |&(name, dtype): &(&str, DType)| {
        let spec = FeatureSpec::fixed(name, dtype, &[]);
        match (use_of(name), dtype) {
            (Use::ReadOrDefault, DType::Int64) => spec.with_default(Default::Int64(vec![-7])),
            (Use::ReadOrDefault, _) => spec.with_default(Default::Float32(vec![0.5])),
            _ => spec,
        }
    };
    ExampleParser::with_checks(wanted.map(spec).collect(), |spec| use_of(&spec.name) == Use::Checked).unwrap()
}

/// How a row differs from the others.
#[derive(Clone, Copy, Debug)]
enum Oddity {
    Missing(usize),
    Twice(usize),
    OfAnotherType(usize),
    TwoNumbers(usize),
    Byte(prop::sample::Index, u8),
    CutOff(prop::sample::Index),
}

fn oddity() -> impl Strategy<Value = Oddity> {
    let feature = 0..TABLE.len();
    let place = any::<prop::sample::Index>();
    prop_oneof![
        feature.clone().prop_map(Oddity::Missing),
        feature.clone().prop_map(Oddity::Twice),
        feature.clone().prop_map(Oddity::OfAnotherType),
        feature.prop_map(Oddity::TwoNumbers),
        (place.clone(), any::<u8>()).prop_map(|(place, byte)| Oddity::Byte(place, byte)),
        place.prop_map(Oddity::CutOff),
    ]
}

fn row(values: &[i64], oddity: Option<Oddity>) -> Vec<u8> {
    let mut map = Vec::new();
    for (feature, (&(name, dtype), &value)) in TABLE.iter().zip(values).enumerate() {
        let (mut dtype, mut times, mut count) = (dtype, 1, 1);
        match oddity {
            Some(Oddity::Missing(odd)) if odd == feature => times = 0,
            Some(Oddity::Twice(odd)) if odd == feature => times = 2,
            Some(Oddity::TwoNumbers(odd)) if odd == feature => count = 2,
            Some(Oddity::OfAnotherType(odd)) if odd == feature => {
                dtype = if dtype == DType::Int64 { DType::Float32 } else { DType::Int64 };
            }
            _ => {}
        }
        for _ in 0..times {
            match dtype {
                DType::Int64 => push_entry(&mut map, name, FeatureValues::Int64(&vec![value; count])),
                _ => push_entry(&mut map, name, FeatureValues::Float(&vec![value as f32; count])),
            }
        }
    }
    let mut record = example_of(&map);
    match oddity {
        Some(Oddity::Byte(place, byte)) => {
            let at = place.index(record.len());
            record[at] = byte;
        }
        Some(Oddity::CutOff(place)) => record.truncate(place.index(record.len())),
        _ => {}
    }
    record
}

/// Enough rows to be looked at together, and few enough oddities that runs of them are.
fn tables() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let value = prop_oneof![0i64..300, any::<i64>(), (0u32..63).prop_map(|bits| 1 << bits)];
    let values = prop::collection::vec(value, TABLE.len());
    let row =
        (values, prop::option::weighted(0.1, oddity())).prop_map(|(values, oddity)| row(&values, oddity));
    prop::collection::vec(row, MIN_RECORDS_ALIKE..3 * MIN_RECORDS_ALIKE)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_steady_path_changes_nothing(batches in prop::collection::vec(tables(), 1..3), uses in uses()) {
        let (mut skipping, mut stopping) = (parser_of(&uses), parser_of(&uses));
        let (mut columns, mut columns_to_the_first) = (Vec::new(), Vec::new());
        for records in &batches {
            let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
            let bad = skipping.parse_or_skip(&records, &mut columns);
            let (expected, expected_bad) = parse_carefully(&mut parser_of(&uses), &records);
            prop_assert_eq!(&bad, &expected_bad);
            // By their text, so that NaN equals itself.
            prop_assert_eq!(format!("{columns:?}"), format!("{expected:?}"));

            let stopped = stopping.parse(&records, &mut columns_to_the_first);
            prop_assert_eq!(stopped.err(), bad.first().map(|(_, error)| error.clone()));
            let up_to = bad.first().map_or(records.len(), |(index, _)| *index);
            let (expected, _) = parse_carefully(&mut parser_of(&uses), &records[..up_to]);
            prop_assert_eq!(format!("{columns_to_the_first:?}"), format!("{expected:?}"));
        }
    }
}

#[test]
fn the_steady_path_takes_whole_tables_and_goes_on_behind_an_odd_row() {
    let uses = [Use::Read, Use::Read, Use::Checked, Use::Ignored, Use::Read, Use::ReadOrDefault, Use::Read];
    let mut parser = parser_of(&uses);
    let odd_row = 2 * MIN_RECORDS_ALIKE;
    let rows: Vec<Vec<u8>> = (0..4 * MIN_RECORDS_ALIKE)
        .map(|index| row(&[index as i64; TABLE.len()], (index == odd_row).then_some(Oddity::Missing(5))))
        .collect();
    let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
    // The first batch teaches the order of keys, which for those that nobody asked for is not known before.
    parser.parse(&rows, &mut Vec::new()).unwrap();
    let mut columns = Vec::new();
    parser.record_number = 0;
    parser.parse(&rows, &mut columns).unwrap();
    assert_eq!(parser.record_number, 1, "records that the steady path left to the others");
    let expected = |index: usize| if index == odd_row { -7 } else { index as i64 };
    assert_eq!(columns[3].values, Values::Int64((0..rows.len()).map(expected).collect()));
}
