//! The kernels for processors with AVX2: two blocks at a time, one in each half of a register; 32 pixels at a time.
//!
//! Most of the unsafe code of the crate. It is of two kinds: reads and writes through pointers that a slice or
//! array of the right length was just turned into, and calls of functions that need AVX2, which an [`Avx2`] proves.
#![allow(clippy::cast_ptr_alignment, reason = "the loads and stores used here take any alignment")]

use super::colour::to_rgb_scalar;
use super::entropy::Block;
use super::idct::{
    CONST_BITS, EVEN_2, EVEN_3, FIRST_ROW, ODD_0, ODD_1, ODD_2, ODD_3, ODD_Z3, ODD_Z4, PASS_SHIFTS,
    inverse_scalar,
};
use super::kernels::Kernels;
use super::region::{Refused, RegionDecoder, Wanted};
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_storel_epi64, _mm_storeu_si128, _mm_unpackhi_epi64,
    _mm256_add_epi16, _mm256_add_epi32, _mm256_castsi128_si256, _mm256_castsi256_si128, _mm256_cmpgt_epi16,
    _mm256_cvtepu8_epi16, _mm256_extracti128_si256, _mm256_inserti128_si256, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_movemask_epi8, _mm256_mulhi_epi16, _mm256_or_si256, _mm256_packs_epi16,
    _mm256_packs_epi32, _mm256_packus_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srai_epi16,
    _mm256_srai_epi32, _mm256_sub_epi16, _mm256_sub_epi32, _mm256_unpackhi_epi16, _mm256_unpackhi_epi32,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
    _mm256_xor_si256,
};

