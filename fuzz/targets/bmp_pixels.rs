//! BMP pixels: any bytes decode to as many pixels as they say, or are refused with a place that is within them.
#![no_main]

use feedline_fuzz::{check_pixels, is_small};
use feedline_image::decode_bmp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if !is_small(bytes) {
        return;
    }
    for channels in [0, 1, 3, 4] {
        check_pixels(bytes, decode_bmp(bytes, channels));
    }
});
