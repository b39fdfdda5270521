//! Functions of Python that are made of operations: errors of these name the function.

use feedline::plan::expr::composed::{COMPOSED, Composed};
use feedline::plan::expr::composing;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

/// The names of those that call no function of the user's.
#[pyfunction]
pub(crate) fn composed_functions() -> Vec<&'static str> {
    named().map(|function| function.name).collect()
}

/// Operations are those that the function `name` is made of, until [`end_function`]; false if another one has begun, which goes on.
#[pyfunction]
pub(crate) fn begin_function(name: &str) -> PyResult<bool> {
    let function = named().find(|function| function.name == name);
    let function = function.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    Ok(composing::begin(function.name))
}

/// The function is over that has begun.
#[pyfunction]
pub(crate) fn end_function() {
    composing::end();
}

fn named() -> impl Iterator<Item = &'static Composed> {
    COMPOSED.iter().filter(|function| !function.calls_functions)
}
