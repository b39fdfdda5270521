//! How a dataset runs.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::of_plan;

/// The engine's options.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct Options(pub(crate) feedline::Options);

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (threads, memory_budget, spill_dir, optimizer, without_rules, stall_after_s, deterministic))]
    fn new(
        threads: Option<usize>,
        memory_budget: Option<u64>,
        spill_dir: Option<PathBuf>,
        optimizer: bool,
        without_rules: Vec<String>,
        stall_after_s: Option<f64>,
        deterministic: Option<bool>,
    ) -> PyResult<Options> {
        let mut options = feedline::Options::new().optimizer(optimizer);
        if let Some(threads) = threads {
            options = options.threads(threads);
        }
        if let Some(bytes) = memory_budget {
            options = options.memory_budget(bytes);
        }
        if let Some(folder) = spill_dir {
            options = options.spill_dir(folder);
        }
        for rule in without_rules {
            options = options.without_rule(&rule).map_err(|error| of_plan(&error))?;
        }
        if let Some(seconds) = stall_after_s {
            options = options.stall_after(Duration::from_secs_f64(seconds.clamp(0.0, 1e9)));
        }
        if let Some(is_deterministic) = deterministic {
            options = options.deterministic(is_deterministic);
        }
        Ok(Options(options))
    }
}
