//! Datasets: each method converts its arguments, calls the method of that name, and raises what is wrong at once.
//! Arguments, defaults and documentation are those of `feedline/_dataset.py`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use feedline::data::block::Tensor;
use feedline::data::{DType, Structure};
use feedline::io::ListingWatch;
use feedline::plan::{Expr, NativeSource, NodeKind, Plan};
use feedline::{
    Count, Dataset as Inner, Error, ErrorPolicy, Fit, Functions, Packing, Sampling, State, Symbolic,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyInt, PyString};

use crate::attached::attached;
use crate::elements::Elements;
use crate::errors::{exception, of_feedline};
use crate::files::FormatArgument;
use crate::functions::{PythonElements, PythonFunction};
use crate::options::Options;
use crate::tensors::WAIT_FROM_BYTES;
use crate::waiting::wait_for;
use crate::{origins, processes, results, spec, structure, symbolic, tensors, tracing};

/// A dataset of the engine's.
#[pyclass(frozen, module = "feedline._native")]
pub(crate) struct Dataset(pub(crate) Inner);

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

/// The Python dataset of a dataset of the engine's.
pub(crate) fn to_python(py: Python<'_>, dataset: Inner) -> PyResult<Bound<'_, PyAny>> {
    py.import("feedline._dataset")?.getattr("Dataset")?.call1((made(dataset)?,))
}

/// An element as Python has it: arrays, and datasets that hold their elements.
pub(crate) fn element_to_python<'py>(
    py: Python<'py>,
    element: &Structure<Tensor>,
) -> PyResult<Bound<'py, PyAny>> {
    element_with(py, element, tensors::to_python)
}

/// An element with its tensors as `leaf` has them.
pub(crate) fn element_with<'py>(
    py: Python<'py>,
    element: &Structure<Tensor>,
    leaf: fn(Python<'py>, &Tensor) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    structure::to_python(py, element, &mut |tensor| leaf(py, tensor), &mut |element, parts| {
        let parts = parts.iter().cloned().map(Expr::constant).collect();
        let rows = Symbolic::from(Structure::Dataset(Box::new(element.clone()), parts));
        to_python(py, Inner::of_window(rows))
    })
}

/// The value that a Python dataset is which a function got, if it hands it on as it is; `None` for what is no dataset.
pub(crate) fn rows_in(value: &Bound<'_, PyAny>) -> PyResult<Option<Symbolic>> {
    let Ok(native) = value.getattr("_inner").and_then(|native| Ok(native.cast_into::<Dataset>()?)) else {
        return Ok(None);
    };
    let dataset = native.get();
    match &dataset.0.plan().map_err(of_feedline)?.node().kind {
        NodeKind::RowsOf { element, parts } => {
            Ok(Some(Symbolic::from(Structure::Dataset(Box::new(element.clone()), parts.clone()))))
        }
        _ => Err(exception(
            "SchemaError",
            "the function returned a dataset, not tensors\nhint: flat_map and interleave are for functions that return datasets; \
             flat_map(lambda x: dataset.collect()) gives one dataset for each element",
        )),
    }
}

