//! Writing record files and Examples.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use feedline::formats::example::{ExampleWriter, FeatureValues};
use feedline::records;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{exception, of_feedline};
use crate::saving::compression_of;
use crate::waiting::wait_for;

/// A record file being written; it appears under its name when it is finished.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct RecordWriter {
    writer: Mutex<Option<records::RecordWriter>>,
    /// The process that writes it. A process that was forked has a copy of the writer, but the file is not its own.
    process: u32,
}

#[pymethods]
impl RecordWriter {
    #[new]
    fn new(path: PathBuf, compression: &str) -> PyResult<RecordWriter> {
        let writer = records::RecordWriter::create(path, compression_of(compression)).map_err(of_feedline)?;
        Ok(RecordWriter { writer: Mutex::new(Some(writer)), process: std::process::id() })
    }

    fn write(&self, py: Python<'_>, record: &[u8]) -> PyResult<()> {
        self.with(py, |writer| writer.write(record))
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, records::RecordWriter::flush)
    }

    /// Completes the file; without it there is none.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.check_process()?;
        let writer = py.detach(|| self.writer.lock().unwrap_or_else(PoisonError::into_inner).take());
        let Some(writer) = writer else { return Ok(()) };
        wait_for(py, move || writer.finish(), |_| Ok(()))?.map(drop).map_err(of_feedline)
    }

    /// Gives the file up: nothing appears.
    fn abandon(&self) {
        if self.process == std::process::id() {
            drop(self.writer.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl Drop for RecordWriter {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // The process that was forked goes on writing the file: what is dropped here would be removed there.
            std::mem::forget(self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl RecordWriter {
    /// Does something with the file, without the interpreter's lock.
    fn with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut records::RecordWriter) -> feedline::Result<()> + Send,
    ) -> PyResult<()> {
        self.check_process()?;
        let done =
            py.detach(|| self.writer.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(work));
        done.ok_or_else(|| exception("ArgumentError", "the file is closed"))?.map_err(of_feedline)
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

/// The bytes of a `tf.train.Example` of `{name: (kind, values)}`, as `feedline/io.py` hands them on.
#[pyfunction]
pub(crate) fn example_bytes<'py>(
    py: Python<'py>,
    features: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyBytes>> {
    enum Values {
        Floats(Vec<f32>),
        Integers(Vec<i64>),
        Strings(Vec<Vec<u8>>),
    }
    let mut owned = Vec::with_capacity(features.len());
    for (name, parts) in features.iter() {
        let (kind, values): (String, Bound<'_, PyAny>) = parts.extract()?;
        let values = match kind.as_str() {
            "float" => Values::Floats(values.extract()?),
            "int64" => Values::Integers(values.extract()?),
            _ => Values::Strings(values.extract()?),
        };
        owned.push((name.extract::<String>()?, values));
    }
    let strings: Vec<Vec<&[u8]>> = owned
        .iter()
        .map(|(_, values)| match values {
            Values::Strings(strings) => strings.iter().map(Vec::as_slice).collect(),
            _ => Vec::new(),
        })
        .collect();
    let mut writer = ExampleWriter::new();
    for ((name, values), strings) in owned.iter().zip(&strings) {
        writer.push(
            name,
            match values {
                Values::Floats(floats) => FeatureValues::Float(floats),
                Values::Integers(integers) => FeatureValues::Int64(integers),
                Values::Strings(_) => FeatureValues::Bytes(strings),
            },
        );
    }
    Ok(PyBytes::new(py, &writer.to_bytes()))
}
