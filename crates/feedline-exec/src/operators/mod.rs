//! The operators, one file each.

pub(crate) mod batch;
pub(crate) mod map;
pub(crate) mod prefetch;
pub(crate) mod range;
pub(crate) mod repeat;
pub(crate) mod shuffle;
pub(crate) mod tensor_slices;
