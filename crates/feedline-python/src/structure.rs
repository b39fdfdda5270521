//! Tuples and dictionaries, in and out.

use feedline::data::{Composite, ElementSpec, Structure};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::exception;

/// The structure of a Python value: tuples and dictionaries are taken apart, everything else is a leaf.
pub(crate) fn from_python<T>(
    value: &Bound<'_, PyAny>,
    leaf: &mut impl FnMut(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Structure<T>> {
    from_python_as(value, None, leaf)
}

/// As [`from_python`], of what should be an element of that spec: where it says that there is one tensor, a tuple is a leaf, too.
pub(crate) fn from_python_as<T>(
    value: &Bound<'_, PyAny>,
    spec: Option<&ElementSpec>,
    leaf: &mut impl FnMut(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Structure<T>> {
    if !matches!(spec, Some(Structure::Leaf(_)))
        && let Ok(parts) = value.cast::<PyTuple>()
    {
        let spec_of = |place: usize| match spec {
            Some(Structure::Tuple(specs)) => specs.get(place),
            _ => None,
        };
        let parts = parts.iter().enumerate().map(|(place, part)| from_python_as(&part, spec_of(place), leaf));
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
        let spec_of = |key: &str| match spec {
            Some(Structure::Dict(specs)) => specs.get(key),
            _ => None,
        };
        let parts = parts.into_iter().map(|(key, part)| {
            let part = from_python_as(&part, spec_of(&key), leaf)?;
            Ok((key, part))
        });
        return Ok(Structure::dict(parts.collect::<PyResult<Vec<_>>>()?));
    }
    if let Some((kind, parts)) = composite_of(value)? {
        let parts = parts.iter().map(&mut *leaf).collect::<PyResult<_>>()?;
        return Ok(Structure::Composite(kind, parts));
    }
    Ok(Structure::Leaf(leaf(value)?))
}

/// Kind and parts of a ragged or sparse tensor, or of the spec of one; `None` for anything else.
pub(crate) fn composite_of<'py>(
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<(Composite, Vec<Bound<'py, PyAny>>)>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let class = CLASS.get_or_try_init(py, || {
        PyResult::Ok(py.import("feedline._composite")?.getattr("Composite")?.unbind())
    })?;
    if !value.is_instance(class.bind(py))? {
        return Ok(None);
    }
    let name: String = value.getattr("kind")?.extract()?;
    let kind = [Composite::Ragged, Composite::Sparse].into_iter().find(|kind| kind.name() == name);
    let kind = kind.ok_or_else(|| exception("InternalError", format!("a tensor of kind {name}")))?;
    Ok(Some((kind, value.call_method0("parts")?.extract()?)))
}

/// A structure as Python has it, with leaves as `leaf` has them, and datasets as `dataset` has them of what their elements are and what
/// holds these.
pub(crate) fn to_python<'py, T>(
    py: Python<'py>,
    structure: &Structure<T>,
    leaf: &mut impl FnMut(&T) -> PyResult<Bound<'py, PyAny>>,
    dataset: &mut impl FnMut(&ElementSpec, &[T]) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match structure {
        Structure::Dataset(element, parts) => dataset(element, parts),
        Structure::Leaf(value) => leaf(value),
        Structure::Tuple(parts) => {
            let parts: Vec<_> =
                parts.iter().map(|part| to_python(py, part, leaf, dataset)).collect::<PyResult<_>>()?;
            Ok(PyTuple::new(py, parts)?.into_any())
        }
        Structure::Dict(parts) => {
            let dict = PyDict::new(py);
            for (key, part) in parts {
                dict.set_item(key, to_python(py, part, leaf, dataset)?)?;
            }
            Ok(dict.into_any())
        }
        Structure::Composite(kind, parts) => {
            let parts: Vec<_> = parts.iter().map(leaf).collect::<PyResult<_>>()?;
            py.import("feedline._composite")?.getattr("of_parts")?.call1((kind.name(), parts))
        }
    }
}
