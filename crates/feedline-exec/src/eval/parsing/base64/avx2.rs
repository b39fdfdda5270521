//! Thirty-two characters at a time.
//!
//! Lines of some seventy bytes took 40 ns each by look-ups of two characters, 16 so (one core of a Xeon of the benchmarks; bits in a
//! 64-bit word took 59, and a pass for the bits and one for the characters 36).

use std::arch::x86_64::{
    _mm_loadu_si128, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpgt_epi8, _mm256_mulhi_epu16,
    _mm256_mullo_epi16, _mm256_or_si256, _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi32,
    _mm256_setr_epi8, _mm256_shuffle_epi8, _mm256_storeu_si256, _mm256_subs_epu8,
};

/// Bytes that become characters in a step, and those that are read for it: two runs of sixteen, of which the first twelve count.
const STEP_BYTES: usize = 24;
const READ_BYTES: usize = 28;
/// Characters of a step.
const STEP_CHARACTERS: usize = 32;

/// Writes the characters of the first bytes of `string` to `to`, which has room for all of them. How many are written: four for each three bytes.
#[target_feature(enable = "avx2")]
pub(super) fn encode_part(string: &[u8], to: &mut [u8]) -> usize {
    if string.len() < READ_BYTES {
        return 0;
    }
    // The last step ends as near the end as it can, and does again what it has in common with the one before it.
    let last = (string.len() - READ_BYTES) / 3 * 3;
    let mut at = 0;
    loop {
        let at_end = at >= last;
        let from = at.min(last);
        step(&string[from..from + READ_BYTES], &mut to[from / 3 * 4..from / 3 * 4 + STEP_CHARACTERS]);
        if at_end {
            return from / 3 * 4 + STEP_CHARACTERS;
        }
        at += STEP_BYTES;
    }
}

/// The characters of the first [`STEP_BYTES`] bytes (Muła and Lemire, "Faster Base64 Encoding and Decoding Using AVX2 Instructions").
#[target_feature(enable = "avx2")]
fn step(bytes: &[u8], to: &mut [u8]) {
    let (low, high) = (&bytes[..16], &bytes[12..READ_BYTES]);
    let to = &mut to[..STEP_CHARACTERS];
    // SAFETY: both slices have sixteen bytes, and loads need no alignment.
    let halves = unsafe {
        _mm256_set_m128i(_mm_loadu_si128(high.as_ptr().cast()), _mm_loadu_si128(low.as_ptr().cast()))
    };
    // Three bytes a, b, c to b, a, c, b: each pair of bits lies in a word of sixteen then.
    let order = _mm256_setr_epi8(
        1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, //
        1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10,
    );
    let words = _mm256_shuffle_epi8(halves, order);
    // Six bits each to a byte of their own: the first and third by a shift to the right, the others by one to the left, as products.
    let first = _mm256_and_si256(words, _mm256_set1_epi32(0x0fc0_fc00));
    let first = _mm256_mulhi_epu16(first, _mm256_set1_epi32(0x0400_0040));
    let second = _mm256_and_si256(words, _mm256_set1_epi32(0x003f_03f0));
    let second = _mm256_mullo_epi16(second, _mm256_set1_epi32(0x0100_0010));
    let values = _mm256_or_si256(first, second);
    // What is added to a value follows from its range: 13 for the upper case, 0 for the lower, 1 to 10 for digits, 11 and 12 for `-` and `_`.
    let ranges = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
    let is_upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), values);
    let ranges = _mm256_or_si256(ranges, _mm256_and_si256(is_upper, _mm256_set1_epi8(13)));
    let added = _mm256_setr_epi8(
        71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -17, 32, 65, 0, 0, //
        71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -17, 32, 65, 0, 0,
    );
    let characters = _mm256_add_epi8(values, _mm256_shuffle_epi8(added, ranges));
    // SAFETY: `to` has thirty-two bytes, and stores need no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), characters) };
}
