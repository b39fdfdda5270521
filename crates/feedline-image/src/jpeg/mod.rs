//! JPEG, from its markers to pixels.
#![allow(
    clippy::inline_always,
    reason = "code that is inlined is compiled for the caller's processor features"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod colour;
mod damage;
mod decode;
mod encode;
mod entropy;
mod exif;
mod frame;
mod huffman;
mod idct;
mod inks;
mod kernels;
mod library;
mod markers;
mod plane;
mod progress;
mod progressive;
mod reduced;
mod region;
mod restarts;
mod rows;
mod scans;
mod segments;
#[cfg(feature = "stages")]
mod stages;
mod upsample;
mod walk;

pub use decode::{JpegChannels, JpegDecoder, Pixels, Region};
pub use encode::{JpegDensity, JpegOptions, encode_jpeg};
pub use exif::{exif_orientation, with_exif_orientation};
pub use markers::is_crop_ready;
pub(crate) use markers::{check_complete, header};
pub use restarts::with_restarts;
#[cfg(feature = "stages")]
pub use stages::{DecodeStage, StagedDecoder};
