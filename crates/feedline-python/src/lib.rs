//! The Python module `feedline._native`: converts and calls, nothing else. What users see is `python/feedline`.
//!
//! - `tensors`, `structure`, `spec`: values in and out;
//! - `symbolic`, `tracing`, `control`, `origins`, `known`: functions that are traced, and the operations of the catalogue;
//! - `attached`, `user_code`, `functions`, `results`: functions that run as Python, and what they give;
//! - `processes`: the same in processes of their own;
//! - `dataset`, `options`, `elements`: datasets and their iterators;
//! - `writing`, `saving`: record files, and folders of them;
//! - `waiting`: what may take long, on another thread, with an eye on Ctrl-C;
//! - `errors`: which exception an error is.

#![allow(clippy::needless_pass_by_value, reason = "what Python hands over comes by value")]

mod attached;
mod composing;
mod control;
mod dataset;
mod elements;
mod errors;
mod files;
mod functions;
mod grouping;
mod known;
mod options;
mod origins;
mod processes;
mod results;
mod saving;
mod spec;
mod structure;
mod symbolic;
mod tables;
mod tensors;
mod tracing;
mod user_code;
mod waiting;
mod writing;

use pyo3::prelude::*;

/// Of this module's memory alone: the interpreter keeps its own.
#[global_allocator]
static MEMORY: feedline::LargeMemory = feedline::LargeMemory::new();

/// As `feedline::set_seed`.
#[pyfunction]
fn set_seed(seed: i64) {
    feedline::set_seed(seed);
}

/// A seed for something that was given none: the program's next, or another each time.
#[pyfunction]
fn drawn_seed() -> i64 {
    feedline::drawn_seed()
}

#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::attached::{end_calls, forget_calls};
    #[pymodule_export]
    use crate::composing::{begin_function, composed_functions, end_function};
    #[pymodule_export]
    use crate::control::{after, choose, fold, map_fn, while_loop};
    #[pymodule_export]
    use crate::dataset::Dataset;
    #[pymodule_export]
    use crate::elements::{Elements, Place};
    #[pymodule_export]
    use crate::grouping::{
        bucket_by_sequence_length, collect, group_by_window, ragged_batch, rejection_resample, snapshot,
        window,
    };
    #[pymodule_export]
    use crate::known::known_value;
    #[pymodule_export]
    use crate::options::Options;
    #[pymodule_export]
    use crate::saving::{SavedDataset, save};
    #[pymodule_export]
    use crate::symbolic::{Tensor, call, catalogue, constant};
    #[pymodule_export]
    use crate::tables::keys_of_table;
    #[pymodule_export]
    use crate::tensors::{Memory, dtype_names};
    #[pymodule_export]
    use crate::tracing::{is_tracing, py_function};
    #[pymodule_export]
    use crate::writing::{RecordWriter, example_bytes};
    #[pymodule_export]
    use crate::{drawn_seed, set_seed};
}
