//! JPEG pixels: any bytes decode or are refused. A region has the pixels that the whole has there, at its own size and at a part of it; and
//! with restarts the image is the same. Which region and size, the input's last byte picks.
#![no_main]

use feedline_image::{JpegChannels, JpegDecoder, Pixels, Region, is_crop_ready, with_restarts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: {
        // A panic of the library is caught and becomes an error, but libFuzzer's hook would end the process first.
        // One of ours still does: it reaches the caller of the target.
        std::panic::set_hook(Box::new(|_| {}));
    },
    |bytes: &[u8]| {
        let mut decoder = JpegDecoder::new().with_max_pixels(1 << 15);
        let Ok(info) = decoder.info(bytes) else { return };
        let pick = u32::from(*bytes.last().unwrap_or(&0));
        let part_of = |width: u32, height: u32| {
            let (x, y) = ((pick & 15) * width / 16, (pick >> 4) * height / 16);
            Region { x, y, width: (width - x).div_ceil(2), height: (height - y).div_ceil(2) }
        };
        for channels in [JpegChannels::AsStored, JpegChannels::Gray, JpegChannels::Rgb] {
            let region = part_of(info.width, info.height);
            let part = decoder.decode_region(bytes, region, channels);
            // Damage below the region is no error there, so that the part may be there without the whole, never the whole without it.
            if let Ok(whole) = decoder.decode(bytes, channels) {
                let part = part.unwrap_or_else(|error| panic!("the whole decodes, a part does not: {error}"));
                assert!(part.data == cropped(&whole, region), "{region:?} of {info:?}, {channels:?}");
            }
        }
        let ratio = [2, 4, 8][pick as usize % 3];
        if let Ok(whole) = decoder.decode_scaled(bytes, ratio, JpegChannels::Rgb) {
            let region = part_of(whole.width, whole.height);
            let mut part = vec![0; region.width as usize * region.height as usize * usize::from(whole.channels)];
            decoder
                .decode_scaled_region_into(bytes, &info, ratio, region, JpegChannels::Rgb, &mut part)
                .unwrap_or_else(|error| panic!("the whole decodes at 1/{ratio}, a part does not: {error}"));
            assert!(part == cropped(&whole, region), "{region:?} of {info:?} at 1/{ratio}");
        }
        // That pixels stay the same it checks itself; that any decoder may read them, here.
        if let Ok(written) = with_restarts(bytes) {
            assert!(is_crop_ready(&written));
            assert!(decoder.decode(&written, JpegChannels::AsStored).is_ok());
        }
    }
);

fn cropped(whole: &Pixels, region: Region) -> Vec<u8> {
    let channels = usize::from(whole.channels);
    let rows = whole.data.chunks_exact(whole.width as usize * channels);
    let wanted = rows.skip(region.y as usize).take(region.height as usize);
    wanted
        .flat_map(|row| &row[region.x as usize * channels..][..region.width as usize * channels])
        .copied()
        .collect()
}
