//! Calling a Python function once, with symbolic values, to learn what it computes.

use std::cell::{Cell, RefCell};

use feedline::data::{ElementSpec, Structure};
use feedline::plan::{Expr, NativeFunction, PlanError};
use feedline::{Dataset, Symbolic};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::{exception, of_plan};
use crate::functions::PythonFunction;
use crate::{origins, spec, symbolic};

thread_local! {
    /// How many functions are being traced, each inside the one before it.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The functions of maps that are being traced, each inside the one before it.
    static MAPS: RefCell<Vec<TracedMap>> = const { RefCell::new(Vec::new()) };
}

/// The function of a map while it is being traced.
struct TracedMap {
    /// How many functions are being traced with it: in others inside it no Python function can be called.
    depth: usize,
    /// Leaves of its element, and of what Python functions gave so far.
    num_leaves: usize,
    /// Python functions called in it, in order.
    calls: Vec<PythonCall>,
}

impl TracedMap {
    /// What `function` makes of the element, and the Python functions it called.
    fn trace(
        function: &Bound<'_, PyAny>,
        element: &Symbolic,
        num_leaves: usize,
    ) -> PyResult<(Py<PyAny>, Vec<PythonCall>)> {
        let map = TracedMap { depth: DEPTH.get() + 1, num_leaves, calls: Vec::new() };
        MAPS.with_borrow_mut(|maps| maps.push(map));
        let result = traced(function, element);
        let map = MAPS.with_borrow_mut(Vec::pop).expect("pushed above");
        Ok((result?, map.calls))
    }
}

/// `py_function` in a traced function: the step is cut in two there.
struct PythonCall {
    function: NativeFunction,
    inputs: Vec<Expr>,
    outputs: Vec<Expr>,
}

/// Counts a function that is being traced.
pub(crate) struct Depth;

