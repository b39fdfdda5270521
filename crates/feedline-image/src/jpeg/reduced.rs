//! The inverse transform to fewer samples: a block of an image that is decoded at a half, a quarter or an eighth of its size
//! becomes 4 × 4, 2 × 2 or 1 × 1 samples, as libjpeg's reduced transforms make them.
//!
//! Of the coefficients those are used that the smaller block can show. Columns go side by side through the first
//! pass, so that the compiler makes vectors of them.

use super::entropy::Block;
use super::idct::{CONST_BITS, to_sample};

/// Factors of the odd coefficients 1, 3, 5 and 7, in the scale of [`CONST_BITS`], and of the even ones 2 and 6.
const ODD_OUTER: [i32; 4] = [20995, 7373, -4926, -4176];
const ODD_INNER: [i32; 4] = [8697, -17799, 11893, -1730];
const EVEN: [i32; 2] = [15137, -6270];
/// To two samples: factors of the odd coefficients; the even ones cancel out.
const ODD_OF_TWO: [i32; 4] = [29692, -10426, 6967, -5906];

/// How far the first pass scales up what it gives the second.
const PASS_BITS: u32 = 2;

/// Transforms a block into `side` × `side` samples (1, 2 or 4) from `offset` on, rows `stride` apart.
#[inline(always)]
pub(super) fn inverse_reduced(block: &Block, side: usize, plane: &mut [u8], offset: usize, stride: usize) {
    match side {
        4 => to_four(block, plane, offset, stride),
        2 => to_two(block, plane, offset, stride),
        _ => plane[offset] = sample(scaled_down(i32::from(block[0]), 3)),
    }
}

#[inline(always)]
fn to_four(block: &Block, plane: &mut [u8], offset: usize, stride: usize) {
    let rows: [[i32; 8]; 8] =
        std::array::from_fn(|row| std::array::from_fn(|column| i32::from(block[8 * row + column])));
    let shift = CONST_BITS - PASS_BITS + 1;
    let mut columns = [[0; 8]; 4];
    for column in 0..8 {
        let made = four(|index| rows[index][column]).map(|sum| scaled_down(sum, shift));
        for (to, value) in columns.iter_mut().zip(made) {
            to[column] = value;
        }
    }
    for (index, row) in columns.iter().enumerate() {
        let made = four(|column| row[column]).map(|sum| sample(scaled_down(sum, CONST_BITS + PASS_BITS + 4)));
        plane[offset + index * stride..][..4].copy_from_slice(&made);
    }
}

#[inline(always)]
fn to_two(block: &Block, plane: &mut [u8], offset: usize, stride: usize) {
    let mut columns = [[0; 8]; 2];
    for column in 0..8 {
        let made = two(|index| i32::from(block[8 * index + column]));
        for (to, sum) in columns.iter_mut().zip(made) {
            to[column] = scaled_down(sum, CONST_BITS - PASS_BITS + 2);
        }
    }
    for (index, row) in columns.iter().enumerate() {
        let made = two(|column| row[column]).map(|sum| sample(scaled_down(sum, CONST_BITS + PASS_BITS + 5)));
        plane[offset + index * stride..][..2].copy_from_slice(&made);
    }
}

/// Four sums from eight coefficients. Those of damaged files may wrap.
#[inline(always)]
fn four(c: impl Fn(usize) -> i32) -> [i32; 4] {
    let odd = |factors: [i32; 4]| {
        (0..4).fold(0_i32, |sum, index| sum.wrapping_add(c(2 * index + 1).wrapping_mul(factors[index])))
    };
    let middle = c(0).wrapping_shl(CONST_BITS + 1);
    let even = c(2).wrapping_mul(EVEN[0]).wrapping_add(c(6).wrapping_mul(EVEN[1]));
    let (outer, inner) = (middle.wrapping_add(even), middle.wrapping_sub(even));
    let (odd_outer, odd_inner) = (odd(ODD_OUTER), odd(ODD_INNER));
    [
        outer.wrapping_add(odd_outer),
        inner.wrapping_add(odd_inner),
        inner.wrapping_sub(odd_inner),
        outer.wrapping_sub(odd_outer),
    ]
}

#[inline(always)]
fn two(c: impl Fn(usize) -> i32) -> [i32; 2] {
    let middle = c(0).wrapping_shl(CONST_BITS + 2);
    let odd =
        (0..4).fold(0_i32, |sum, index| sum.wrapping_add(c(2 * index + 1).wrapping_mul(ODD_OF_TWO[index])));
    [middle.wrapping_add(odd), middle.wrapping_sub(odd)]
}

#[inline(always)]
fn scaled_down(sum: i32, shift: u32) -> i32 {
    sum.wrapping_add(1 << (shift - 1)) >> shift
}

#[inline(always)]
fn sample(value: i32) -> u8 {
    to_sample(value.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16)
}

#[cfg(test)]
mod tests {
    use super::super::idct::{FIRST_ROW, inverse_dc};
    use super::*;

    #[test]
    fn the_shorter_way_gives_the_same() {
        for dc in FIRST_ROW {
            let mut block = [0; 64];
            block[0] = dc;
            for side in [1, 2, 4] {
                let (mut one, mut other) = ([0; 16], [0; 16]);
                inverse_reduced(&block, side, &mut one, 0, side);
                inverse_dc(dc, side, &mut other, 0, side);
                assert_eq!(one, other, "{dc} to {side}");
            }
        }
    }
}