pub(crate) fn made(dataset: Inner) -> PyResult<Dataset> {
    if !tracing::is_tracing() {
        origins::check_closed(dataset.plan().map_err(of_feedline)?)?;
    }
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
    fn counter(start: i64, step: i64) -> PyResult<Dataset> {
        made(Inner::counter(start, step))
    }

    #[staticmethod]
    fn random(seed: Option<i64>, rerandomize: bool) -> PyResult<Dataset> {
        let random = Inner::random().rerandomize_each_iteration(rerandomize);
        made(seed.map_or_else(|| random.clone(), |seed| random.seed(seed)))
    }

    #[staticmethod]
    fn choose(datasets: Vec<Py<Dataset>>, choices: &Dataset, stop_on_empty: bool) -> PyResult<Dataset> {
        made(Inner::choose_from_datasets(&inner_of(&datasets), &choices.0, stop_on_empty))
    }

    /// By fixed weights, or by those of a dataset.
    #[staticmethod]
    fn sample(
        datasets: Vec<Py<Dataset>>,
        weights: Option<Vec<f64>>,
        varying: Option<&Dataset>,
        exact: bool,
        seed: Option<i64>,
        stop_on_empty: bool,
        rerandomize: bool,
    ) -> PyResult<Dataset> {
        let sampling = match (weights, varying) {
            (_, Some(varying)) => Sampling::by_dataset(&varying.0),
            (Some(weights), None) => Sampling::by(&weights),
            (None, None) => Sampling::uniform(),
        };
        let sampling = seed.map_or_else(|| sampling.clone(), |seed| sampling.clone().seed(seed));
        let sampling = if exact { sampling.exact() } else { sampling };
        let sampling = sampling.stop_on_empty_dataset(stop_on_empty).rerandomize_each_iteration(rerandomize);
        made(Inner::sample_from_datasets(&inner_of(&datasets), sampling))
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
        let (label, function, shared) = (Arc::from(&*name), Arc::new(function), Arc::new(spec.clone()));
        let iterate = move || {
            Box::new(PythonElements::new(Arc::clone(&label), Arc::clone(&function), Arc::clone(&shared)))
                as feedline::plan::NativeElements
        };
        let source = NativeSource { name, spec, iterate: Arc::new(iterate) };
        made(Inner::of_plan(Ok(Plan::from_native(source))))
    }

    /// `progress` is called with the number of files found.
    #[staticmethod]
    fn list_files(
        py: Python<'_>,
        patterns: Vec<PathBuf>,
        shuffle: bool,
        seed: Option<i64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Dataset> {
        let list = move |watch: &ListingWatch| Inner::list_files_watched(&patterns, shuffle, watch);
        let listed = listed(py, list, progress.as_ref())?;
        made(match seed {
            Some(seed) if shuffle => listed.seed(seed),
            _ => listed,
        })
    }

    /// The images of a folder, the names of their classes, and their paths. `progress` is called with the number of files found.
    #[staticmethod]
    fn image_folder(
        py: Python<'_>,
        path: PathBuf,
        class_names: Option<Vec<String>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Dataset, Vec<String>, Vec<OsString>)> {
        let list = move |watch: &ListingWatch| Inner::image_folder_watched(path, class_names, watch);
        let images = listed(py, list, progress.as_ref())?;
        let paths = images.file_paths().iter().map(|path| path.clone().into_os_string()).collect();
        Ok((made(images.dataset().clone())?, images.class_names().to_vec(), paths))
    }

    /// The rows of files: `paths` as they are, not patterns.
    #[staticmethod]
    fn files(paths: Vec<PathBuf>, format: FormatArgument) -> PyResult<Dataset> {
        made(Inner::of_plan(Plan::files(paths, format.to_format()?)))
    }

    /// The rows of files whose paths are values of the element around.
    #[staticmethod]
    fn files_of(path: &Bound<'_, PyAny>, format: FormatArgument) -> PyResult<Dataset> {
        let path = symbolic::from_python(path, true)?;
        made(Inner::of_plan(Plan::files_of(&path, format.to_format()?)))
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
        deterministic: Option<bool>,
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
        deterministic: Option<bool>,
    ) -> PyResult<Dataset> {
        let function = PythonFunction::of_element(name, function, spec::from_python(output)?);
        made(with_calls(self.0.map_function(function), Some(num_parallel_calls), deterministic))
    }

    /// As `map_python`, in processes, where there are workers: `command` and `setup` are those of `feedline/_processes.py`.
    #[allow(clippy::too_many_arguments, reason = "what Python hands over comes as arguments")]
    fn map_processes(
        &self,
        name: &str,
        function: Py<PyAny>,
        command: Vec<String>,
        setup: Vec<u8>,
        output: &Bound<'_, PyAny>,
        num_parallel_calls: usize,
        deterministic: Option<bool>,
    ) -> PyResult<Dataset> {
        let here = PythonFunction::of_element(name, function, spec::from_python(output)?);
        let function = processes::function(here, command, setup, num_parallel_calls);
        made(with_calls(self.0.map_function(function), Some(num_parallel_calls), deterministic))
    }

    fn filter(&self, predicate: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(tracing::tensors_step(predicate, |trace| self.0.filter(trace))?)
    }

    fn take_while(&self, predicate: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        made(tracing::tensors_step(predicate, |trace| self.0.take_while(trace))?)
    }

    fn scan(&self, initial: &Bound<'_, PyAny>, function: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        let initial = symbolic::from_python(initial, true)?;
        made(tracing::tensors_step(function, |trace| {
            self.0.scan(initial, |state, element| {
                let pair = trace(Symbolic::tuple([state, element]));
                (pair.at(0), pair.at(1))
            })
        })?)
    }

    fn reduce(&self, initial: &Bound<'_, PyAny>, function: &Bound<'_, PyAny>) -> PyResult<Dataset> {
        let initial = symbolic::from_python(initial, true)?;
        made(tracing::tensors_step(function, |trace| {
            self.0.reduced(initial, |state, element| trace(Symbolic::tuple([state, element])))
        })?)
    }

    /// The one element there is, as a value of the function that is being traced.
    fn single_element<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        symbolic::to_python(py, &self.0.single_element())
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
        deterministic: Option<bool>,
    ) -> PyResult<Dataset> {
        let turns =
            tracing::datasets_step(function, |trace| self.0.interleave(trace))?.block_length(block_length);
        let turns = cycle_length.map_or_else(|| turns.clone(), |length| turns.cycle_length(length));
        made(with_calls(turns, num_parallel_calls, deterministic))
    }

    fn shuffle(&self, buffer_size: Option<usize>, seed: Option<i64>, reshuffle: bool) -> PyResult<Dataset> {
        let shuffled = self.0.shuffle(buffer_size.unwrap_or(feedline::EVERYTHING));
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

    fn padded_batch(
        &self,
        batch_size: usize,
        shapes: Option<&Bound<'_, PyAny>>,
        values: Option<&Bound<'_, PyAny>>,
        drop_remainder: bool,
    ) -> PyResult<Dataset> {
        let padded = match shapes {
            None => self.0.padded_batch(batch_size),
            Some(shapes) => {
                let shapes =
                    structure::from_python(shapes, &mut |leaf| spec::shape(&leaf.getattr("shape")?))?;
                self.0.padded_batch_to(batch_size, shapes)
            }
        };
        let padded = match values {
            None => padded,
            Some(values) => padded.padding_values_or_usual(&self.padding_values(values)?),
        };
        made(if drop_remainder { padded.drop_remainder() } else { padded })
    }

    fn rebatch(&self, batch_sizes: Vec<usize>, drop_remainder: bool) -> PyResult<Dataset> {
        let batched = self.0.rebatch(batch_sizes);
        made(if drop_remainder { batched.drop_remainder() } else { batched })
    }

    fn unique(&self) -> PyResult<Dataset> {
        made(self.0.unique())
    }

    fn assert_cardinality(&self, expected: Option<u64>) -> PyResult<Dataset> {
        made(self.0.assert_cardinality(expected))
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

    fn pack(
        &self,
        lengths: Vec<usize>,
        num_open: usize,
        fit: &str,
        padding: i64,
        truncate: bool,
    ) -> PyResult<Dataset> {
        let fit = Fit::of_name(fit).map_err(|error| of_feedline(error.into()))?;
        made(self.0.pack(Packing { lengths, num_open, fit, padding, truncates: truncate }))
    }

    fn enumerate(&self, start: i64) -> PyResult<Dataset> {
        made(self.0.enumerate(start))
    }

    fn concatenate(&self, other: &Dataset) -> PyResult<Dataset> {
        made(self.0.concatenate(&other.0))
    }

    fn cache(&self, py: Python<'_>, folder: Option<PathBuf>) -> PyResult<Dataset> {
        let Some(folder) = folder else { return made(self.0.cache()) };
        made(self.kept(py, |dataset| dataset.cache_to(folder))?)
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
        tells: bool,
    ) -> PyResult<Dataset> {
        let policy = match replacement {
            None => ErrorPolicy::skip(),
            Some(element) => ErrorPolicy::replace(self.element_like(element)?),
        };
        let policy = limit.map_or_else(|| policy.clone(), |limit| policy.clone().limit(limit));
        let policy = if tells { policy.telling() } else { policy };
        made(
            self.0
                .on_error(quarantine.map_or_else(|| policy.clone(), |path| policy.clone().quarantine(path))),
        )
    }

    fn with_options(&self, options: &Options) -> Dataset {
        Dataset(self.0.with_options(options.0.clone()))
    }

    fn with_agreed_seeds(&self) -> PyResult<Dataset> {
        self.0.with_agreed_seeds().map(Dataset).map_err(of_feedline)
    }

    /// Everything when it is asked for, one element after the other through all steps.
    fn one_by_one(&self, options: &Options) -> Dataset {
        Dataset(self.0.with_options(options.0.clone().threads(0).optimizer(false).block_size(1)))
    }

    fn element_spec<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        spec::to_python(py, self.0.element_spec().map_err(of_feedline)?)
    }

    fn cardinality(&self) -> PyResult<i64> {
        self.0.cardinality().map_err(of_feedline)
    }

    /// Whether it is made of what a function got.
    fn is_of_element(&self) -> PyResult<bool> {
        Ok(self.0.plan().map_err(of_feedline)?.escaped().is_some())
    }

    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        self.told(py, |dataset| dataset.explain().map(|explanation| explanation.to_string()))
    }

    /// The plans as a graph in Graphviz's language.
    fn explain_dot(&self, py: Python<'_>) -> PyResult<String> {
        self.told(py, |dataset| dataset.explain().map(|explanation| explanation.to_dot()))
    }

    fn fingerprint(&self, py: Python<'_>) -> PyResult<u64> {
        self.told(py, Inner::fingerprint)
    }

    /// The steps as written, one a line.
    fn steps(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.told(py, |dataset| dataset.plan().map(Plan::lines))
    }

    /// In pieces, since there may be gigabytes of data in it.
    fn to_text<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyString>>> {
        let text = self.told(py, Inner::to_text)?;
        let mut pieces = Vec::new();
        let mut rest = &*text;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(WAIT_FROM_BYTES));
            pieces.push(PyString::new(py, piece));
            rest = behind;
            py.check_signals()?;
        }
        Ok(pieces)
    }

    #[staticmethod]
    fn from_text(py: Python<'_>, text: Vec<PyBackedStr>) -> PyResult<Dataset> {
        let read = move || {
            Inner::from_text(&text.iter().map(|piece| &**piece).collect::<String>(), &Functions::new())
                .and_then(Inner::check)
        };
        wait_for(py, read, |_| Ok(()))?.map(Dataset).map_err(of_feedline)
    }

    fn iterator(&self, py: Python<'_>, epoch: Option<u64>) -> PyResult<Elements> {
        let dataset = self.0.on_notice(logged);
        let start = move || match epoch {
            None => dataset.iterator(),
            Some(epoch) => dataset.iterator_of(epoch),
        };
        wait_for(py, start, |_| Ok(()))?.map(Elements::new).map_err(of_feedline)
    }

    fn resume(&self, py: Python<'_>, state: &[u8]) -> PyResult<Elements> {
        let state = State::from_bytes(state).map_err(|error| of_feedline(Error::from(error)))?;
        let dataset = self.0.on_notice(logged);
        let resumed = wait_for(py, move || dataset.resume(&state), |_| Ok(()))?;
        resumed.map(Elements::new).map_err(of_feedline)
    }
}