impl Depth {
    pub(crate) fn enter() -> Depth {
        DEPTH.set(DEPTH.get() + 1);
        Depth
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Whether a function is being traced.
#[pyfunction]
pub(crate) fn is_tracing() -> bool {
    DEPTH.get() > 0
}

/// What `function` makes of a symbolic element.
pub(crate) fn traced(function: &Bound<'_, PyAny>, element: &Symbolic) -> PyResult<Py<PyAny>> {
    origins::remember(function, element);
    // From here on, since windows in the element are datasets made of it.
    let _depth = Depth::enter();
    let element = symbolic::to_python(function.py(), element)?;
    Ok(function.call1((element,))?.unbind())
}

/// What `function` makes of symbolic arguments.
pub(crate) fn traced_with(
    function: &Bound<'_, PyAny>,
    arguments: &Bound<'_, PyTuple>,
) -> PyResult<Py<PyAny>> {
    let _depth = Depth::enter();
    Ok(function.call1(arguments)?.unbind())
}

/// The error of what `function` returned, which then says whose it is.
fn of_result(function: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = function.py();
    let tell = || py.import("feedline._tracing")?.getattr("tell_result")?.call1((error.value(py), function));
    tell().map_or_else(|failure| failure, |_| error)
}

/// Builds a step with a function that is traced by `function`. An exception of it is the step's.
fn stepping<R>(
    function: &Bound<'_, PyAny>,
    read: impl Fn(&Bound<'_, PyAny>) -> PyResult<R>,
    failed: impl Fn(PlanError) -> R,
    step: impl FnOnce(&mut dyn FnMut(Symbolic) -> R) -> Dataset,
) -> PyResult<Dataset> {
    let mut raised = None;
    let dataset = step(&mut |element| {
        let result = traced(function, &element)
            .and_then(|result| read(result.bind(function.py())).map_err(|error| of_result(function, error)));
        result.unwrap_or_else(|error| {
            raised = Some(error);
            failed(PlanError::argument("an exception"))
        })
    });
    raised.map_or(Ok(dataset), Err)
}

/// A step whose function gives tensors.
pub(crate) fn tensors_step(
    function: &Bound<'_, PyAny>,
    step: impl FnOnce(&mut dyn FnMut(Symbolic) -> Symbolic) -> Dataset,
) -> PyResult<Dataset> {
    stepping(function, |result| symbolic::from_python(result, true), Symbolic::of_error, step)
}

/// A step whose function gives a dataset.
pub(crate) fn datasets_step(
    function: &Bound<'_, PyAny>,
    step: impl FnOnce(&mut dyn FnMut(Symbolic) -> Dataset) -> Dataset,
) -> PyResult<Dataset> {
    let read = |result: &Bound<'_, PyAny>| crate::dataset::dataset_of(result);
    stepping(function, read, |error| Dataset::of_plan(Err(error)), step)
}

/// `map` by a traced function, in which Python functions may be called.
pub(crate) fn map(dataset: &Dataset, function: &Bound<'_, PyAny>) -> PyResult<Dataset> {
    let spec = dataset.element_spec().map_err(crate::errors::of_feedline)?.clone();
    let is_inside = DEPTH.get() > 0;
    let mut cut = None;
    let mut raised = None;
    let mapped = dataset.map(|element| {
        let mut trace = || {
            let (result, calls) = TracedMap::trace(function, &element, spec.num_leaves())?;
            let result = symbolic::from_python(result.bind(function.py()), true)
                .map_err(|error| of_result(function, error))?;
            if is_inside && calls.is_empty() {
                return Ok(result);
            }
            let result = result.to_structure().map_err(|error| of_plan(&error))?;
            let mut own: Vec<Expr> = leaves_of(&element)?;
            for call in &calls {
                if !is_inside {
                    origins::check_own(function, &call.inputs, &own)?;
                }
                own.extend(call.outputs.iter().cloned());
            }
            if !is_inside {
                let leaves: Vec<Expr> = result.leaves().into_iter().cloned().collect();
                origins::check_own(function, &leaves, &own)?;
            }
            if calls.is_empty() {
                return Ok(Symbolic::from(result));
            }
            cut = Some((result, own, calls));
            Err(exception("InternalError", "a map that is made of several"))
        };
        trace().unwrap_or_else(|error| {
            raised = Some(error);
            Symbolic::of_error(PlanError::argument("an exception"))
        })
    });
    match (cut, raised) {
        (Some((result, own, calls)), _) => Ok(with_calls(dataset, &spec, &own, &result, calls)),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(mapped),
    }
}

fn leaves_of(value: &Symbolic) -> PyResult<Vec<Expr>> {
    let structure = value.to_structure().map_err(|error| of_plan(&error))?;
    Ok(structure.leaves().into_iter().cloned().collect())
}

/// `map`, cut in pieces at the calls of Python functions: between them elements are flat tuples of all leaves there are. `own` are the inputs
/// that the calls and the result are made of: leaves of the element, then those of what calls gave.
fn with_calls(
    dataset: &Dataset,
    spec: &ElementSpec,
    own: &[Expr],
    result: &Structure<Expr>,
    calls: Vec<PythonCall>,
) -> Dataset {
    let over = |element: &Symbolic, exprs: &Structure<Expr>| -> feedline::plan::Result<Symbolic> {
        let leaves: Vec<Expr> = element.to_structure()?.leaves().into_iter().cloned().collect();
        Ok(Symbolic::from(exprs.with_leaves(Expr::substitute_own(exprs.leaves(), own, &leaves)?)))
    };
    let mut pieces = dataset.clone();
    let mut leaves: Vec<_> = spec.leaves().into_iter().cloned().collect();
    for call in calls {
        let known = own[..leaves.len()].iter().cloned();
        let exprs = Structure::Tuple(known.chain(call.inputs).map(Structure::Leaf).collect());
        leaves.extend(call.function.output.leaves().into_iter().cloned());
        let function = NativeFunction {
            output: Structure::Tuple(leaves.iter().cloned().map(Structure::Leaf).collect()),
            ..call.function
        };
        pieces = pieces
            .map(|element| over(&element, &exprs).unwrap_or_else(Symbolic::of_error))
            .map_function(function)
            .num_parallel_calls(1);
    }
    pieces.map(|element| over(&element, result).unwrap_or_else(Symbolic::of_error))
}

/// What `function` gives for these tensors, computed by Python when the dataset is iterated; `output` is the spec of it. For a filter it says
/// which elements stay.
#[pyfunction]
pub(crate) fn py_function<'py>(
    py: Python<'py>,
    name: &str,
    function: Py<PyAny>,
    inputs: &Bound<'py, PyAny>,
    output: &Bound<'py, PyAny>,
    is_of_filter: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let known = MAPS.with_borrow(|maps| {
        let map = maps.last().filter(|map| map.depth == DEPTH.get())?;
        Some(map.num_leaves)
    });
    let Some(first) = known else {
        let message = "py_function works in the function of a map, and not in that of another step, nor in a choice or \
                       loop inside a function\nhint: call it in a map before; .filter(fn, python=True) filters by a Python function";
        return Err(exception("TraceError", message));
    };
    let inputs = leaves_of(&symbolic::from_python(inputs, true)?)?;
    if inputs.iter().any(Expr::is_random) {
        let message = "py_function of a random value: the value would be drawn twice\n\
                       hint: draw it in a map of its own, before the map that calls py_function";
        return Err(exception("TraceError", message));
    }
    let output = spec::from_python(output)?;
    let step = if is_of_filter { "filter" } else { "py_function" };
    let function = PythonFunction::behind(step, name, function, first, output.clone());
    let mut leaf = first;
    let result = output.map(|spec| {
        leaf += 1;
        Expr::input(leaf - 1, spec.clone())
    });
    let outputs = result.leaves().into_iter().cloned().collect();
    MAPS.with_borrow_mut(|maps| {
        let map = maps.last_mut().expect("looked at above");
        map.num_leaves += output.num_leaves();
        map.calls.push(PythonCall { function, inputs, outputs });
    });
    symbolic::to_python(py, &Symbolic::from(result))
}
