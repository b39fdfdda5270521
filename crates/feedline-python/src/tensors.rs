//! Tensors as numpy has them: out without a copy, in without one where the array's memory will do.

use std::ffi::c_int;
use std::ptr;

use feedline::data::DType;
use feedline::data::block::{Buffer, Strings, StringsBuilder, Tensor};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::{ffi, intern};

use crate::errors::exception;
use crate::waiting::wait_for;

/// From here on data is copied or gone through on another thread, while this one looks for Ctrl-C and others have the interpreter: some milliseconds.
pub(crate) const WAIT_FROM_BYTES: usize = 16 << 20;
/// So many strings are taken from a list between two looks for Ctrl-C: some milliseconds as well.
const STRINGS_A_LOOK: usize = 1 << 16;

/// Looks for Ctrl-C now and then while many strings are taken, of which this is the number.
pub(crate) fn look_up_at(py: Python<'_>, number: usize) -> PyResult<()> {
    if number.is_multiple_of(STRINGS_A_LOOK) {
        // Also lets another thread have the interpreter for a moment.
        py.detach(|| ());
        py.check_signals()?;
    }
    Ok(())
}

/// Where the bytes of a new object are.
struct Place(*mut u8, Py<PyBytes>);

// SAFETY: the memory belongs to the object, which is here too, and to which nobody else has come yet.
unsafe impl Send for Place {}

/// The bytes as Python has them; many are copied on another thread.
pub(crate) fn bytes_to_python(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Bound<'_, PyBytes>> {
    if bytes.len() < WAIT_FROM_BYTES {
        return Ok(PyBytes::new(py, &bytes));
    }
    let len = ffi::Py_ssize_t::try_from(bytes.len()).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: a new object of that many bytes, which are written to below before anybody gets it.
    let object = unsafe {
        let object = ffi::PyBytes_FromStringAndSize(ptr::null(), len);
        Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>()
    };
    // SAFETY: it is an object of bytes.
    let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) };
    let place = Place(start.cast(), object.unbind());
    let fill = move || {
        let Place(start, object) = { place };
        // SAFETY: so many bytes were asked for; the object stays as long as it is here, also where nobody waits for it any more.
        unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        object
    };
    Ok(wait_for(py, fill, |_| Ok(()))?.into_bound(py))
}

/// Memory of the engine's, read-only, for as long as an array of Python's looks at it.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct Memory(Buffer);

#[pymethods]
impl Memory {
    /// Whether who got the array may write to the memory all the same: nobody else sees it.
    #[getter]
    fn may_be_written(&self) -> bool {
        self.0.may_be_written()
    }

    /// # Safety
    /// Called by the interpreter with a view to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Memory>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let bytes = slf.get().0.as_bytes();
        let (start, len) = (bytes.as_ptr().cast_mut().cast(), bytes.len() as ffi::Py_ssize_t);
        // SAFETY: the memory lives as long as this object, which the view keeps, and is not written to: the view is
        // read-only.
        let filled = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, len, 1, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// What is needed of numpy.
struct Numpy {
    ndarray: Py<PyAny>,
    empty: Py<PyAny>,
    object: Py<PyAny>,
}

fn numpy(py: Python<'_>) -> PyResult<&Numpy> {
    static NUMPY: PyOnceLock<Numpy> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || {
        let numpy = py.import("numpy")?;
        Ok(Numpy {
            ndarray: numpy.getattr("ndarray")?.unbind(),
            empty: numpy.getattr("empty")?.unbind(),
            object: numpy.getattr("object_")?.unbind(),
        })
    })
}

/// Whether it is an array of numpy's.
pub(crate) fn is_array(value: &Bound<'_, PyAny>) -> bool {
    numpy(value.py()).is_ok_and(|numpy| value.is_exact_instance(numpy.ndarray.bind(value.py())))
}

/// Whether it is a single value of numpy's of that type.
pub(crate) fn is_scalar_of(value: &Bound<'_, PyAny>, dtype: DType) -> bool {
    dtype != DType::String && scalar_type(value.py(), dtype).is_ok_and(|class| value.get_type().is(class))
}

/// numpy's type of single values of `dtype`.
fn scalar_type(py: Python<'_>, dtype: DType) -> PyResult<&Py<PyAny>> {
    static TYPES: [PyOnceLock<Py<PyAny>>; DType::ALL.len()] = [const { PyOnceLock::new() }; DType::ALL.len()];
    let index = DType::ALL.iter().position(|other| *other == dtype).expect("a type there is");
    TYPES[index].get_or_try_init(py, || {
        let scalar = py.import("feedline._dtypes")?.getattr("scalar_type")?.call1((dtype.name(),))?;
        Ok(scalar.unbind())
    })
}

/// The tensor as numpy has it: an array over the same memory, which is read-only; a scalar as one of numpy's scalars; strings
/// as `bytes`, many of them in an array of objects.
pub(crate) fn to_python<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    if let Some(strings) = tensor.strings() {
        return strings_to_python(py, tensor.shape(), strings);
    }
    if tensor.shape().is_empty() {
        return scalar_to_python(py, tensor);
    }
    array_over(py, tensor)
}