impl Dataset {
    /// It with its elements kept in a folder, which takes long to make: the folder is that of all the data in the plan.
    pub(crate) fn kept(
        &self,
        py: Python<'_>,
        keep: impl FnOnce(&Inner) -> Inner + Send + 'static,
    ) -> PyResult<Inner> {
        let dataset = self.0.clone();
        wait_for(py, move || keep(&dataset), |_| Ok(()))
    }

    /// What is told of the plan, which may take long: it goes over all the data in it.
    fn told<T: Send + 'static>(
        &self,
        py: Python<'_>,
        tell: impl FnOnce(&Inner) -> feedline::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let dataset = self.0.clone();
        wait_for(py, move || tell(&dataset), |_| Ok(()))?.map_err(of_feedline)
    }

    /// What tensors are filled up with: numbers take the type of their tensor, `None` is the usual.
    pub(crate) fn padding_values(&self, values: &Bound<'_, PyAny>) -> PyResult<Structure<Option<Tensor>>> {
        let spec = self.0.element_spec().map_err(of_feedline)?;
        let dtypes: Vec<DType> = spec.leaves().iter().map(|spec| spec.dtype).collect();
        let mut leaf = 0;
        structure::from_python(values, &mut |value| {
            // One value is for all tensors, and takes the type of the first.
            let dtype = dtypes.get(leaf).copied();
            leaf += 1;
            if value.is_none() { Ok(None) } else { results::tensor_of(value, dtype).map(Some) }
        })
    }

    /// An element of this dataset's spec from what Python has: numbers and lists take the type the spec says.
    fn element_like(&self, value: &Bound<'_, PyAny>) -> PyResult<Structure<Tensor>> {
        results::element_of(value, self.0.element_spec().map_err(of_feedline)?)
    }
}

