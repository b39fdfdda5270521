//! Specs, in and out: `TensorSpec` and dtypes are classes of `feedline/_spec.py` and `_dtypes.py`.

use feedline::data::{DType, ElementSpec, Shape, TensorSpec};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::{structure, symbolic};

/// The object Python knows a dtype by.
pub(crate) fn dtype_to_python(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    py.import("feedline._dtypes")?.getattr("as_dtype")?.call1((dtype.name(),))
}

/// A shape: numbers, and `None` or −1 for what is unknown; `None` for any.
pub(crate) fn shape(value: &Bound<'_, PyAny>) -> PyResult<Shape> {
    if value.is_none() {
        return Ok(Shape::UNKNOWN);
    }
    if let Ok(dim) = value.extract::<usize>() {
        return Ok(Shape::fixed(&[dim]));
    }
    let dims = value.try_iter()?.map(|dim| -> PyResult<Option<usize>> {
        let dim = dim?;
        if dim.extract::<i64>().is_ok_and(|dim| dim == -1) { Ok(None) } else { dim.extract() }
    });
    Ok(Shape::new(dims.collect::<PyResult<_>>()?))
}

/// A shape as Python has it; `None` where the number of dimensions is unknown.
pub(crate) fn shape_to_python<'py>(py: Python<'py>, shape: &Shape) -> PyResult<Bound<'py, PyAny>> {
    static SHAPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Ok(match shape.dims() {
        Some(dims) => {
            let class = SHAPE.import(py, "feedline._spec", "Shape")?;
            class.call1((PyTuple::new(py, dims)?,))?
        }
        None => py.None().into_bound(py),
    })
}

/// A structure of `TensorSpec`s.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<ElementSpec> {
    structure::from_python(value, &mut |leaf| {
        Ok(TensorSpec::new(symbolic::dtype(&leaf.getattr("dtype")?)?, shape(&leaf.getattr("shape")?)?))
    })
}

pub(crate) fn to_python<'py>(py: Python<'py>, spec: &ElementSpec) -> PyResult<Bound<'py, PyAny>> {
    let module = py.import("feedline._spec")?;
    let class = module.getattr("TensorSpec")?;
    let leaf = |leaf: &TensorSpec| {
        class.call1((shape_to_python(py, &leaf.shape)?, dtype_to_python(py, leaf.dtype)?))
    };
    structure::to_python(py, spec, &mut { leaf }, &mut |element, _| {
        module.getattr("DatasetSpec")?.call1((to_python(py, element)?,))
    })
}
