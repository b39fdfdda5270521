//! What image training does to pictures besides cropping them: other values, other places, blur, and the recipes that choose
//! among these.
//!
//! Bytes are treated as Pillow treats them, to the byte: the recipes were found with it, and torchvision has its results as their
//! reference. Every function is a pass over an image that lies row after row; none knows where its parameters come from.

mod affine;
mod blur;
mod change;
mod enhance;
mod spaces;
mod tables;

pub use affine::{Affine, Interpolation, Warped};
pub use blur::GaussianBlur;
pub use change::{Canvas, Change};
pub use enhance::sharpen;
pub use spaces::{AUTO_AUGMENT_IMAGENET, ChangeKind, Policy, Space, Wanted};
pub use tables::{autocontrast, equalize, invert, posterize, solarize};

use crate::resample::Sample;

/// What pixels are made of, and how results become one again.
pub trait Level: Sample + Default + PartialEq {
    /// A result that was cut, not rounded, where it is no float; stops at the limits.
    fn of_cut(value: f64) -> Self;
    /// The nearest there is; stops at the limits.
    fn of_rounded(value: f32) -> Self;
}

impl Level for u8 {
    fn of_cut(value: f64) -> u8 {
        value as u8
    }
    fn of_rounded(value: f32) -> u8 {
        value.round_ties_even() as u8
    }
}

impl Level for f32 {
    fn of_cut(value: f64) -> f32 {
        value as f32
    }
    fn of_rounded(value: f32) -> f32 {
        value
    }
}
