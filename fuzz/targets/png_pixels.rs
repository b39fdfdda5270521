//! PNG pixels: any bytes decode to as many pixels as they say, or are refused with a place that is within them.
#![no_main]

use feedline_fuzz::{check_pixels, is_small};
use feedline_image::decode_png;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if !is_small(bytes) {
        return;
    }
    for (channels, is_wide) in [(0, false), (1, false), (3, true), (4, true)] {
        check_pixels(bytes, decode_png(bytes, channels, is_wide));
    }
});
