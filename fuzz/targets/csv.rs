//! CSV: any bytes split into rows in any pieces, each row taken apart, by both rules. The pieces do not change where rows begin, and no
//! row panics.
#![no_main]

use feedline_formats::csv::strict::{Dialect, Field, split};
use feedline_formats::csv::{CsvFields, CsvRows};
use feedline_fuzz::split_rows;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [step, delimiter, text @ ..] = input else { return };
    let delimiter = [b',', b';', b'\t'][usize::from(delimiter % 3)];
    let mut fields = CsvFields::default();
    for row in split_rows(&CsvRows::new(delimiter), text, usize::from(*step) + 1) {
        if fields.parse(row, delimiter).is_ok() {
            assert_eq!(fields.iter(row).count(), fields.len());
            assert!(fields.get(row, fields.len()).is_none());
        }
        for has_quotes in [false, true] {
            let (mut places, mut unescaped) = (Vec::new(), Vec::new());
            if split(row, Dialect { delimiter, has_quotes }, usize::MAX, &mut places, &mut unescaped).is_ok() {
                for place in places {
                    match place {
                        Field::Record(range) => assert!(range.end <= row.len()),
                        Field::Unescaped(range) => assert!(range.end <= unescaped.len()),
                    }
                }
            }
        }
    }
});
