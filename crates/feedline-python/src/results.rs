//! What Python code gave as a tensor. It is copied: the code may keep what it returned and write to it the next time.
//!
//! Arrays of plain numbers and single values, which is what most functions return, are read here; a call of `_convert.py`
//! takes longer than many a function. It has the rest, and the words for what is no tensor.

use feedline::data::block::{StringsBuilder, Tensor};
use feedline::data::{DType, ElementSpec, Structure};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt};

use crate::{structure, tensors};

/// What Python code gave as an element of that spec: numbers and lists take the type the spec says.
pub(crate) fn element_of(value: &Bound<'_, PyAny>, spec: &ElementSpec) -> PyResult<Structure<Tensor>> {
    element_put_together(value, None, spec)
}

/// As [`element_of`], of what a generator yielded: a tuple is a tensor where the spec says that there is one, as in tf.data.
pub(crate) fn yielded_element_of(
    value: &Bound<'_, PyAny>,
    spec: &ElementSpec,
) -> PyResult<Structure<Tensor>> {
    element_put_together(value, Some(spec), spec)
}

fn element_put_together(
    value: &Bound<'_, PyAny>,
    as_spec: Option<&ElementSpec>,
    spec: &ElementSpec,
) -> PyResult<Structure<Tensor>> {
    let specs = spec.leaves();
    let mut leaf = 0;
    structure::from_python_as(value, as_spec, &mut |value| {
        let dtype = specs.get(leaf).map(|spec| spec.dtype);
        leaf += 1;
        tensor_of(value, dtype)
    })
}

/// What Python code gave as a tensor of that type.
pub(crate) fn tensor_of(value: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Tensor> {
    static CONVERT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Some(tensor) = plain(value, dtype) {
        return Ok(tensor);
    }
    let convert = CONVERT.import(value.py(), "feedline._convert", "result_parts")?;
    tensors::tensor_of_parts(&convert.call1((value, dtype.map(DType::name)))?, true)
}

/// The tensor of a value that needs no second look.
fn plain(value: &Bound<'_, PyAny>, dtype: Option<DType>) -> Option<Tensor> {
    if tensors::is_array(value) {
        return numbers(value).filter(|tensor| dtype.is_none_or(|dtype| tensor.dtype() == dtype));
    }
    let dtype = dtype?;
    if tensors::is_scalar_of(value, dtype) {
        return scalar(value, dtype);
    }
    match dtype {
        DType::Int64 if value.is_exact_instance_of::<PyInt>() => {
            value.extract().ok().map(Tensor::scalar::<i64>)
        }
        DType::Float64 if value.is_exact_instance_of::<PyFloat>() => {
            value.extract().ok().map(Tensor::scalar::<f64>)
        }
        DType::Bool => {
            let value = value.cast_exact::<PyBool>().ok()?.is_true();
            Some(Tensor::from_bools(Vec::new(), &[value]))
        }
        DType::String => {
            let mut strings = StringsBuilder::default();
            strings.push(value.cast_exact::<PyBytes>().ok()?.as_bytes());
            Some(Tensor::from_strings(Vec::new(), strings.finish()))
        }
        _ => None,
    }
}

/// The tensor of a single value of numpy's of that type. Not by the buffer protocol: numpy makes an array for that.
fn scalar(value: &Bound<'_, PyAny>, dtype: DType) -> Option<Tensor> {
    match dtype {
        DType::Int32 => value.extract().ok().map(Tensor::scalar::<i32>),
        DType::Int64 => value.extract().ok().map(Tensor::scalar::<i64>),
        DType::UInt8 => value.extract().ok().map(Tensor::scalar::<u8>),
        DType::Float32 => value.extract().ok().map(Tensor::scalar::<f32>),
        DType::Float64 => value.extract().ok().map(Tensor::scalar::<f64>),
        DType::Bool => value.is_truthy().ok().map(|value| Tensor::from_bools(Vec::new(), &[value])),
        _ => None,
    }
}

/// The tensor of an array, if it is made of numbers, in C order and the machine's byte order.
fn numbers(value: &Bound<'_, PyAny>) -> Option<Tensor> {
    let view = PyUntypedBuffer::get(value).ok()?;
    let dtype = dtype_of_format(view.format().to_bytes(), view.item_size())?;
    if !view.is_c_contiguous() {
        return None;
    }
    // SAFETY: the view is contiguous and stays until the bytes are copied.
    let copy = unsafe { tensors::copy_from(view.buf_ptr().cast(), view.len_bytes()) };
    Some(Tensor::from_buffer(dtype, view.shape().to_vec(), copy))
}

/// The type that a letter of the buffer protocol stands for, if it is one of the machine's own.
fn dtype_of_format(format: &[u8], width: usize) -> Option<DType> {
    let &[letter] = format else { return None };
    Some(match (letter, width) {
        (b'?', 1) => DType::Bool,
        (b'b', 1) => DType::Int8,
        (b'B', 1) => DType::UInt8,
        (b'h', 2) => DType::Int16,
        (b'H', 2) => DType::UInt16,
        (b'e', 2) => DType::Float16,
        (b'i' | b'l', 4) => DType::Int32,
        (b'I' | b'L', 4) => DType::UInt32,
        (b'l' | b'q', 8) => DType::Int64,
        (b'L' | b'Q', 8) => DType::UInt64,
        (b'f', 4) => DType::Float32,
        (b'd', 8) => DType::Float64,
        _ => return None,
    })
}
