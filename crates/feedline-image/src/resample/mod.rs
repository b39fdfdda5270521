//! Images at another size: resampling as TensorFlow does it, a row at a time.
//!
//! Rows are first made as wide as the result, each source row once, then mixed to the rows of the result; so what is held is a
//! few rows, and a result's row can be mirrored and normalized while it is in the nearest cache. Every value is computed by
//! the same operations in the same order whatever is joined to it and whatever the processor has: results are equal to the bit.
#![allow(
    clippy::inline_always,
    reason = "code that is inlined is compiled for the caller's processor features"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod filter;
mod rows;
mod taps;

pub use filter::Filter;
pub use rows::{Finish, Raster, Resampler, Sample, Target};
