//! JPEG, from its markers to pixels.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod colour;
mod decode;
mod entropy;
mod frame;
mod huffman;
mod idct;
mod kernels;
mod library;
mod markers;
mod region;
mod segments;
mod upsample;

pub use decode::{JpegChannels, JpegDecoder, Pixels, Region};
pub(crate) use markers::{check_complete, header};
