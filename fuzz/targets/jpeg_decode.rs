//! JPEG pixels: any bytes decode or are refused; of a whole image and of a region of it, which the input's last byte picks.
#![no_main]

use feedline_image::{JpegChannels, JpegDecoder, Region};
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: {
        // A panic of the library is caught and becomes an error, but libFuzzer's hook would end the process first.
        // One of ours still does: it reaches the caller of the target.
        std::panic::set_hook(Box::new(|_| {}));
    },
    |bytes: &[u8]| {
        let mut decoder = JpegDecoder::new().with_max_pixels(1 << 18);
        let Ok(info) = decoder.info(bytes) else { return };
        let pick = u32::from(*bytes.last().unwrap_or(&0));
        let (x, y) = ((pick & 15) * info.width / 16, (pick >> 4) * info.height / 16);
        let region =
            Region { x, y, width: (info.width - x).div_ceil(2), height: (info.height - y).div_ceil(2) };
        for channels in [JpegChannels::AsStored, JpegChannels::Gray, JpegChannels::Rgb] {
            _ = decoder.decode(bytes, channels);
            _ = decoder.decode_region(bytes, region, channels);
        }
    }
);
