//! Records of CSV files: any bytes, split at once or in any pieces, are the same records, none is lost, and each begins where the one before it
//! ended.
#![no_main]

use feedline_formats::csv::file::CsvRecords;
use feedline_formats::csv::record::next_record;
use feedline_formats::csv::strict::Dialect;
use feedline_fuzz::split_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [step, how, text @ ..] = input else { return };
    let delimiter = [b',', b';', b'\t'][usize::from(how % 3)];
    let dialect = Dialect { delimiter, has_quotes: how & 4 != 0 };
    let format = CsvRecords { dialect, has_header: how & 8 != 0 };
    split_file(text, usize::from(*step) + 1, |bytes, is_end, max_rows, visit| {
        format.split(bytes, is_end, max_rows, visit).ok()
    });
    // One behind the other they are all there is.
    let mut at = 0;
    while let Some((record, next)) = next_record(text, at, dialect, true) {
        assert!(record.start == at && record.end <= next && next > at && next <= text.len());
        at = next;
    }
    assert_eq!(at, text.len());
});
