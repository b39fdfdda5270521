//! Datasets: each method converts its arguments, calls the method of that name, and raises what is wrong at once.
//! Arguments, defaults and documentation are those of `feedline/_dataset.py`.

use std::path::PathBuf;
use std::sync::Arc;

use feedline::data::Structure;
use feedline::plan::{FileFormat, NativeSource, Plan};
use feedline::{Count, Dataset as Inner, Error, ErrorPolicy, Functions, State};
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::elements::Elements;
use crate::errors::{exception, of_feedline};
use crate::functions::{PythonElements, PythonFunction};
use crate::options::Options;
use crate::{processes, results, spec, structure, symbolic, tracing};

/// A dataset of the engine's.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct Dataset(Inner);

/// The dataset of the engine's that a Python dataset stands for.
pub(crate) fn dataset_of(value: &Bound<'_, PyAny>) -> PyResult<Inner> {
    let native = value.getattr("_inner").and_then(|native| Ok(native.cast_into::<Dataset>()?));
    native.map(|native| native.get().0.clone()).map_err(|_| {
        let class = value.get_type();
        exception(
            "SchemaError",
            format!(
                "the function returned {class}, not a dataset\nhint: map is for functions that return tensors"
            ),
        )
    })
}

fn made(dataset: Inner) -> PyResult<Dataset> {
    dataset.check().map(Dataset).map_err(of_feedline)
}

/// How many: a number, `None` or −1 for no limit, or a value of the element around.
fn count(value: &Bound<'_, PyAny>) -> PyResult<Count> {
    if value.is_none() {
        return Ok(Count::All);
    }
    if let Ok(number) = value.cast::<PyInt>() {
        let number: i64 = number.extract()?;
        return Ok(u64::try_from(number).map_or(Count::All, Count::Number));
    }
    Ok(Count::Of(symbolic::from_python(value, true)?))
}

#[pymethods]
impl Dataset {
    #[staticmethod]
    fn range(
        start: &Bound<'_, PyAny>,
        stop: &Bound<'_, PyAny>,
        step: &Bound<'_, PyAny>,
    ) -> PyResult<Dataset> {
        let number = |value| symbolic::from_python(value, true);
        made(Inner::range_step(number(start)?, number(stop)?, number(step)?))
    }

    #[staticmethod]
    fn from_tensors(tensors: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(Inner::from_tensors(symbolic::from_python(tensors, false)?))
    }

    #[staticmethod]
    fn from_tensor_slices(tensors: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(Inner::from_tensor_slices(symbolic::from_python(tensors, false)?))
    }

    #[staticmethod]
    fn from_generator(name: String, function: Py<PyAny>, output: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        let spec = spec::from_python(output)?;
        let (function, shared) = (Arc::new(function), Arc::new(spec.clone()));
        let iterate = move || {
            Box::new(PythonElements::new(Arc::clone(&function), Arc::clone(&shared)))
                as feedline::plan::NativeElements
        };
        let source = NativeSource { name, spec, iterate: Arc::new(iterate) };
        made(Inner::of_plan(Ok(Plan::from_native(source))))
    }

    #[staticmethod]
    fn list_files(
        py: Python<'_>,
        patterns: Vec<PathBuf>,
        shuffle: bool,
        seed: Option<i64>,
    ) -> PyResult<Dataset> {
        let listed = py.detach(|| {
            if shuffle { Inner::list_files(&patterns) } else { Inner::list_files_sorted(&patterns) }
        });
        let listed = listed.map_err(of_feedline)?;
        made(match seed {
            Some(seed) if shuffle => listed.seed(seed),
            _ => listed,
        })
    }

    /// The rows of files: `paths` as they are, not patterns.
    #[staticmethod]
    fn files(paths: Vec<PathBuf>, is_text: bool) -> PyResult<Dataset> {
        made(Inner::of_plan(Plan::files(paths, format(is_text))))
    }

