//! Choices and loops: Python functions traced inside the function that is being traced.

use feedline::Symbolic;
use feedline::plan::{PlanError, ops};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::exception;
use crate::symbolic::{from_python, to_python};
use crate::tracing::traced_with;

/// The first exception of the functions traced.
#[derive(Default)]
struct Raised(Option<PyErr>);

impl Raised {
    /// What `function` gives for these arguments.
    fn call(&mut self, function: &Bound<'_, PyAny>, arguments: &[Symbolic]) -> Symbolic {
        let py = function.py();
        let call = || {
            let arguments =
                arguments.iter().map(|value| to_python(py, value)).collect::<PyResult<Vec<_>>>()?;
            let result = traced_with(function, &PyTuple::new(py, arguments)?)?;
            from_python(result.bind(py), true)
        };
        call().unwrap_or_else(|error| {
            self.0.get_or_insert(error);
            Symbolic::of_error(PlanError::argument("an exception"))
        })
    }

    /// The result, unless a function raised.
    fn result<'py>(self, py: Python<'py>, result: &Symbolic) -> PyResult<Bound<'py, PyAny>> {
        self.0.map_or_else(|| to_python(py, result), Err)
    }
}

/// What one of `functions`, which take nothing, gives: the first or second by a bool, or that of a number.
#[pyfunction]
pub(crate) fn choose<'py>(
    py: Python<'py>,
    by: &Bound<'py, PyAny>,
    functions: Vec<Bound<'py, PyAny>>,
    is_bool: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let by = from_python(by, true)?;
    let raised = std::cell::RefCell::new(Raised::default());
    let branch = |function: &Bound<'py, PyAny>| raised.borrow_mut().call(function, &[]);
    let result = match (&functions[..], is_bool) {
        ([yes, no], true) => ops::cond(by, || branch(yes), || branch(no)),
        (_, true) => return Err(exception("ArgumentError", "cond takes two functions")),
        _ => {
            let branches = functions.iter().map(|function| {
                Box::new(move || branch(function)) as feedline::plan::expr::control::Branch<'_>
            });
            ops::switch_case(by, branches.collect())
        }
    };
    raised.into_inner().result(py, &result)
}

/// `loop_vars` after `body` was applied as long as `condition` says so.
#[pyfunction]
pub(crate) fn while_loop<'py>(
    py: Python<'py>,
    condition: &Bound<'py, PyAny>,
    body: &Bound<'py, PyAny>,
    loop_vars: &Bound<'py, PyAny>,
    maximum_iterations: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let raised = std::cell::RefCell::new(Raised::default());
    let call = |function: &Bound<'py, PyAny>, vars: Symbolic| raised.borrow_mut().call(function, &[vars]);
    let vars = from_python(loop_vars, true)?;
    let result =
        ops::while_loop(|vars| call(condition, vars), |vars| call(body, vars), vars, maximum_iterations);
    raised.into_inner().result(py, &result)
}

/// What `function` gives for each entry of `elems`.
#[pyfunction]
pub(crate) fn map_fn<'py>(
    py: Python<'py>,
    function: &Bound<'py, PyAny>,
    elems: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut raised = Raised::default();
    let elems = from_python(elems, true)?;
    let result = ops::map_fn(|entry| raised.call(function, &[entry]), elems);
    raised.result(py, &result)
}

/// What `function` gives for a state and one entry of `elems` after the other; all of it if `is_scan`.
#[pyfunction]
pub(crate) fn fold<'py>(
    py: Python<'py>,
    function: &Bound<'py, PyAny>,
    elems: &Bound<'py, PyAny>,
    initializer: &Bound<'py, PyAny>,
    is_scan: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mut raised = Raised::default();
    let (elems, initializer) = (from_python(elems, true)?, from_python(initializer, true)?);
    let step = |state: Symbolic, entry: Symbolic| raised.call(function, &[state, entry]);
    let result =
        if is_scan { ops::scan(step, elems, initializer) } else { ops::foldl(step, elems, initializer) };
    raised.result(py, &result)
}

/// `value`, computed after `checks`.
#[pyfunction]
pub(crate) fn after<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    checks: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let checks = checks.iter().map(|check| from_python(check, true)).collect::<PyResult<Vec<_>>>()?;
    to_python(py, &from_python(value, true)?.after(checks))
}
