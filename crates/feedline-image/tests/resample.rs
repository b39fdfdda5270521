//! Resampling: both codes give the same bits; mirrored and finished in the pass or behind it is the same.

use feedline_image::{Filter, Finish, Raster, Resampler, Sample, Target};
use proptest::prelude::*;

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

/// One way of Pillow's: each place is the mean of those around it by the weights of `filter`, which are whole numbers of 22 bits, rounded to a whole level.
fn along(filter: Filter, row: &[u8], to: usize) -> Vec<u8> {
    const BITS: i32 = 22;
    let (radius, weight): (f64, fn(f64) -> f64) = match filter {
        Filter::Triangle { .. } => (1.0, |x| (1.0 - x.abs()).max(0.0)),
        Filter::Cubic { .. } => (2.0, |x| {
            let x = x.abs();
            if x < 1.0 {
                (1.5 * x - 2.5) * x * x + 1.0
            } else if x < 2.0 {
                ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
            } else {
                0.0
            }
        }),
        _ => (3.0, |x| {
            let sinc = |x: f64| {
                let x = x * std::f64::consts::PI;
                if x == 0.0 { 1.0 } else { x.sin() / x }
            };
            if (-3.0..3.0).contains(&x) { sinc(x) * sinc(x / 3.0) } else { 0.0 }
        }),
    };
    let scale = row.len() as f64 / to as f64;
    let widened = scale.max(1.0);
    let place = |index: usize| {
        let at = (index as f64 + 0.5) * scale;
        let first = (at - radius * widened + 0.5).max(0.0) as usize;
        let end = ((at + radius * widened + 0.5) as usize).min(row.len());
        let weights: Vec<f64> =
            (first..end).map(|source| weight((source as f64 - at + 0.5) / widened)).collect();
        let sum: f64 = weights.iter().sum();
        let whole = weights.iter().map(|weight| (weight / sum * f64::from(1 << BITS)).round() as i32);
        let start = 1 << (BITS - 1);
        let mixed = row[first..end]
            .iter()
            .zip(whole)
            .fold(start, |mixed, (&level, weight)| mixed + i32::from(level) * weight);
        (mixed >> BITS).clamp(0, 255) as u8
    };
    (0..to).map(place).collect()
}

/// As Pillow does it, but for the last digit of a weight: it rounds to whole levels twice, columns first.
fn by_pillow(filter: Filter, image: &[u8], (height, width): (usize, usize), to: (usize, usize)) -> Vec<u8> {
    let wide: Vec<u8> = image.chunks_exact(width).flat_map(|row| along(filter, row, to.1)).collect();
    let column = |x: usize| (0..height).map(|y| wide[y * to.1 + x]).collect::<Vec<u8>>();
    let columns: Vec<Vec<u8>> = (0..to.1).map(|x| along(filter, &column(x), to.0)).collect();
    (0..to.0).flat_map(|y| columns.iter().map(move |column| column[y])).collect()
}

proptest! {
    #[test]
    fn bytes_are_scaled_as_pillow_does_but_for_its_roundings(
        sizes in prop_oneof![
            (1..40_usize, 1..40_usize, 1..40_usize, 1..40_usize),
            (1..200_usize, 1..500_usize, 1..200_usize, 1..500_usize),
        ],
        is_steep in any::<bool>(),
    ) {
        let (height, width, rows, columns) = sizes;
        let antialias = true;
        for (filter, tolerance) in [
            (Filter::Triangle { antialias }, 1.01),
            (Filter::Cubic { antialias }, 1.5),
            (Filter::Lanczos { radius: 3, antialias }, 1.5),
        ] {
            let mut image = noise(height * width);
            if filter != (Filter::Triangle { antialias }) {
                // No value leaves 0 to 255, where Pillow cuts.
                image.iter_mut().for_each(|level| *level = 90 + *level % 76);
            } else if is_steep {
                image.iter_mut().for_each(|level| *level = if *level < 128 { 0 } else { 255 });
            }
            let own = run(&Raster::new(&image, height, width, 1), &Target::new(rows, columns, filter), false);
            let theirs = by_pillow(filter, &image, (height, width), (rows, columns));
            let distance = own.iter().zip(theirs).map(|(own, theirs)| (own - f32::from(theirs)).abs()).fold(0.0, f32::max);
            prop_assert!(distance <= tolerance, "{filter:?}: {distance}");
        }
    }
}