    /// The rows of files whose paths are values of the element around.
    #[staticmethod]
    fn files_of(path: &Bound<'_, PyAny>, is_text: bool) -> PyResult<Dataset> {
        let path = symbolic::from_python(path, true)?;
        made(if is_text { Inner::text_line_file(path) } else { Inner::tf_record_file(path) })
    }

    fn num_parallel_reads(&self, reads: Option<usize>) -> PyResult<Dataset> {
        made(self.0.num_parallel_reads(reads))
    }

    #[staticmethod]
    fn zip(datasets: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(Inner::zip(&structure::from_python(datasets, &mut dataset_of)?))
    }

    fn map(
        &self,
        function: &Bound<'_, PyAny>,
        num_parallel_calls: Option<usize>,
        deterministic: bool,
    ) -> PyResult<Dataset> {
        let mapped = tracing::map(&self.0, function)?;
        made(with_calls(mapped, num_parallel_calls, deterministic))
    }

    fn map_python(
        &self,
        name: &str,
        function: Py<PyAny>,
        output: &Bound<'_, PyAny>,
        num_parallel_calls: usize,
        deterministic: bool,
    ) -> PyResult<Dataset> {
        let function = PythonFunction::of_element(name, function, spec::from_python(output)?);
        made(with_calls(self.0.map_function(function), Some(num_parallel_calls), deterministic))
    }

    /// As `map_python`, in processes: `command` and `setup` are those of `feedline/_processes.py`.
    #[allow(clippy::too_many_arguments, reason = "what Python hands over comes as arguments")]
    fn map_processes(
        &self,
        name: &str,
        command: Vec<String>,
        setup: Vec<u8>,
        output: &Bound<'_, PyAny>,
        num_parallel_calls: usize,
        deterministic: bool,
    ) -> PyResult<Dataset> {
        let output = spec::from_python(output)?;
        let function = processes::function(name, command, setup, output, num_parallel_calls);
        made(with_calls(self.0.map_function(function), Some(num_parallel_calls), deterministic))
    }

    fn filter(&self, predicate: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(tracing::tensors_step(predicate, |trace| self.0.filter(trace))?)
    }

    fn flat_map(&self, function: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(tracing::datasets_step(function, |trace| self.0.flat_map(trace))?)
    }

    fn interleave(
        &self,
        function: &Bound<'_, PyAny>,
        cycle_length: Option<usize>,
        block_length: u64,
        num_parallel_calls: Option<usize>,
        deterministic: bool,
    ) -> PyResult<Dataset> {
        let turns =
            tracing::datasets_step(function, |trace| self.0.interleave(trace))?.block_length(block_length);
        let turns = cycle_length.map_or_else(|| turns.clone(), |length| turns.cycle_length(length));
        made(with_calls(turns, num_parallel_calls, deterministic))
    }

    fn shuffle(&self, buffer_size: usize, seed: Option<i64>, reshuffle: bool) -> PyResult<Dataset> {
        let shuffled = self.0.shuffle(buffer_size);
        let shuffled = seed.map_or_else(|| shuffled.clone(), |seed| shuffled.seed(seed));
        made(shuffled.reshuffle_each_iteration(reshuffle))
    }

    fn global_shuffle(&self, seed: Option<i64>, reshuffle: bool) -> PyResult<Dataset> {
        let shuffled = self.0.global_shuffle();
        let shuffled = seed.map_or_else(|| shuffled.clone(), |seed| shuffled.seed(seed));
        made(shuffled.reshuffle_each_iteration(reshuffle))
    }

    fn batch(&self, batch_size: usize, drop_remainder: bool) -> PyResult<Dataset> {
        let batched = self.0.batch(batch_size);
        made(if drop_remainder { batched.drop_remainder() } else { batched })
    }

    fn unbatch(&self) -> PyResult<Dataset> {
        made(self.0.unbatch())
    }

    fn repeat(&self, times: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(self.0.repeat(count(times)?))
    }

    fn take(&self, elements: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(self.0.take(count(elements)?))
    }

