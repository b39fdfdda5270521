//! GIF pixels: any bytes decode to as many pixels as they say, or are refused with a place that is within them.
#![no_main]

use feedline_fuzz::{check_pixels, is_small};
use feedline_image::decode_gif;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if !is_small(bytes) {
        return;
    }
    for max_frames in [1, usize::MAX] {
        check_pixels(bytes, decode_gif(bytes, max_frames));
    }
});
