//! Datasets as elements: functions of a dataset, each as the methods of [`crate::dataset`].

use std::path::PathBuf;

use feedline::plan::{Buckets, CacheCompression, PlanError};
use feedline::{Dataset as Inner, Symbolic};
use pyo3::prelude::*;

use crate::dataset::{Dataset, dataset_of, made, to_python};
use crate::{origins, spec, structure, symbolic, tracing};

#[pyfunction]
pub(crate) fn window(
    dataset: &Dataset,
    size: usize,
    shift: usize,
    stride: usize,
    drop_remainder: bool,
) -> PyResult<Dataset> {
    let windows = dataset.0.window_by(size, shift, stride);
    made(if drop_remainder { windows.drop_remainder() } else { windows })
}

#[pyfunction]
pub(crate) fn collect(dataset: &Dataset) -> PyResult<Dataset> {
    made(dataset.0.collect())
}

/// `window_size` is a function of the key.
#[pyfunction]
pub(crate) fn group_by_window(
    dataset: &Dataset,
    key: &Bound<'_, PyAny>,
    window_size: &Bound<'_, PyAny>,
    reduce: &Bound<'_, PyAny>,
) -> PyResult<Dataset> {
    let py = key.py();
    let raised = std::cell::RefCell::new(None);
    let tensors = |function: &Bound<'_, PyAny>, value: &Symbolic| {
        let result = tracing::traced(function, value);
        let result = result.and_then(|result| symbolic::from_python(result.bind(py), true));
        result.unwrap_or_else(|error| {
            raised.borrow_mut().get_or_insert(error);
            Symbolic::of_error(PlanError::argument("an exception"))
        })
    };
    let reduced = |key: &Symbolic, window: Inner| -> PyResult<Inner> {
        origins::remember(reduce, key);
        let _depth = tracing::Depth::enter();
        let result = reduce.call1((symbolic::to_python(py, key)?, to_python(py, window)?))?;
        dataset_of(&result)
    };
    let grouped = dataset.0.group_by_window_of(
        |element| tensors(key, &element),
        |key| tensors(window_size, &key),
        |key, window| {
            reduced(&key, window).unwrap_or_else(|error| {
                raised.borrow_mut().get_or_insert(error);
                Inner::of_plan(Err(PlanError::argument("an exception")))
            })
        },
    );
    match raised.into_inner() {
        Some(error) => Err(error),
        None => made(grouped),
    }
}

#[pyfunction]
pub(crate) fn rejection_resample(
    dataset: &Dataset,
    class_: &Bound<'_, PyAny>,
    target: Vec<f32>,
    initial: Option<Vec<f32>>,
    seed: Option<i64>,
) -> PyResult<Dataset> {
    let initial = initial.as_deref();
    made(tracing::tensors_step(class_, |trace| dataset.0.rejection_resample(trace, &target, initial, seed))?)
}

#[pyfunction]
pub(crate) fn ragged_batch(dataset: &Dataset, batch_size: usize, drop_remainder: bool) -> PyResult<Dataset> {
    let batches = if drop_remainder { Inner::full_ragged_batch } else { Inner::ragged_batch };
    made(batches(&dataset.0, batch_size))
}

#[pyfunction]
pub(crate) fn snapshot(
    py: Python<'_>,
    dataset: &Dataset,
    path: PathBuf,
    compression: &str,
) -> PyResult<Dataset> {
    let known =
        CacheCompression::ALL.into_iter().find(|known| known.name() == compression).unwrap_or_default();
    made(dataset.kept(py, move |dataset| dataset.snapshot(path).compression(known))?)
}

#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what Python hands over comes as arguments")]
pub(crate) fn bucket_by_sequence_length(
    dataset: &Dataset,
    length: &Bound<'_, PyAny>,
    boundaries: Vec<i64>,
    batch_sizes: Vec<usize>,
    shapes: Option<&Bound<'_, PyAny>>,
    values: Option<&Bound<'_, PyAny>>,
    pad_to_bucket_boundary: bool,
    no_padding: bool,
    drop_remainder: bool,
) -> PyResult<Dataset> {
    let shape = |shapes| structure::from_python(shapes, &mut |leaf| spec::shape(&leaf.getattr("shape")?));
    let buckets = Buckets {
        padded_shapes: shapes.map(shape).transpose()?,
        padding_values: values.map(|values| dataset.padding_values(values)).transpose()?,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
        ..Buckets::new(boundaries, batch_sizes)
    };
    made(tracing::tensors_step(length, |trace| dataset.0.bucket_by_sequence_length(trace, &buckets))?)
}