/// What `list` finds. `progress` is called with the number of files meanwhile.
fn listed<T: Send + 'static>(
    py: Python<'_>,
    list: impl FnOnce(&ListingWatch) -> feedline::Result<T> + Send + 'static,
    progress: Option<&Py<PyAny>>,
) -> PyResult<T> {
    let watch = Arc::new(ListingWatch::default());
    let tell = |py: Python<'_>| {
        progress.map_or(Ok(()), |progress| progress.call1(py, (watch.num_found(),)).map(drop))
    };
    let seen = Arc::clone(&watch);
    let found = wait_for(py, move || list(&seen), tell).inspect_err(|_| watch.stop())?;
    let found = found.map_err(of_feedline)?;
    tell(py)?;
    Ok(found)
}

/// Hands a notice to Python's `logging`, which writes it to standard error unless the program says otherwise.
fn logged(notice: &str) {
    let _ = attached(|py| {
        let logger = py.import("logging")?.call_method1("getLogger", ("feedline",))?;
        logger.call_method1("warning", ("%s", notice)).map(Bound::unbind)
    });
}

fn inner_of(datasets: &[Py<Dataset>]) -> Vec<Inner> {
    datasets.iter().map(|dataset| dataset.get().0.clone()).collect()
}

fn with_calls(dataset: Inner, num_parallel_calls: Option<usize>, deterministic: Option<bool>) -> Inner {
    let dataset = match num_parallel_calls {
        Some(calls) => dataset.num_parallel_calls(calls),
        None => dataset,
    };
    deterministic.map_or_else(|| dataset.clone(), |is_kept| dataset.deterministic(is_kept))
}
