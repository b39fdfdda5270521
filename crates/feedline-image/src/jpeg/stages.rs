//! Decoding that stops before a stage, for benchmarks that ask what each costs: the time of one is what the next adds.

use super::decode::Region;
use super::entropy::Block;
use super::kernels::{Kernels, Scalar};
use super::region::{RegionDecoder, Wanted};

/// How far an image is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeStage {
    /// To coefficients.
    Entropy,
    /// To samples of each component.
    Transform,
    /// To pixels.
    Colour,
}

/// Kernels that do as others do, as far as the stage.
#[derive(Clone, Copy)]
struct UpTo<K, const TRANSFORMS: bool>(K);

impl<K: Kernels, const TRANSFORMS: bool> Kernels for UpTo<K, TRANSFORMS> {
    const TRANSFORMS: bool = TRANSFORMS;
    const COLOURS: bool = false;

    #[inline(always)]
    fn inverse_pair(self, blocks: &[Block; 2], plane: &mut [u8], offsets: [usize; 2], stride: usize) {
        self.0.inverse_pair(blocks, plane, offsets, stride);
    }

    #[inline(always)]
    fn to_rgb(self, luma: &[u8], blue: &[u8], red: &[u8], rgb: &mut [u8]) {
        self.0.to_rgb(luma, blue, red, rgb);
    }
}

/// What one thread decodes with.
#[derive(Debug, Default)]
pub struct StagedDecoder(RegionDecoder);

impl StagedDecoder {
    /// Decodes a region of a baseline JPEG as far as `stage`; RGB pixels are in `out` behind the last one alone. Whether it is an image for our
    /// own decoder.
    pub fn decode_up_to(&mut self, stage: DecodeStage, bytes: &[u8], region: Region, out: &mut [u8]) -> bool {
        let wanted = Wanted { region, num_channels: 3, ratio: 1, takes_damage: false };
        let decoder = &mut self.0;
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = super::avx2::Avx2::detect() {
            return match stage {
                DecodeStage::Entropy => avx2.decode_with(UpTo::<_, false>(avx2), decoder, bytes, wanted, out),
                DecodeStage::Transform => {
                    avx2.decode_with(UpTo::<_, true>(avx2), decoder, bytes, wanted, out)
                }
                DecodeStage::Colour => avx2.decode(decoder, bytes, wanted, out),
            }
            .is_ok();
        }
        match stage {
            DecodeStage::Entropy => decoder.decode(UpTo::<_, false>(Scalar), bytes, wanted, out),
            DecodeStage::Transform => decoder.decode(UpTo::<_, true>(Scalar), bytes, wanted, out),
            DecodeStage::Colour => decoder.decode(Scalar, bytes, wanted, out),
        }
        .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JpegChannels, JpegDecoder};

    #[test]
    fn the_last_stage_is_decoding_and_those_before_it_leave_pixels_out() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/jpegs/420-130x70.jpg");
        let bytes = std::fs::read(path).unwrap();
        let region = Region { x: 20, y: 10, width: 60, height: 30 };
        let expected = JpegDecoder::new().decode_region(&bytes, region, JpegChannels::Rgb).unwrap().data;
        let mut decoder = StagedDecoder::default();
        for stage in [DecodeStage::Entropy, DecodeStage::Transform] {
            let mut out = vec![7; expected.len()];
            assert!(decoder.decode_up_to(stage, &bytes, region, &mut out));
            assert!(out.iter().all(|&sample| sample == 7), "{stage:?}");
        }
        let mut out = vec![7; expected.len()];
        assert!(decoder.decode_up_to(DecodeStage::Colour, &bytes, region, &mut out));
        assert_eq!(out, expected);
    }
}
