//! JPEG, from its markers to pixels.

mod decode;
mod library;
mod markers;

pub use decode::{JpegChannels, JpegDecoder, Pixels, Region};
pub(crate) use markers::{check_complete, header};
