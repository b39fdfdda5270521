//! How each step is added to a plan: its checks, the spec of what comes out, and how much. One file each.

mod assert_cardinality;
mod batch;
mod bucket;
mod cache;
mod choose;
mod concatenate;
mod deterministic;
mod enumerate;
mod files;
mod filter;
mod fold;
mod from_iter;
mod global_shuffle;
mod ignore_errors;
mod map;
mod nested;
mod of_outer;
mod on_error;
mod pack;
mod padded_batch;
mod prefetch;
mod ragged_batch;
mod random;
mod range;
mod rebatch;
mod repeat;
mod shard;
mod shuffle;
mod single;
mod skip;
mod take;
mod tensors;
mod unbatch;
mod unique;
mod window;
mod zip;

pub use bucket::Buckets;
pub use on_error::ErrorPolicy;
pub use pack::{Fit, Packing};
pub use shuffle::EVERYTHING;

use crate::{PlanError, Result};

fn check_parallel_calls(step: &str, num_parallel_calls: Option<usize>) -> Result<()> {
    if num_parallel_calls == Some(0) {
        return Err(PlanError::argument(format!("{step}: num_parallel_calls must be greater than zero"))
            .with_hint("leave it out to have it chosen while running"));
    }
    Ok(())
}
