//! Saved datasets: writing them with progress and Ctrl-C, and what is in a folder. `feedline/_saving.py` has the words.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use feedline::formats::Compression;
use feedline::{KeyOrder, SavedDataset as Saved, Saving};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::dataset::{Dataset, made};
use crate::errors::of_feedline;
use crate::symbolic;
use crate::waiting::wait_for;

/// How files are compressed, by TensorFlow's names; anything else is not at all.
pub(crate) fn compression_of(name: &str) -> Option<Compression> {
    match name {
        "GZIP" => Some(Compression::Gzip),
        "ZLIB" => Some(Compression::Zlib),
        _ => None,
    }
}

/// Saves the dataset to the folder `path`; where `shards` is `None`, its elements are pairs with the number of their shard. `structure` is one
/// of the elements, for the order of its keys; `progress` is called with the number of elements written.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what Python hands over comes as arguments")]
pub(crate) fn save(
    py: Python<'_>,
    dataset: &Dataset,
    path: PathBuf,
    shards: Option<u64>,
    compression: &str,
    structure: &Bound<'_, PyAny>,
    chunk_bytes: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let (compression, order) = (compression_of(compression), key_order(structure)?);
    let (written, is_stopped) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let (has_ended, ended) = mpsc::channel::<()>();
    let (counted, is_told, dataset) = (Arc::clone(&written), Arc::clone(&is_stopped), dataset.0.clone());
    let work = move || {
        let _has_ended = has_ended;
        let saving = Saving::new().compression(compression).chunk_bytes(chunk_bytes).key_order(order);
        let saving = saving.progress(|elements| {
            counted.store(elements, Ordering::Relaxed);
            if is_told.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let saving = match shards {
            Some(shards) => saving.shards(shards),
            None => saving.numbered(),
        };
        dataset.save_with(path, saving)
    };
    let tell = |py: Python<'_>| {
        let elements = written.load(Ordering::Relaxed);
        progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (elements,)).map(drop))
    };
    let saved = wait_for(py, work, tell).inspect_err(|_| {
        is_stopped.store(true, Ordering::Relaxed);
        // The folder is free for the next save then, unless the disk takes longer.
        let _ = py.detach(move || ended.recv_timeout(LONGEST_END));
    })?;
    saved.map_err(of_feedline)?;
    tell(py)
}

/// How long who is interrupted waits for a save to stop: it looks ten times a second whether to.
const LONGEST_END: Duration = Duration::from_millis(120);

/// The order of the keys in a structure of Python's.
fn key_order(structure: &Bound<'_, PyAny>) -> PyResult<KeyOrder> {
    if let Ok(parts) = structure.cast::<PyTuple>() {
        return parts.iter().map(|part| key_order(&part)).collect::<PyResult<_>>().map(KeyOrder::Tuple);
    }
    if let Ok(parts) = structure.cast::<PyDict>() {
        let parts = parts.iter().map(|(key, part)| Ok((key.extract()?, key_order(&part)?)));
        return parts.collect::<PyResult<_>>().map(KeyOrder::Dict);
    }
    Ok(KeyOrder::Leaf)
}

/// A structure of Python's with keys in that order, and `None` for each leaf.
fn form<'py>(py: Python<'py>, order: &KeyOrder) -> PyResult<Bound<'py, PyAny>> {
    match order {
        KeyOrder::Leaf => Ok(py.None().into_bound(py)),
        KeyOrder::Tuple(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| form(py, part)).collect::<PyResult<_>>()?;
            Ok(PyTuple::new(py, parts)?.into_any())
        }
        KeyOrder::Dict(parts) => {
            let dict = PyDict::new(py);
            for (key, part) in parts {
                dict.set_item(key, form(py, part)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

/// A folder that a dataset was saved to.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct SavedDataset(Saved);

#[pymethods]
impl SavedDataset {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, wait: bool) -> PyResult<SavedDataset> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let is_told = Arc::clone(&is_stopped);
        let open = move || {
            if wait {
                Saved::open_when_saved(path, || is_told.load(Ordering::Relaxed))
            } else {
                Saved::open(path)
            }
        };
        let opened =
            wait_for(py, open, |_| Ok(())).inspect_err(|_| is_stopped.store(true, Ordering::Relaxed))?;
        opened.map(SavedDataset).map_err(of_feedline)
    }

    /// Its elements with `None` for each tensor, and keys in the order they were saved in.
    fn form<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        form(py, &self.0.key_order())
    }

    fn elements(&self) -> PyResult<Dataset> {
        made(self.0.elements())
    }

    fn shards(&self) -> PyResult<Dataset> {
        made(self.0.shards())
    }

    fn elements_of(&self, shard: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(self.0.elements_of(symbolic::from_python(shard, true)?))
    }
}
