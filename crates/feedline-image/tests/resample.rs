//! Resampling: both codes give the same bits; mirrored and finished in the pass or behind it is the same.

use feedline_image::{Filter, Finish, Raster, Resampler, Sample, Target};

const FILTERS: [Filter; 9] = [
    Filter::Nearest,
    Filter::Bilinear,
    Filter::Area,
    Filter::Bicubic,
    Filter::Triangle { antialias: true },
    Filter::Cubic { antialias: true },
    Filter::Lanczos { radius: 3, antialias: true },
    Filter::Gaussian { antialias: false },
    Filter::Mitchell { antialias: true },
];

fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn run<S: Sample>(source: &Raster<'_, S>, target: &Target<'_>, scalar: bool) -> Vec<f32> {
    let mut resampler = Resampler::default();
    let mut all = Vec::new();
    if scalar {
        resampler.run_scalar(source, target, |row| all.extend_from_slice(row));
    } else {
        resampler.run(source, target, |row| all.extend_from_slice(row));
    }
    assert_eq!(all.len(), target.rows.len() * target.columns.len() * source.channels);
    all
}

#[test]
fn all_codes_give_the_same_bits() {
    let bytes = noise(40 * 40 * 4);
    let floats: Vec<f32> = bytes.iter().map(|&byte| f32::from(byte)).collect();
    for filter in FILTERS {
        for channels in [1, 3, 4] {
            for (height, width) in [(1, 1), (3, 2), (40, 40), (17, 31)] {
                for (rows, columns) in [(1, 1), (17, 31), (5, 60), (64, 7)] {
                    let len = height * width * channels;
                    let source = Raster::new(&bytes[..len], height, width, channels);
                    let target = Target::new(rows, columns, filter);
                    let scalar = run(&source, &target, true);
                    assert!(run(&source, &target, false) == scalar, "{filter:?}");
                    let source = Raster::new(&floats[..len], height, width, channels);
                    assert!(run(&source, &target, false) == scalar, "{filter:?} of floats");
                }
            }
        }
    }
}

#[test]
fn what_is_joined_to_the_pass_changes_nothing() {
    let bytes = noise(30 * 20 * 3);
    let finish = Finish::new(&[10.0, 20.0, 30.0], &[2.0, 3.0, 5.0]);
    for filter in FILTERS {
        let source = Raster::new(&bytes[..], 20, 30, 3);
        let plain = run(&source, &Target::new(11, 13, filter), false);
        let mut expected: Vec<f32> = Vec::new();
        for row in plain.chunks_exact(13 * 3).rev() {
            expected.extend(row.chunks_exact(3).rev().flatten());
        }
        finish.apply(&mut expected, 3);
        let mut target = Target::new(11, 13, filter);
        (target.flip_left_right, target.flip_up_down, target.finish) = (true, true, Some(&finish));
        assert!(run(&source, &target, false) == expected, "{filter:?}");
    }
}

#[test]
fn a_part_of_a_result_is_what_it_is_in_the_whole() {
    let bytes = noise(30 * 20 * 3);
    for filter in FILTERS {
        let source = Raster::new(&bytes[..], 20, 30, 3);
        let whole = run(&source, &Target::new(11, 13, filter), false);
        let mut target = Target::new(11, 13, filter);
        (target.rows, target.columns) = (3..9, 4..6);
        let expected: Vec<f32> = (3..9).flat_map(|row| whole[(row * 13 + 4) * 3..][..6].to_vec()).collect();
        assert!(run(&source, &target, false) == expected, "{filter:?}");
        // Of the source only what is needed.
        let mut resampler = Resampler::default();
        let (rows, columns) = resampler.plan(20, 30, &target);
        let part: Vec<u8> = rows
            .clone()
            .flat_map(|row| bytes[(row * 30 + columns.start) * 3..][..columns.len() * 3].to_vec())
            .collect();
        let mut all = Vec::new();
        let part = Raster::new(&part[..], rows.len(), columns.len(), 3);
        resampler.run_planned(&part, &target, |row| all.extend_from_slice(row));
        assert!(all == expected, "{filter:?}");
    }
}

#[test]
fn a_part_of_an_image_is_a_raster() {
    let bytes = noise(30 * 20 * 3);
    let part = Raster { samples: &bytes[(4 * 30 + 5) * 3..], height: 9, width: 8, channels: 3, stride: 90 };
    let copied: Vec<u8> = (4..13).flat_map(|row| bytes[(row * 30 + 5) * 3..][..24].to_vec()).collect();
    let target = Target::new(5, 6, Filter::Bilinear);
    assert_eq!(run(&part, &target, false), run(&Raster::new(&copied[..], 9, 8, 3), &target, false));
}