/// As [`to_python`]; bfloat16, which numpy has not, as an array of its bytes.
pub(crate) fn to_python_or_bits<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    if tensor.dtype() != DType::BFloat16 {
        return to_python(py, tensor);
    }
    array_of(py, tensor, intern!(py, "V2").as_any())
}

/// An array over the tensor's memory, also for a scalar.
pub(crate) fn array_over<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    array_of(py, tensor, scalar_type(py, tensor.dtype())?.bind(py))
}

fn array_of<'py>(py: Python<'py>, tensor: &Tensor, dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let memory = Memory(tensor.as_column().buffer().cloned().unwrap_or_default());
    let shape = PyTuple::new(py, tensor.shape())?;
    numpy(py)?.ndarray.bind(py).call1((shape, dtype, Bound::new(py, memory)?))
}

fn scalar_to_python<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let make = scalar_type(py, tensor.dtype())?.bind(py);
    match tensor.dtype() {
        DType::Bool => {
            make.call1((tensor.as_column().buffer().is_some_and(|bytes| bytes.as_bytes()[0] != 0),))
        }
        DType::Int8 => make.call1((tensor.as_slice::<i8>()[0],)),
        DType::Int16 => make.call1((tensor.as_slice::<i16>()[0],)),
        DType::Int32 => make.call1((tensor.as_slice::<i32>()[0],)),
        DType::Int64 => make.call1((tensor.as_slice::<i64>()[0],)),
        DType::UInt8 => make.call1((tensor.as_slice::<u8>()[0],)),
        DType::UInt16 => make.call1((tensor.as_slice::<u16>()[0],)),
        DType::UInt32 => make.call1((tensor.as_slice::<u32>()[0],)),
        DType::UInt64 => make.call1((tensor.as_slice::<u64>()[0],)),
        DType::Float32 => make.call1((tensor.as_slice::<f32>()[0],)),
        DType::Float64 => make.call1((tensor.as_slice::<f64>()[0],)),
        _ => array_over(py, tensor)?.get_item(()),
    }
}

fn strings_to_python<'py>(
    py: Python<'py>,
    shape: &[usize],
    strings: &Strings,
) -> PyResult<Bound<'py, PyAny>> {
    if shape.is_empty() {
        return Ok(PyBytes::new(py, strings.get(0)).into_any());
    }
    let numpy = numpy(py)?;
    let array = numpy.empty.bind(py).call1((strings.len(), &numpy.object))?;
    if !strings.is_empty() {
        let all = PyList::new(py, strings.iter().map(|string| PyBytes::new(py, string)))?;
        array.set_item(pyo3::types::PySlice::full(py), all)?;
    }
    array.call_method1(intern!(py, "reshape"), (PyTuple::new(py, shape)?,))
}

/// The memory of an array of Python's, kept by a reference to it.
///
/// No buffer view: releasing one waits for the interpreter's lock, on whichever thread drops the last share, be it one that
/// holds a lock of the engine's. A reference dropped without the interpreter's lock is given back by whoever takes it next.
struct ArrayMemory {
    start: *const u8,
    len: usize,
    _array: Py<PyAny>,
}

// SAFETY: nobody writes to the memory (`_convert.py` says so to the user, and copies what others may write to), and a
// reference to an object of Python's may go to other threads.
unsafe impl Send for ArrayMemory {}

