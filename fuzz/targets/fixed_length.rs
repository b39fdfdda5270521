//! Records of one size: any bytes, split at once or in any pieces, are the same records, or the same error; and a file whose size fits has as many
//! records as there is room for.
#![no_main]

use feedline_formats::fixed_length::FixedLength;
use feedline_fuzz::split_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [step, record, header, footer, text @ ..] = input else { return };
    let format = FixedLength {
        record_bytes: u64::from(*record) + 1,
        header_bytes: u64::from(header % 16),
        footer_bytes: u64::from(footer % 16),
        compression: None,
    };
    let records = split_file(text, usize::from(*step) + 1, |bytes, is_end, max_rows, visit| {
        format.split(bytes, is_end, max_rows, visit).ok()
    });
    assert_eq!(records.is_some(), format.check_size(text.len() as u64).is_ok());
    if let Some(records) = records {
        let around = format.header_bytes + format.footer_bytes;
        assert_eq!(records.len() as u64, (text.len() as u64 - around) / format.record_bytes);
        for (number, record) in (0..).zip(&records) {
            assert_eq!(record.len() as u64, format.record_bytes);
            assert_eq!(record.start as u64, format.next_place(record.start as u64));
            assert_eq!(record.start as u64, format.header_bytes + number * format.record_bytes);
        }
    }
});
