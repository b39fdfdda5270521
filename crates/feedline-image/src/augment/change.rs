//! One change of an image of bytes, of those that recipes choose from.

use super::affine::{Affine, Interpolation, Warped};
use super::{enhance, tables};
use crate::resample::Raster;

/// What is done to an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Nothing.
    Identity,
    /// Rows moved sideways, by this much a row.
    ShearX(f64),
    /// Columns moved up, by this much a column.
    ShearY(f64),
    /// Moved to the right by so many pixels, without the fraction.
    TranslateX(f64),
    /// Moved down by so many pixels, without the fraction.
    TranslateY(f64),
    /// Turned against the clock by so many degrees.
    Rotate(f64),
    /// Brighter by this part; −1 is black.
    Brightness(f64),
    /// More colourful by this part; −1 is gray.
    Color(f64),
    /// More contrast by this part; −1 is none.
    Contrast(f64),
    /// Sharper by this part; −1 is blurred.
    Sharpness(f64),
    /// So many bits kept.
    Posterize(u32),
    /// What is not below this inverted.
    Solarize(f64),
    /// Each channel stretched to the whole scale.
    AutoContrast,
    /// Each channel's histogram flattened.
    Equalize,
    /// White becomes black.
    Invert,
}

/// An image of bytes that is changed, and how pixels are moved in it.
#[derive(Clone, Debug)]
pub struct Canvas<'a> {
    /// Row after row.
    pub pixels: Vec<u8>,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// Bytes of a pixel: 1 is gray, 3 is red, green and blue.
    pub channels: usize,
    /// How values between pixels are made.
    pub interpolation: Interpolation,
    /// What comes in from outside: a value for each channel, or one for all.
    pub fill: &'a [u8],
    /// Memory to compute with.
    pub spare: Vec<u8>,
}

impl Canvas<'_> {
    /// Does it.
    pub fn apply(&mut self, change: Change) {
        if self.pixels.is_empty() {
            return;
        }
        let middle = [self.width as f64 * 0.5, self.height as f64 * 0.5];
        let sheared = |shear: [f64; 2]| {
            let degrees = shear.map(|shear| shear.atan().to_degrees());
            Affine::new([0.0; 2], 0.0, [0.0; 2], 1.0, degrees)
        };
        let moved = |by: [f64; 2]| Affine::new(middle, 0.0, by.map(f64::trunc), 1.0, [0.0; 2]);
        match change {
            Change::Identity => {}
            Change::ShearX(shear) => self.warp(sheared([shear, 0.0])),
            Change::ShearY(shear) => self.warp(sheared([0.0, shear])),
            Change::TranslateX(by) => self.warp(moved([by, 0.0])),
            Change::TranslateY(by) => self.warp(moved([0.0, by])),
            Change::Rotate(angle) => self.warp(Affine::rotation(middle, angle)),
            Change::Brightness(by) => enhance::brighten(&mut self.pixels, 1.0 + by),
            Change::Color(by) => enhance::colour(&mut self.pixels, self.channels, 1.0 + by),
            Change::Contrast(by) => enhance::contrast(&mut self.pixels, self.channels, 1.0 + by),
            Change::Sharpness(by) => {
                enhance::sharpen(&mut self.pixels, self.width, self.channels, 1.0 + by, &mut self.spare);
            }
            Change::Posterize(bits) => tables::posterize(&mut self.pixels, bits),
            Change::Solarize(threshold) => tables::solarize(&mut self.pixels, threshold),
            Change::AutoContrast => tables::autocontrast(&mut self.pixels, self.channels),
            Change::Equalize => tables::equalize(&mut self.pixels, self.channels),
            Change::Invert => tables::invert(&mut self.pixels),
        }
    }

    fn warp(&mut self, from: Affine) {
        let Canvas { height, width, interpolation, fill, .. } = *self;
        let image = Raster::new(&self.pixels[..], height, width, self.channels);
        self.spare.clear();
        Warped { from, height, width, interpolation, fill }.run(&image, &mut self.spare);
        std::mem::swap(&mut self.pixels, &mut self.spare);
    }
}
