//! The arithmetic over samples, in versions for different processors that give the same bits.

use super::colour::to_rgb_scalar;
use super::entropy::Block;
use super::idct::inverse_scalar;

/// One version of the kernels. A value of the type is the proof that this processor can run it.
pub(super) trait Kernels: Copy {
    /// Whether blocks are transformed to samples, and samples put together to pixels: left out only to see what they cost (`stages`).
    const TRANSFORMS: bool = true;
    const COLOURS: bool = true;

    /// Transforms two blocks, each to its offset in `plane`, rows `stride` apart.
    fn inverse_pair(self, blocks: &[Block; 2], plane: &mut [u8], offsets: [usize; 2], stride: usize);

    /// A row of `YCbCr` to RGB.
    fn to_rgb(self, luma: &[u8], blue: &[u8], red: &[u8], rgb: &mut [u8]);
}

/// The reference; any processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scalar;

impl Kernels for Scalar {
    fn inverse_pair(self, blocks: &[Block; 2], plane: &mut [u8], offsets: [usize; 2], stride: usize) {
        for (block, offset) in blocks.iter().zip(offsets) {
            inverse_scalar(block, plane, offset, stride);
        }
    }

    fn to_rgb(self, luma: &[u8], blue: &[u8], red: &[u8], rgb: &mut [u8]) {
        to_rgb_scalar(luma, blue, red, rgb);
    }
}
