//! Images at another size: whatever the sizes, the part and the filter, the code for this processor gives the bits of the scalar code. The input's
//! first bytes say what is done, the rest are pixels.
#![no_main]

use feedline_image::{Filter, Finish, Raster, Resampler, Target};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[height, width, channels, to_height, to_width, filter, flags, part], samples)) =
        bytes.split_first_chunk::<8>()
    else {
        return;
    };
    let (height, width) = (usize::from(height % 48) + 1, usize::from(width % 48) + 1);
    let channels = usize::from(channels % 4) + 1;
    let len = height * width * channels;
    let pixels: Vec<u8> = samples.iter().copied().chain([7]).cycle().take(len).collect();
    let antialias = flags & 1 != 0;
    let filter = match filter % 10 {
        0 => Filter::Nearest,
        1 => Filter::Bilinear,
        2 => Filter::Area,
        3 => Filter::Bicubic,
        4 => Filter::Triangle { antialias },
        5 => Filter::Cubic { antialias },
        6 => Filter::Lanczos { radius: 3, antialias },
        7 => Filter::Gaussian { antialias },
        8 => Filter::Mitchell { antialias },
        _ => Filter::None,
    };
    let (to_height, to_width) = match filter {
        Filter::None => (height, width),
        _ => (usize::from(to_height % 64) + 1, usize::from(to_width % 64) + 1),
    };
    let (mean, std) = (vec![100.5; channels], vec![57.25; channels]);
    let finish = Finish::new(&mean, &std);
    let mut target = Target::new(to_height, to_width, filter);
    target.rows = usize::from(part & 15) * to_height / 16..to_height;
    target.columns = usize::from(part >> 4) * to_width / 16..to_width;
    (target.flip_left_right, target.flip_up_down) = (flags & 2 != 0, flags & 4 != 0);
    target.finish = (flags & 8 != 0).then_some(&finish);
    let source = Raster::new(&pixels[..], height, width, channels);
    let mut resampler = Resampler::default();
    let (mut fast, mut scalar) = (Vec::new(), Vec::new());
    resampler.run(&source, &target, |row| fast.extend(row.iter().map(|value| value.to_bits())));
    resampler.run_scalar(&source, &target, |row| scalar.extend(row.iter().map(|value| value.to_bits())));
    assert_eq!(fast.len(), target.rows.len() * target.columns.len() * channels);
    assert!(fast == scalar, "{target:?} of {height} x {width} x {channels}");
});