    fn skip(&self, elements: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(self.0.skip(count(elements)?))
    }

    fn shard(&self, num_shards: u64, index: u64) -> PyResult<Dataset> {
        made(self.0.shard(num_shards, index))
    }

    fn enumerate(&self, start: i64) -> PyResult<Dataset> {
        made(self.0.enumerate(start))
    }

    fn concatenate(&self, other: &Dataset) -> PyResult<Dataset> {
        made(self.0.concatenate(&other.0))
    }

    fn cache(&self, folder: Option<PathBuf>) -> PyResult<Dataset> {
        made(folder.map_or_else(|| self.0.cache(), |folder| self.0.cache_to(folder)))
    }

    fn prefetch(&self, buffer_size: Option<usize>) -> PyResult<Dataset> {
        made(self.0.prefetch(buffer_size))
    }

    fn ignore_errors(&self) -> PyResult<Dataset> {
        made(self.0.ignore_errors())
    }

    fn on_error(
        &self,
        replacement: Option<&Bound<'_, PyAny>>,
        limit: Option<u64>,
        quarantine: Option<PathBuf>,
    ) -> PyResult<Dataset> {
        let policy = match replacement {
            None => ErrorPolicy::skip(),
            Some(element) => ErrorPolicy::replace(self.element_like(element)?),
        };
        let policy = limit.map_or_else(|| policy.clone(), |limit| policy.clone().limit(limit));
        made(
            self.0
                .on_error(quarantine.map_or_else(|| policy.clone(), |path| policy.clone().quarantine(path))),
        )
    }

    fn with_options(&self, options: &Options) -> Dataset {
        Dataset(self.0.with_options(options.0.clone()))
    }

    fn element_spec<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        spec::to_python(py, self.0.element_spec().map_err(of_feedline)?)
    }

    fn cardinality(&self) -> PyResult<i64> {
        self.0.cardinality().map_err(of_feedline)
    }

    fn explain(&self) -> PyResult<String> {
        self.0.explain().map(|explanation| explanation.to_string()).map_err(of_feedline)
    }

    /// The steps as written, one a line.
    fn steps(&self) -> PyResult<Vec<String>> {
        self.0.plan().map(Plan::lines).map_err(of_feedline)
    }

    fn to_text(&self) -> PyResult<String> {
        self.0.to_text().map_err(of_feedline)
    }

    #[staticmethod]
    fn from_text(text: &str) -> PyResult<Dataset> {
        Inner::from_text(text, &Functions::new()).and_then(Inner::check).map(Dataset).map_err(of_feedline)
    }

    fn iterator(&self, py: Python<'_>, epoch: Option<u64>) -> PyResult<Elements> {
        let elements = py.detach(|| match epoch {
            None => self.0.iterator(),
            Some(epoch) => self.0.iterator_of(epoch),
        });
        elements.map(Elements::new).map_err(of_feedline)
    }

    fn resume(&self, py: Python<'_>, state: &[u8]) -> PyResult<Elements> {
        let state = State::from_bytes(state).map_err(|error| of_feedline(Error::from(error)))?;
        py.detach(|| self.0.resume(&state)).map(Elements::new).map_err(of_feedline)
    }
}

impl Dataset {
    /// An element of this dataset's spec from what Python has: numbers and lists take the type the spec says.
    fn element_like(&self, value: &Bound<'_, PyAny>) -> PyResult<Structure<feedline::data::block::Tensor>> {
        results::element_of(value, self.0.element_spec().map_err(of_feedline)?)
    }
}

fn with_calls(dataset: Inner, num_parallel_calls: Option<usize>, deterministic: bool) -> Inner {
    let dataset = match num_parallel_calls {
        Some(calls) => dataset.num_parallel_calls(calls),
        None => dataset,
    };
    if deterministic { dataset } else { dataset.deterministic(false) }
}

fn format(is_text: bool) -> FileFormat {
    if is_text { FileFormat::TextLine } else { FileFormat::TfRecord }
}
