//! The operators, one file each.

pub(crate) mod batch;
pub(crate) mod cache;
pub(crate) mod concatenate;
pub(crate) mod enumerate;
pub(crate) mod files;
pub(crate) mod filter;
pub(crate) mod from_iter;
pub(crate) mod gather;
pub(crate) mod global_shuffle;
pub(crate) mod ignore_errors;
pub(crate) mod interleave;
pub(crate) mod map;
pub(crate) mod of_outer;
pub(crate) mod on_error;
pub(crate) mod prefetch;
pub(crate) mod range;
pub(crate) mod repeat;
pub(crate) mod shard;
pub(crate) mod shuffle;
pub(crate) mod skip;
pub(crate) mod take;
pub(crate) mod tensor_slices;
pub(crate) mod unbatch;
pub(crate) mod zip;
