//! Writing record files and Examples.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use feedline::data::DType;
use feedline::data::block::Tensor;
use feedline::formats::example::{ExampleWriter, FeatureValues};
use feedline::records;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::errors::{exception, of_feedline};
use crate::saving::compression_of;
use crate::tensors::{self, WAIT_FROM_BYTES};
use crate::waiting::wait_for;

/// A record file being written; it appears under its name when it is finished.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct RecordWriter {
    file: Arc<File>,
    /// The process that writes it. A process that was forked has a copy of the writer, but the file is not its own.
    process: u32,
}

/// The file, which a thread may still be at when who waited for it is gone.
struct File {
    writer: Mutex<Option<records::RecordWriter>>,
    /// Whether nobody wants it any more.
    is_given_up: AtomicBool,
}

impl File {
    /// Does something with the file, unless it is finished.
    fn with<T>(&self, work: impl FnOnce(&mut Option<records::RecordWriter>) -> T) -> T {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let result = work(&mut writer);
        if self.is_given_up.load(Ordering::Relaxed) {
            *writer = None;
        }
        result
    }
}

#[pymethods]
impl RecordWriter {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, compression: &str) -> PyResult<RecordWriter> {
        let compression = compression_of(compression);
        let create = move || records::RecordWriter::create(path, compression);
        let writer = wait_for(py, create, |_| Ok(()))?.map_err(of_feedline)?;
        let file = File { writer: Mutex::new(Some(writer)), is_given_up: AtomicBool::new(false) };
        Ok(RecordWriter { file: Arc::new(file), process: std::process::id() })
    }

    fn write(&self, py: Python<'_>, record: &Bound<'_, PyBytes>) -> PyResult<()> {
        self.check_process()?;
        // Most records are only kept until there are more. Nobody else is at the file, unless he waits for it, or who waited for him is gone.
        if let Ok(mut writer) = self.file.writer.try_lock() {
            let writer = writer.as_mut().ok_or_else(closed)?;
            if writer.has_room_for(record.as_bytes().len()) {
                return writer.write(record.as_bytes()).map_err(of_feedline);
            }
        }
        let record = PyBackedBytes::from(record.clone());
        self.with(py, move |writer| writer.write(&record))
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.check_process()?;
        self.with(py, records::RecordWriter::flush)
    }

    /// Completes the file; without it there is none.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.check_process()?;
        let file = Arc::clone(&self.file);
        let finish = move || file.with(|writer| writer.take().map_or(Ok(0), records::RecordWriter::finish));
        wait_for(py, finish, |_| Ok(()))?.map(drop).map_err(of_feedline)
    }

    /// Gives the file up: nothing appears. Does not wait for who is still at it.
    fn abandon(&self) {
        if self.process == std::process::id() {
            self.file.is_given_up.store(true, Ordering::Relaxed);
            if let Ok(mut writer) = self.file.writer.try_lock() {
                *writer = None;
            }
        }
    }
}

impl Drop for RecordWriter {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // The process that was forked goes on writing the file: what is dropped here would be removed there.
            std::mem::forget(Arc::clone(&self.file));
        }
    }
}

impl RecordWriter {
    /// Does something with the file that may take as long as the disk does. A signal does not undo it: what was given to be written is.
    fn with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut records::RecordWriter) -> feedline::Result<()> + Send + 'static,
    ) -> PyResult<()> {
        let file = Arc::clone(&self.file);
        let done = wait_for(py, move || file.with(|writer| writer.as_mut().map(work)), |_| Ok(()))?;
        done.ok_or_else(closed)?.map_err(of_feedline)
    }

    fn check_process(&self) -> PyResult<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let told = "the file is written by another process, which this one was forked from\n\
                    hint: make a writer of its own in each process, each with a path of its own";
        Err(exception("ResourceError", told))
    }
}

fn closed() -> PyErr {
    exception("ArgumentError", "the file is closed")
}

/// The bytes of a `tf.train.Example` of `{name: (kind, values)}`, as `feedline/io.py` hands them on: lists, and much of numbers as an array.
#[pyfunction]
pub(crate) fn example_bytes<'py>(
    py: Python<'py>,
    features: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut owned = Vec::with_capacity(features.len());
    for (name, parts) in features.iter() {
        let (kind, values): (String, Bound<'_, PyAny>) = parts.extract()?;
        owned.push((name.extract::<String>()?, Values::from_python(&kind, &values)?));
    }
    let size: usize = owned.iter().map(|(_, values)| values.byte_size()).sum();
    if size < WAIT_FROM_BYTES {
        return Ok(PyBytes::new(py, &example_of(&owned)));
    }
    tensors::bytes_to_python(py, wait_for(py, move || example_of(&owned), |_| Ok(()))?)
}

fn example_of(features: &[(String, Values)]) -> Vec<u8> {
    let strings: Vec<Vec<&[u8]>> = features
        .iter()
        .map(|(_, values)| match values {
            Values::Strings(strings) => strings.iter().map(|string| &**string).collect(),
            _ => Vec::new(),
        })
        .collect();
    let mut writer = ExampleWriter::new();
    for ((name, values), strings) in features.iter().zip(&strings) {
        writer.push(
            name,
            match values {
                Values::Floats(floats) => FeatureValues::Float(floats),
                Values::Integers(integers) => FeatureValues::Int64(integers),
                Values::Array(array) if array.dtype() == DType::Float32 => {
                    FeatureValues::Float(array.as_slice())
                }
                Values::Array(array) => FeatureValues::Int64(array.as_slice()),
                Values::Strings(_) => FeatureValues::Bytes(strings),
            },
        );
    }
    writer.to_bytes()
}

/// The values of a feature.
enum Values {
    Floats(Vec<f32>),
    Integers(Vec<i64>),
    /// Of float32 or int64.
    Array(Tensor),
    Strings(Vec<PyBackedBytes>),
}

impl Values {
    fn from_python(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<Values> {
        if tensors::is_array(values) {
            return tensors::from_python(values, false).map(Values::Array);
        }
        Ok(match kind {
            "float" => Values::Floats(values.extract()?),
            "int64" => Values::Integers(values.extract()?),
            _ => {
                let values = values.cast::<PyList>()?;
                let mut strings = Vec::with_capacity(values.len());
                for value in values {
                    strings.push(value.extract()?);
                    tensors::look_up_at(values.py(), strings.len())?;
                }
                Values::Strings(strings)
            }
        })
    }

    fn byte_size(&self) -> usize {
        match self {
            Values::Floats(floats) => 4 * floats.len(),
            Values::Integers(integers) => 8 * integers.len(),
            Values::Array(array) => array.as_column().byte_size(),
            Values::Strings(strings) => strings.iter().map(|string| string.len()).sum(),
        }
    }
}