/// Exists only where the processor has AVX2 and BMI2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let has_it = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt");
        has_it.then_some(Self(()))
    }

    /// [`RegionDecoder::decode`] compiled for this processor as a whole: its bit shifts gain from BMI2, its
    /// upsampling from AVX2.
    pub(super) fn decode(
        self,
        decoder: &mut RegionDecoder,
        bytes: &[u8],
        wanted: Wanted,
        out: &mut [u8],
    ) -> Result<(), Refused> {
        // SAFETY: `self` exists, so `detect` found the features.
        unsafe { decode(self, decoder, bytes, wanted, out) }
    }

    /// As [`Avx2::decode`], with kernels that leave something out.
    #[cfg(feature = "stages")]
    #[allow(clippy::unused_self, reason = "that it exists is the proof that the features are there")]
    pub(super) fn decode_with<K: Kernels>(
        self,
        kernels: K,
        decoder: &mut RegionDecoder,
        bytes: &[u8],
        wanted: Wanted,
        out: &mut [u8],
    ) -> Result<(), Refused> {
        // SAFETY: `self` exists, so `detect` found the features.
        unsafe { decode(kernels, decoder, bytes, wanted, out) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn decode<K: Kernels>(
    kernels: K,
    decoder: &mut RegionDecoder,
    bytes: &[u8],
    wanted: Wanted,
    out: &mut [u8],
) -> Result<(), Refused> {
    decoder.decode(kernels, bytes, wanted, out)
}

impl Kernels for Avx2 {
    #[inline(always)]
    fn inverse_pair(self, blocks: &[Block; 2], plane: &mut [u8], offsets: [usize; 2], stride: usize) {
        // SAFETY: `self` exists, so `detect` found the features.
        unsafe { inverse_pair(blocks, plane, offsets, stride) }
    }

    #[inline(always)]
    fn to_rgb(self, luma: &[u8], blue: &[u8], red: &[u8], rgb: &mut [u8]) {
        // SAFETY: `self` exists, so `detect` found the features.
        unsafe { to_rgb(luma, blue, red, rgb) }
    }
}

/// A row of both blocks.
#[target_feature(enable = "avx2")]
#[inline]
fn load_rows(blocks: &[Block; 2], row: usize) -> __m256i {
    let load = |block: &Block| {
        let row: &[i16; 8] = &block.as_chunks::<8>().0[row];
        // SAFETY: the array has 16 bytes.
        unsafe { _mm_loadu_si128(row.as_ptr().cast::<__m128i>()) }
    };
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(load(&blocks[0])), load(&blocks[1]))
}

#[target_feature(enable = "avx2")]
fn inverse_pair(blocks: &[Block; 2], plane: &mut [u8], offsets: [usize; 2], stride: usize) {
    let rows = [
        load_rows(blocks, 0),
        load_rows(blocks, 1),
        load_rows(blocks, 2),
        load_rows(blocks, 3),
        load_rows(blocks, 4),
        load_rows(blocks, 5),
        load_rows(blocks, 6),
        load_rows(blocks, 7),
    ];
    let beyond = _mm256_or_si256(
        _mm256_cmpgt_epi16(rows[0], _mm256_set1_epi16(*FIRST_ROW.end())),
        _mm256_cmpgt_epi16(_mm256_set1_epi16(*FIRST_ROW.start()), rows[0]),
    );
    if _mm256_movemask_epi8(beyond) != 0 {
        for (block, offset) in blocks.iter().zip(offsets) {
            inverse_scalar(block, plane, offset, stride);
        }
        return;
    }
    let columns = transpose(pass::<{ PASS_SHIFTS[0] as i32 }>(rows));
    let rows = transpose(pass::<{ PASS_SHIFTS[1] as i32 }>(columns));
    let to_samples = _mm256_set1_epi8(-128);
    for pair in 0..4 {
        let samples = _mm256_xor_si256(_mm256_packs_epi16(rows[2 * pair], rows[2 * pair + 1]), to_samples);
        let of_blocks = [_mm256_castsi256_si128(samples), _mm256_extracti128_si256::<1>(samples)];
        for (samples, offset) in of_blocks.into_iter().zip(offsets) {
            let at = offset + 2 * pair * stride;
            let first: &mut [u8] = &mut plane[at..at + 8];
            // SAFETY: the slice has 8 bytes.
            unsafe { _mm_storel_epi64(first.as_mut_ptr().cast::<__m128i>(), samples) };
            let upper = _mm_unpackhi_epi64(samples, samples);
            let second: &mut [u8] = &mut plane[at + stride..at + stride + 8];
            // SAFETY: the slice has 8 bytes.
            unsafe {
                _mm_storel_epi64(second.as_mut_ptr().cast::<__m128i>(), upper);
            };
        }
    }
}

/// Two factors, alternating.
#[target_feature(enable = "avx2")]
#[inline]
fn factors((even, odd): (i32, i32)) -> __m256i {
    _mm256_set1_epi32((even & 0xffff) | (odd << 16))
}

/// 16 sums of 32 bits: those of the lower halves and those of the upper halves.
type Sums = [__m256i; 2];

#[target_feature(enable = "avx2")]
#[inline]
fn dot(a: __m256i, b: __m256i, pair: (i32, i32)) -> Sums {
    let factors = factors(pair);
    [
        _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), factors),
        _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), factors),
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
fn add(a: Sums, b: Sums) -> Sums {
    [_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
fn sub(a: Sums, b: Sums) -> Sums {
    [_mm256_sub_epi32(a[0], b[0]), _mm256_sub_epi32(a[1], b[1])]
}

/// 16-bit values times 2^13.
#[target_feature(enable = "avx2")]
#[inline]
fn scaled(values: __m256i) -> Sums {
    const { assert!(CONST_BITS == 13) };
    let zero = _mm256_setzero_si256();
    [
        _mm256_srai_epi32::<3>(_mm256_unpacklo_epi16(zero, values)),
        _mm256_srai_epi32::<3>(_mm256_unpackhi_epi16(zero, values)),
    ]
}

/// One pass of the transform; see the scalar version for what it computes.
#[target_feature(enable = "avx2")]
#[inline]
fn pass<const SHIFT: i32>(c: [__m256i; 8]) -> [__m256i; 8] {
    let (tmp2, tmp3) = (dot(c[2], c[6], EVEN_2), dot(c[2], c[6], EVEN_3));
    let (tmp0, tmp1) = (scaled(_mm256_add_epi16(c[0], c[4])), scaled(_mm256_sub_epi16(c[0], c[4])));
    let even = [add(tmp0, tmp3), add(tmp1, tmp2), sub(tmp1, tmp2), sub(tmp0, tmp3)];
    let (z3, z4) = (_mm256_add_epi16(c[7], c[3]), _mm256_add_epi16(c[5], c[1]));
    let (sum3, sum4) = (dot(z3, z4, ODD_Z3), dot(z3, z4, ODD_Z4));
    let odd = [
        add(dot(c[7], c[1], ODD_3), sum4),
        add(dot(c[5], c[3], ODD_2), sum3),
        add(dot(c[5], c[3], ODD_1), sum4),
        add(dot(c[7], c[1], ODD_0), sum3),
    ];
    let round = _mm256_set1_epi32(1 << (SHIFT - 1));
    let even = even.map(|sums| add(sums, [round, round]));
    let scale_down = |sums: Sums| {
        _mm256_packs_epi32(_mm256_srai_epi32::<SHIFT>(sums[0]), _mm256_srai_epi32::<SHIFT>(sums[1]))
    };
    [
        scale_down(add(even[0], odd[0])),
        scale_down(add(even[1], odd[1])),
        scale_down(add(even[2], odd[2])),
        scale_down(add(even[3], odd[3])),
        scale_down(sub(even[3], odd[3])),
        scale_down(sub(even[2], odd[2])),
        scale_down(sub(even[1], odd[1])),
        scale_down(sub(even[0], odd[0])),
    ]
}

/// Rows to columns, in each half of the registers.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose(r: [__m256i; 8]) -> [__m256i; 8] {
    let a = [
        _mm256_unpacklo_epi16(r[0], r[1]),
        _mm256_unpackhi_epi16(r[0], r[1]),
        _mm256_unpacklo_epi16(r[2], r[3]),
        _mm256_unpackhi_epi16(r[2], r[3]),
        _mm256_unpacklo_epi16(r[4], r[5]),
        _mm256_unpackhi_epi16(r[4], r[5]),
        _mm256_unpacklo_epi16(r[6], r[7]),
        _mm256_unpackhi_epi16(r[6], r[7]),
    ];
    let b = [
        _mm256_unpacklo_epi32(a[0], a[2]),
        _mm256_unpackhi_epi32(a[0], a[2]),
        _mm256_unpacklo_epi32(a[1], a[3]),
        _mm256_unpackhi_epi32(a[1], a[3]),
        _mm256_unpacklo_epi32(a[4], a[6]),
        _mm256_unpackhi_epi32(a[4], a[6]),
        _mm256_unpacklo_epi32(a[5], a[7]),
        _mm256_unpackhi_epi32(a[5], a[7]),
    ];
    [
        _mm256_unpacklo_epi64(b[0], b[4]),
        _mm256_unpackhi_epi64(b[0], b[4]),
        _mm256_unpacklo_epi64(b[1], b[5]),
        _mm256_unpackhi_epi64(b[1], b[5]),
        _mm256_unpacklo_epi64(b[2], b[6]),
        _mm256_unpackhi_epi64(b[2], b[6]),
        _mm256_unpacklo_epi64(b[3], b[7]),
        _mm256_unpackhi_epi64(b[3], b[7]),
    ]
}

#[target_feature(enable = "avx2")]
fn to_rgb(luma: &[u8], blue: &[u8], red: &[u8], rgb: &mut [u8]) {
    let (luma, luma_rest) = luma.as_chunks::<32>();
    let (blue, blue_rest) = blue.as_chunks::<32>();
    let (red, red_rest) = red.as_chunks::<32>();
    let (rgb, rgb_rest) = rgb.split_at_mut((luma.len() * 96).min(rgb.len()));
    for (((luma, blue), red), rgb) in luma.iter().zip(blue).zip(red).zip(rgb.as_chunks_mut::<96>().0) {
        to_rgb_32(luma, blue, red, rgb);
    }
    to_rgb_scalar(luma_rest, blue_rest, red_rest, rgb_rest);
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(samples: &[u8; 32]) -> __m256i {
    // SAFETY: the array has 32 bytes.
    unsafe { _mm256_loadu_si256(samples.as_ptr().cast::<__m256i>()) }
}

/// The halves of 32 bytes as 16-bit numbers.
#[target_feature(enable = "avx2")]
#[inline]
fn widen(samples: __m256i) -> [__m256i; 2] {
    [
        _mm256_cvtepu8_epi16(_mm256_castsi256_si128(samples)),
        _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(samples)),
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
fn to_rgb_32(luma: &[u8; 32], blue: &[u8; 32], red: &[u8; 32], rgb: &mut [u8; 96]) {
    let (luma, blue, red) = (widen(load(luma)), widen(load(blue)), widen(load(red)));
    let [low, high] = [0, 1].map(|half| to_rgb_16(luma[half], blue[half], red[half]));
    // packus mixes the quarters; the permutation puts them in order again.
    let pack = |channel: usize| {
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(low[channel], high[channel]))
    };
    let channels = [pack(0), pack(1), pack(2)];
    for (third, masks) in INTERLEAVE.iter().enumerate() {
        let part = |channel: usize| _mm256_shuffle_epi8(channels[channel], mask(&masks[channel]));
        let bytes = _mm256_or_si256(_mm256_or_si256(part(0), part(1)), part(2));
        let halves = [_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes)];
        for (index, half) in halves.into_iter().enumerate() {
            let to: &mut [u8] = &mut rgb[48 * index + 16 * third..][..16];
            // SAFETY: the slice has 16 bytes.
            unsafe { _mm_storeu_si128(to.as_mut_ptr().cast::<__m128i>(), half) };
        }
    }
}

/// 16 pixels, red, green and blue, not yet limited to 0 to 255.
#[target_feature(enable = "avx2")]
#[inline]
fn to_rgb_16(luma: __m256i, blue: __m256i, red: __m256i) -> [__m256i; 3] {
    let middle = _mm256_set1_epi16(128);
    let (blue, red) = (_mm256_sub_epi16(blue, middle), _mm256_sub_epi16(red, middle));
    let (blue2, red2) = (_mm256_add_epi16(blue, blue), _mm256_add_epi16(red, red));
    // The factors are above 1, so what fits 16 bits is multiplied and the rest added: 91881 = 65536 + 26345 and
    // 116130 = 2 * 65536 - 14942. Doubled before, and halved with rounding after, the product is rounded exactly.
    let one = _mm256_set1_epi16(1);
    let rounded = |doubled: __m256i, factor: i16| {
        let product = _mm256_mulhi_epi16(doubled, _mm256_set1_epi16(factor));
        _mm256_srai_epi16::<1>(_mm256_add_epi16(product, one))
    };
    let r = _mm256_add_epi16(luma, _mm256_add_epi16(red, rounded(red2, 26345)));
    let b = _mm256_add_epi16(luma, _mm256_add_epi16(blue2, rounded(blue2, -14942)));
    // -46802 = -65536 + 18734.
    let half = _mm256_set1_epi32(1 << 15);
    let sums =
        dot(blue, red, (-22554, 18734)).map(|sum| _mm256_srai_epi32::<16>(_mm256_add_epi32(sum, half)));
    let g = _mm256_add_epi16(luma, _mm256_sub_epi16(_mm256_packs_epi32(sums[0], sums[1]), red));
    [r, g, b]
}

/// For each third of 48 bytes, and each channel: which of its 16 samples goes where; -1 is none.
const INTERLEAVE: [[[i8; 16]; 3]; 3] = {
    let mut masks = [[[-1; 16]; 3]; 3];
    let mut at = 0;
    while at < 48 {
        masks[at / 16][at % 3][at % 16] = (at / 3) as i8;
        at += 1;
    }
    masks
};

#[target_feature(enable = "avx2")]
#[inline]
fn mask(m: &[i8; 16]) -> __m256i {
    _mm256_setr_epi8(
        m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14], m[15],
        m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14], m[15],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jpeg::kernels::Scalar;
    use proptest::prelude::*;

    fn coefficient() -> impl Strategy<Value = i16> {
        prop_oneof![4 => Just(0_i16), 4 => -300..300_i16, 1 => any::<i16>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn transforms_equal_the_scalar_ones(coefficients in proptest::collection::vec(coefficient(), 128)) {
            let Some(kernels) = Avx2::detect() else { return Ok(()) };
            let blocks: [Block; 2] =
                [coefficients[..64].try_into().unwrap(), coefficients[64..].try_into().unwrap()];
            let (mut expected, mut found) = (vec![7; 20 * 9], vec![7; 20 * 9]);
            Scalar.inverse_pair(&blocks, &mut expected, [1, 10], 20);
            kernels.inverse_pair(&blocks, &mut found, [1, 10], 20);
            prop_assert_eq!(expected, found);
        }

        #[test]
        fn colours_equal_the_scalar_ones(samples in proptest::collection::vec(any::<[u8; 3]>(), 0..150)) {
            let Some(kernels) = Avx2::detect() else { return Ok(()) };
            let [luma, blue, red] = [0, 1, 2].map(|index| samples.iter().map(|s| s[index]).collect::<Vec<u8>>());
            let (mut expected, mut found) = (vec![7; 3 * luma.len()], vec![7; 3 * luma.len()]);
            Scalar.to_rgb(&luma, &blue, &red, &mut expected);
            kernels.to_rgb(&luma, &blue, &red, &mut found);
            prop_assert_eq!(expected, found);
        }
    }

    #[test]
    fn every_colour_equals_the_scalar_one() {
        let Some(kernels) = Avx2::detect() else { return };
        let blue: Vec<u8> = (0..=255).collect();
        for luma in (0..=255).step_by(51) {
            for red in 0..=255 {
                let (luma, red) = ([luma; 256], [red; 256]);
                let (mut expected, mut found) = ([0; 768], [1; 768]);
                Scalar.to_rgb(&luma, &blue, &red, &mut expected);
                kernels.to_rgb(&luma, &blue, &red, &mut found);
                assert_eq!(expected, found);
            }
        }
    }
}
