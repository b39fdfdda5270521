//! CSV: any bytes split into rows in any pieces, each row taken apart. The pieces do not change where rows begin, and no
//! row panics.
#![no_main]

use feedline_formats::RowSplitter;
use feedline_formats::csv::{CsvFields, CsvRows};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [step, delimiter, text @ ..] = input else { return };
    let delimiter = [b',', b';', b'\t'][usize::from(delimiter % 3)];
    let rows_of = |step: usize| {
        let mut splitter = CsvRows::new(delimiter);
        let (mut rows, mut base) = (Vec::new(), 0);
        for piece in text.chunks(step) {
            splitter.push(piece, |at| rows.push(base + at));
            base += piece.len();
        }
        rows
    };
    let rows = rows_of(text.len().max(1));
    assert_eq!(rows, rows_of(usize::from(*step) + 1));
    let mut fields = CsvFields::default();
    for (index, &start) in rows.iter().enumerate() {
        let row = &text[start..rows.get(index + 1).copied().unwrap_or(text.len())];
        if fields.parse(row, delimiter).is_ok() {
            assert_eq!(fields.iter(row).count(), fields.len());
            assert!(fields.get(row, fields.len()).is_none());
        }
    }
});
