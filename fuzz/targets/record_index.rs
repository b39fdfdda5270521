//! The sidecar index: any bytes, with a right checksum put behind them; what is accepted must be usable everywhere.
#![no_main]

use feedline_formats::crc32c;
use feedline_formats::tfrecord::RecordIndex;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut bytes = b"FLINDEX\0\x01\0\0\0".to_vec();
    bytes.extend_from_slice(input);
    bytes.extend_from_slice(&crc32c(&bytes).to_le_bytes());
    for bytes in [input.to_vec(), bytes] {
        let Ok(index) = RecordIndex::from_bytes(bytes) else { continue };
        let mut end = 0;
        for (record, place) in (0..).zip(index.places_from(0)) {
            assert_eq!((place.start, index.place(record)), (end, Some(place.clone())));
            end = place.end;
        }
        assert_eq!(end, index.file_size());
        assert_eq!(index.place(index.len()), None);
    }
});
