//! JSON lines: any bytes split into rows in any pieces, each row taken apart.
#![no_main]

use feedline_formats::RowSplitter;
use feedline_formats::json_lines::{JsonRow, JsonRows};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((step, text)) = input.split_first() else { return };
    let rows_of = |step: usize| {
        let mut splitter = JsonRows::default();
        let (mut rows, mut base) = (Vec::new(), 0);
        for piece in text.chunks(step) {
            splitter.push(piece, |at| rows.push(base + at));
            base += piece.len();
        }
        rows
    };
    let rows = rows_of(text.len().max(1));
    assert_eq!(rows, rows_of(usize::from(*step) + 1));
    let mut row = JsonRow::default();
    for (index, &start) in rows.iter().enumerate() {
        let end = rows.get(index + 1).copied().unwrap_or(text.len());
        if row.parse(&text[start..end]).is_ok() {
            for column in row.columns() {
                _ = column.name();
                _ = column.values().count();
            }
        }
    }
});
