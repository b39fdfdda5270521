//! Tuples and dictionaries, in and out.

use feedline::data::Structure;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::exception;

/// The structure of a Python value: tuples and dictionaries are taken apart, everything else is a leaf.
pub(crate) fn from_python<T>(
    value: &Bound<'_, PyAny>,
    leaf: &mut impl FnMut(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Structure<T>> {
    if let Ok(parts) = value.cast::<PyTuple>() {
        let parts = parts.iter().map(|part| from_python(&part, leaf));
        return Ok(Structure::Tuple(parts.collect::<PyResult<_>>()?));
    }
    if let Ok(parts) = value.cast::<PyDict>() {
        let key = |key: Bound<'_, PyAny>| {
            key.extract::<String>()
                .map_err(|_| exception("SchemaError", format!("the key {key} of a dict is no string")))
        };
        let mut parts: Vec<(String, Bound<'_, PyAny>)> =
            parts.iter().map(|(name, part)| Ok((key(name)?, part))).collect::<PyResult<_>>()?;
        // Leaves are met in the order that specs have them.
        parts.sort_by(|(one, _), (other, _)| one.cmp(other));
        let parts = parts.into_iter().map(|(key, part)| Ok((key, from_python(&part, leaf)?)));
        return Ok(Structure::dict(parts.collect::<PyResult<Vec<_>>>()?));
    }
    Ok(Structure::Leaf(leaf(value)?))
}

/// A structure as Python has it.
pub(crate) fn to_python<'py, T>(
    py: Python<'py>,
    structure: &Structure<T>,
    leaf: &mut impl FnMut(&T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match structure {
        Structure::Leaf(value) => leaf(value),
        Structure::Tuple(parts) => {
            let parts: Vec<_> =
                parts.iter().map(|part| to_python(py, part, leaf)).collect::<PyResult<_>>()?;
            Ok(PyTuple::new(py, parts)?.into_any())
        }
        Structure::Dict(parts) => {
            let dict = PyDict::new(py);
            for (key, part) in parts {
                dict.set_item(key, to_python(py, part, leaf)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
