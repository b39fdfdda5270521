//! Random pipelines: sources, steps and operations.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod apply;
mod operations;
mod sources;
mod steps;

pub(crate) use apply::{apply, functions, int64, nested};
pub(crate) use operations::num_calls;
pub(crate) use sources::{Source, source};
pub(crate) use steps::{Step, orderless_step, step, unseeded_step};
