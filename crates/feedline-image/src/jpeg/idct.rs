//! The inverse transform: libjpeg's accurate integer one ("islow"), as its SIMD versions compute it.
//!
//! Sums of two coefficients wrap at 16 bits and results saturate, which is how libjpeg-turbo behaves on every
//! processor it has SIMD for; for the coefficients of real images there is no difference to its C code. Nor is there one to its shorter
//! way for blocks with nothing but their first row, which wraps where the other saturates: with damaged coefficients beyond [`FIRST_ROW`].

use super::entropy::Block;

const FIX_0_298: i32 = 2446;
const FIX_0_390: i32 = 3196;
const FIX_0_541: i32 = 4433;
const FIX_0_765: i32 = 6270;
const FIX_0_899: i32 = 7373;
const FIX_1_175: i32 = 9633;
const FIX_1_501: i32 = 12299;
const FIX_1_847: i32 = 15137;
const FIX_1_961: i32 = 16069;
const FIX_2_053: i32 = 16819;
const FIX_2_562: i32 = 20995;
const FIX_3_072: i32 = 25172;

/// The factors of the sums of two products that the transform is made of.
pub(super) const EVEN_2: (i32, i32) = (FIX_0_541, FIX_0_541 - FIX_1_847);
pub(super) const EVEN_3: (i32, i32) = (FIX_0_541 + FIX_0_765, FIX_0_541);
pub(super) const ODD_Z3: (i32, i32) = (FIX_1_175 - FIX_1_961, FIX_1_175);
pub(super) const ODD_Z4: (i32, i32) = (FIX_1_175, FIX_1_175 - FIX_0_390);
pub(super) const ODD_0: (i32, i32) = (FIX_0_298 - FIX_0_899, -FIX_0_899);
pub(super) const ODD_3: (i32, i32) = (-FIX_0_899, FIX_1_501 - FIX_0_899);
pub(super) const ODD_1: (i32, i32) = (FIX_2_053 - FIX_2_562, -FIX_2_562);
pub(super) const ODD_2: (i32, i32) = (-FIX_2_562, FIX_3_072 - FIX_2_562);

pub(super) const CONST_BITS: u32 = 13;
/// How far the sums of the first pass, over columns, and of the second, over rows, are scaled down.
pub(super) const PASS_SHIFTS: [u32; 2] = [CONST_BITS - 2, CONST_BITS + 2 + 3];

/// Coefficients of the first row for which the first pass neither wraps nor saturates.
pub(super) const FIRST_ROW: std::ops::RangeInclusive<i16> = -8192..=8191;

/// Transforms a block into 8 × 8 samples from `offset` on, rows `stride` apart.
pub(super) fn inverse_scalar(block: &Block, plane: &mut [u8], offset: usize, stride: usize) {
    let mut columns = [[0_i16; 8]; 8];
    let has_first_row_only = block[8..].iter().all(|&coefficient| coefficient == 0);
    for (index, column) in columns.iter_mut().enumerate() {
        *column = if has_first_row_only {
            [block[index] << 2; 8]
        } else {
            pass(std::array::from_fn(|row| block[8 * row + index]), PASS_SHIFTS[0])
        };
    }
    for row in 0..8 {
        let samples = pass(std::array::from_fn(|column| columns[column][row]), PASS_SHIFTS[1]);
        plane[offset + row * stride..][..8].copy_from_slice(&samples.map(to_sample));
    }
}

/// As [`inverse_scalar`] for a block with nothing but its first coefficient: all samples are equal, `side` across and down. Of fewer than 8, the
/// coefficient must be within [`FIRST_ROW`].
pub(super) fn inverse_dc(dc: i16, side: usize, plane: &mut [u8], offset: usize, stride: usize) {
    let column = dc << 2;
    let round = 1 << (PASS_SHIFTS[1] - 1);
    let sample = to_sample(saturate(((i32::from(column) << CONST_BITS) + round) >> PASS_SHIFTS[1]));
    for row in 0..side {
        plane[offset + row * stride..][..side].fill(sample);
    }
}

fn pass(c: [i16; 8], shift: u32) -> [i16; 8] {
    let dot = |a: i16, b: i16, (x, y): (i32, i32)| (i32::from(a) * x).wrapping_add(i32::from(b) * y);
    let scaled = |sum: i16| i32::from(sum) << CONST_BITS;
    let (tmp2, tmp3) = (dot(c[2], c[6], EVEN_2), dot(c[2], c[6], EVEN_3));
    let (tmp0, tmp1) = (scaled(c[0].wrapping_add(c[4])), scaled(c[0].wrapping_sub(c[4])));
    let even =
        [tmp0.wrapping_add(tmp3), tmp1.wrapping_add(tmp2), tmp1.wrapping_sub(tmp2), tmp0.wrapping_sub(tmp3)];
    let (z3, z4) = (c[7].wrapping_add(c[3]), c[5].wrapping_add(c[1]));
    let (sum3, sum4) = (dot(z3, z4, ODD_Z3), dot(z3, z4, ODD_Z4));
    let odd = [
        dot(c[7], c[1], ODD_3).wrapping_add(sum4),
        dot(c[5], c[3], ODD_2).wrapping_add(sum3),
        dot(c[5], c[3], ODD_1).wrapping_add(sum4),
        dot(c[7], c[1], ODD_0).wrapping_add(sum3),
    ];
    let scale_down = |sum: i32| saturate(sum.wrapping_add(1 << (shift - 1)) >> shift);
    std::array::from_fn(|index| match index {
        0..4 => scale_down(even[index].wrapping_add(odd[index])),
        _ => scale_down(even[7 - index].wrapping_sub(odd[7 - index])),
    })
}

fn saturate(value: i32) -> i16 {
    value.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16
}

pub(super) fn to_sample(value: i16) -> u8 {
    (value.clamp(-128, 127) + 128) as u8
}
