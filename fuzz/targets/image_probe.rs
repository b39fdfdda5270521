//! Image headers and orientations: any bytes are recognized or refused, never more.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    assert!((1..=8).contains(&feedline_image::exif_orientation(bytes)));
    if let Ok(info) = feedline_image::probe(bytes) {
        _ = feedline_image::check_complete(bytes, &info);
    }
});