impl AsRef<[u8]> for ArrayMemory {
    fn as_ref(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: these are the bytes of a contiguous array, checked below. An array that somebody holds a reference to
        // keeps its memory in place: numpy refuses to resize it.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// The memory of an array that is C-contiguous.
fn memory_of(array: &Bound<'_, PyAny>) -> PyResult<ArrayMemory> {
    // As bytes: half floats and numpy's own types have no letter in the buffer protocol.
    let bytes = array
        .call_method1(intern!(array.py(), "reshape"), (-1,))?
        .call_method1(intern!(array.py(), "view"), (intern!(array.py(), "u1"),))?;
    let view = PyUntypedBuffer::get(&bytes)?;
    if !view.is_c_contiguous() {
        return Err(exception("InternalError", "an array that is not contiguous"));
    }
    Ok(ArrayMemory { start: view.buf_ptr().cast(), len: view.len_bytes(), _array: bytes.clone().unbind() })
}

/// The tensor of an array that is C-contiguous, aligned and in the machine's byte order, as `_convert.py` makes it: over the
/// array's memory, or, if `is_copied`, over a copy of it.
fn tensor_of_array(array: &Bound<'_, PyAny>, dtype: &str, is_copied: bool) -> PyResult<Tensor> {
    let dtype = dtype_named(dtype)?;
    let shape: Vec<usize> = array.getattr(intern!(array.py(), "shape"))?.extract()?;
    let memory = memory_of(array)?;
    let width = dtype.width().expect("strings come as lists, or where they lie");
    if memory.len != shape.iter().product::<usize>() * width {
        return Err(exception("InternalError", "an array that is not whole"));
    }
    let buffer = if !is_copied {
        Buffer::from_owner(memory)
    } else if memory.len < WAIT_FROM_BYTES {
        copy_of(memory.as_ref())
    } else {
        wait_for(array.py(), move || copy_of(memory.as_ref()), |_| Ok(()))?
    };
    if !buffer.fits(width) {
        return Err(exception("InternalError", "an array that is not aligned"));
    }
    Ok(Tensor::from_buffer(dtype, shape, buffer))
}

/// Strings where they lie: arrays of bytes, and an array with three numbers for each string, which of these, where in it, and how long.
fn strings_in_place(sources: &[Bound<'_, PyAny>], places: &Bound<'_, PyAny>) -> PyResult<Strings> {
    let sources: Vec<Buffer> =
        sources.iter().map(|source| memory_of(source).map(Buffer::from_owner)).collect::<PyResult<_>>()?;
    let memory = memory_of(places)?;
    let numbers = memory.as_ref().chunks_exact(size_of::<u32>());
    let numbers: Vec<u32> =
        numbers.map(|bytes| u32::from_ne_bytes(bytes.try_into().expect("four bytes"))).collect();
    let places: Vec<(u32, u32, u32)> =
        numbers.chunks_exact(3).map(|place| (place[0], place[1], place[2])).collect();
    let is_within = |&(source, start, len): &(u32, u32, u32)| {
        sources.get(source as usize).is_some_and(|source| start as usize + len as usize <= source.len())
    };
    if let Some(row) = places.iter().position(|place| !is_within(place)) {
        return Err(exception(
            "SchemaError",
            format!(
                "a column of strings is damaged: string {row} is not within its memory\n\
                 hint: the library that made the column can check it, as pyarrow does by .validate(full=True)"
            ),
        ));
    }
    Ok(Strings::of_sources(sources, places))
}

/// The bytes in memory of the engine's, aligned for any type.
pub(crate) fn copy_of(bytes: &[u8]) -> Buffer {
    // SAFETY: a slice is there.
    unsafe { copy_from(bytes.as_ptr(), bytes.len()) }
}

/// As [`copy_of`], of memory of Python's. Not a slice: without the interpreter's lock (a free-threaded Python) another thread of the user's may write to its
/// array meanwhile. Then the copy has some of both, as any copy of numpy's would.
///
/// # Safety
/// From `start` on there are `len` bytes.
pub(crate) unsafe fn copy_from(start: *const u8, len: usize) -> Buffer {
    let mut words = vec![0_u64; len.div_ceil(size_of::<u64>())];
    if len > 0 {
        // SAFETY: the words are at least as many bytes, any bytes are words, and new memory is nobody else's.
        unsafe { std::ptr::copy_nonoverlapping(start, words.as_mut_ptr().cast(), len) };
    }
    Buffer::from_vec(words).slice(0..len)
}

/// The names of all types, in the order the engine numbers them.
#[pyfunction]
pub(crate) fn dtype_names() -> Vec<&'static str> {
    DType::ALL.iter().map(|dtype| dtype.name()).collect()
}

pub(crate) fn dtype_named(name: &str) -> PyResult<DType> {
    DType::from_name(name)
        .ok_or_else(|| exception("ArgumentError", format!("there is no dtype called {name:?}")))
}

/// What a Python value is as a tensor: what `_convert.tensor_parts` makes of it. An array's memory is shared unless
/// `is_copied`.
pub(crate) fn from_python(value: &Bound<'_, PyAny>, is_copied: bool) -> PyResult<Tensor> {
    let convert = value.py().import("feedline._convert")?.getattr("tensor_parts")?;
    tensor_of_parts(&convert.call1((value,))?, is_copied)
}

/// A tensor from `(array, dtype)`, or, for strings, `(list of bytes, shape)` or `((sources, places), shape)`.
pub(crate) fn tensor_of_parts(parts: &Bound<'_, PyAny>, is_copied: bool) -> PyResult<Tensor> {
    let (values, other): (Bound<'_, PyAny>, Bound<'_, PyAny>) = parts.extract()?;
    if let Ok(dtype) = other.cast::<PyString>() {
        return tensor_of_array(&values, dtype.to_str()?, is_copied);
    }
    let shape: Vec<usize> = other.extract()?;
    if let Ok(lying) = values.cast::<PyTuple>() {
        let (sources, places): (Vec<Bound<'_, PyAny>>, Bound<'_, PyAny>) = lying.extract()?;
        let strings = strings_in_place(&sources, &places)?;
        let strings = if is_copied { strings.iter().collect() } else { strings };
        return Ok(Tensor::from_strings(shape, strings));
    }
    let mut strings = StringsBuilder::default();
    for (number, string) in values.cast::<PyList>()?.iter().enumerate() {
        strings.push(string.cast::<PyBytes>()?.as_bytes());
        look_up_at(values.py(), number + 1)?;
    }
    Ok(Tensor::from_strings(shape, strings.finish()))
}

/// Whether it is a number as written in code: one that takes the type of the tensor it meets.
pub(crate) fn is_plain_number(value: &Bound<'_, PyAny>) -> bool {
    // Exactly these: numpy's float64 is a float too, but has a type of its own.
    value.is_exact_instance_of::<PyInt>() || value.is_exact_instance_of::<PyFloat>()
}
