//! The fast way through records of CSV against the careful one, which a block takes as soon as one of its records has a doubled quote.

use feedline_data::block::{Column, Strings, Tensor};
use feedline_plan::expr::Attribute;
use feedline_plan::{Symbolic, ops};
use proptest::prelude::*;

use super::{Leaves, try_run};

/// What only the careful way takes: a record of as many fields.
fn careful_record(width: usize, delimiter: &str) -> String {
    let mut fields = vec!["1"; width];
    fields[width - 1] = "\"\"\"\"";
    fields.join(delimiter)
}

/// Each record a row, with a number of its own for empty fields of the second column.
fn decoded(
    records: &[&str],
    default: &Tensor,
    delimiter: &str,
    missing: &str,
    selected: Option<&[i64]>,
) -> Leaves {
    let rows = Column::from_strings(vec![], records.len(), records.iter().collect());
    let numbers: Vec<i64> = (0..records.len() as i64).map(|row| row + 1000).collect();
    let function = |x: Symbolic| {
        let required = Tensor::from_strings(vec![0], Strings::default());
        let defaults =
            [Symbolic::from(default.clone()), x.at(1), Symbolic::from(required), Symbolic::from("none")];
        let selected = selected.map_or(Attribute::None, |columns| Attribute::Ints(columns.to_vec()));
        ops::decode_csv(x.at(0), defaults, delimiter, true, missing, selected)
    };
    let rows = vec![rows, Column::from_vec(vec![], numbers.len(), numbers)];
    try_run(rows, function).expect("fits").1
}

fn fields() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "-?[0-9]{1,12}",
        4 => "[0-9]{0,4}[.][0-9]{0,9}",
        2 => "[a-z]{0,40}",
        1 => "\"[a-z,;\n]{0,70}\"",
        1 => Just("NA".to_owned()),
        1 => Just(String::new()),
        1 => "[a,\"\n ]{1,4}",
    ]
}

proptest! {
    #[test]
    fn both_ways_give_the_same(
        records in proptest::collection::vec(proptest::collection::vec(fields(), 3..6), 1..6),
        is_float: bool,
        delimiter in prop_oneof![Just(","), Just(";")],
        missing in prop_oneof![Just(""), Just("NA")],
        is_selected: bool,
    ) {
        let records: Vec<String> = records.iter().map(|fields| fields.join(delimiter)).collect();
        let records: Vec<&str> = records.iter().map(String::as_str).collect();
        let default = if is_float { Tensor::scalar(0.5_f32) } else { Tensor::scalar(7_i32) };
        let selected = is_selected.then_some(&[0, 1, 2, 4][..]);
        let width = if is_selected { 5 } else { 4 };
        let of = |records: &[&str]| decoded(records, &default, delimiter, missing, selected);
        let careful = careful_record(width, delimiter);
        let carefully = of(&[&records[..], &[&careful]].concat());
        // All together, of which one that is wrong leads to the careful way; and one by one.
        let together = of(&records);
        for leaf in 0..4 {
            prop_assert_eq!(&together[leaf][..], &carefully[leaf][..records.len()]);
            prop_assert!(carefully[leaf][records.len()].is_ok(), "{}", careful);
        }
        let alone = of(&records[..1]);
        for leaf in 0..4 {
            prop_assert_eq!(&alone[leaf][0], &carefully[leaf][0]);
        }
    }
}

#[test]
fn records_of_a_batch_are_read_fast_with_the_defaults_of_their_row() {
    let texts: Strings = ["1,2", ",5", "3,", "-4,\"x\""].iter().collect();
    let rows = Column::from_strings(vec![2], 2, texts);
    let defaults = Column::from_vec(vec![], 2, vec![10_i64, 20]);
    let function =
        |x: Symbolic| ops::decode_csv(x.at(0), [x.at(1), "none".into()], ",", true, "", Attribute::None);
    let (_, leaves) = try_run(vec![rows, defaults], function).expect("fits");
    let numbers =
        |row: usize| leaves[0][row].as_ref().map(|tensor| tensor.as_slice::<i64>().to_vec()).expect("read");
    assert_eq!([numbers(0), numbers(1)], [vec![1, 10], vec![3, -4]]);
    let texts = |texts: [&str; 2]| Ok(Tensor::from_strings(vec![2], texts.iter().collect()));
    assert_eq!(leaves[1], [texts(["2", "5"]), texts(["none", "x"])]);
}
