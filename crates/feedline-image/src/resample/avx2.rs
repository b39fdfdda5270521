//! The pass over an image with AVX2: rows are mixed eight values at a time, and pixels of three bytes made wide two at a
//! time. Additions and multiplications stay two roundings, in the order of the scalar code.

use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_cvtepi32_ps, _mm_cvtepu8_epi32, _mm_cvtsi32_si128, _mm_mul_ps, _mm_set1_ps,
    _mm_storeu_ps, _mm_sub_ps,
};

use super::rows::{Raster, Resampler, Sample, Target, widen};
use super::taps::{Taps, TapsKind};

/// [`Resampler::run_with`], compiled for AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn run<S: Sample>(
    resampler: &mut Resampler,
    source: &Raster<'_, S>,
    target: &Target<'_>,
    put: &mut impl FnMut(&[f32]),
) {
    resampler.run_with(source, target, put, |row, channels, kind, taps, wide| {
        match (S::as_bytes(row), channels, kind) {
            (Some(row), 3, TapsKind::Between) => between_bytes(row, taps, wide),
            (Some(row), 3, TapsKind::Weighted) => weigh_bytes(row, taps, wide),
            _ => widen(row, channels, kind, taps, wide),
        }
    });
}

/// Three bytes from `at` on as floats, and a fourth lane of anything.
#[inline]
#[target_feature(enable = "avx2")]
fn pixel(row: &[u8], at: usize) -> __m128 {
    let four = match row.get(at..at + 4) {
        Some(four) => i32::from_le_bytes([four[0], four[1], four[2], four[3]]),
        // The last pixel has no byte behind it.
        None => i32::from_le_bytes([row[at], row[at + 1], row[at + 2], 0]),
    };
    _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four)))
}

/// Three floats; the fourth lane goes where the next pixel will be.
#[inline]
#[target_feature(enable = "avx2")]
fn store(wide: &mut [f32], index: usize, value: __m128) {
    let place = &mut wide[index * 3..][..4];
    // SAFETY: `place` has room for four floats.
    unsafe { _mm_storeu_ps(place.as_mut_ptr(), value) };
}

#[target_feature(enable = "avx2")]
fn between_bytes(row: &[u8], taps: &Taps, wide: &mut [f32]) {
    for (index, ((first, second), part)) in taps.first.iter().zip(&taps.second).zip(&taps.weights).enumerate()
    {
        let left = pixel(row, *first as usize * 3);
        let right = pixel(row, *second as usize * 3);
        let step = _mm_mul_ps(_mm_sub_ps(right, left), _mm_set1_ps(*part));
        store(wide, index, _mm_add_ps(left, step));
    }
}

#[target_feature(enable = "avx2")]
fn weigh_bytes(row: &[u8], taps: &Taps, wide: &mut [f32]) {
    for index in 0..taps.first.len() {
        let (first, weights) = taps.weighted(index);
        let mut at = first * 3;
        let mut sum = _mm_mul_ps(pixel(row, at), _mm_set1_ps(weights[0]));
        for weight in &weights[1..] {
            at += 3;
            sum = _mm_add_ps(sum, _mm_mul_ps(pixel(row, at), _mm_set1_ps(*weight)));
        }
        store(wide, index, sum);
    }
}
