//! Python functions as steps and sources: called with numpy arrays, on threads of their own.

use std::sync::Arc;

use feedline::data::block::Tensor;
use feedline::data::{ElementSpec, Structure};
use feedline::plan::NativeFunction;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::attached::{Failure, attached};
use crate::errors::{CallOfPython, PythonError};
use crate::results::{element_of, yielded_element_of};
use crate::{dataset, tensors, user_code};

/// A Python function with what it returns.
pub(crate) struct PythonFunction {
    function: Py<PyAny>,
    output: ElementSpec,
}

impl PythonFunction {
    /// The function of one element, which it gets as Python has it.
    pub(crate) fn of_element(name: &str, function: Py<PyAny>, output: ElementSpec) -> NativeFunction {
        let python = PythonFunction { function, output: output.clone() };
        let label = name.to_owned();
        let call = move |element: Structure<Tensor>| {
            let result = attached(|py| {
                let element = dataset::element_to_python(py, &element)?;
                python.call(&PyTuple::new(py, [element])?)
            });
            result.map_err(|failure| {
                PythonError::during(failure, || CallOfPython::with("map", &label, arguments_of(&element)))
            })
        };
        NativeFunction { name: name.to_owned(), output, call: Arc::new(call), runtime: Some("python") }
    }

    /// The function of the leaves behind the first `known` ones of a flat element, with its result in place of them; `step` is what calls it.
    pub(crate) fn behind(
        step: &'static str,
        name: &str,
        function: Py<PyAny>,
        known: usize,
        output: ElementSpec,
    ) -> NativeFunction {
        let python = PythonFunction { function, output: output.clone() };
        let label = name.to_owned();
        let call = move |element: Structure<Tensor>| {
            let leaves = element.leaves();
            let (kept, inputs) = leaves.split_at(known);
            let result = attached(|py| {
                let inputs: Vec<_> =
                    inputs.iter().map(|leaf| tensors::to_python(py, leaf)).collect::<PyResult<_>>()?;
                let result = python.call(&PyTuple::new(py, inputs)?)?;
                let all = kept.iter().copied().chain(result.leaves()).cloned();
                Ok(Structure::Tuple(all.map(Structure::Leaf).collect()))
            });
            result.map_err(|failure| {
                let inputs: Vec<_> = inputs.iter().map(|&leaf| Structure::Leaf(leaf.clone())).collect();
                PythonError::during(failure, || CallOfPython::with(step, &label, &inputs))
            })
        };
        NativeFunction { name: name.to_owned(), output, call: Arc::new(call), runtime: Some("python") }
    }

    fn call(&self, arguments: &Bound<'_, PyTuple>) -> PyResult<Structure<Tensor>> {
        element_of(&user_code::call(self.function.bind(arguments.py()), arguments)?, &self.output)
    }
}

/// What a function gets for an element: the parts of a tuple one by one.
pub(crate) fn arguments_of(element: &Structure<Tensor>) -> &[Structure<Tensor>] {
    match element {
        Structure::Tuple(parts) => parts,
        other => std::slice::from_ref(other),
    }
}

/// The elements an iterator of Python's gives.
pub(crate) struct PythonElements {
    name: Arc<str>,
    /// How many it gave.
    num_given: u64,
    /// What is called for an iterator; then the iterator.
    function: Arc<Py<PyAny>>,
    iterator: Option<Py<PyAny>>,
    spec: Arc<ElementSpec>,
    has_failed: bool,
}

impl PythonElements {
    pub(crate) fn new(name: Arc<str>, function: Arc<Py<PyAny>>, spec: Arc<ElementSpec>) -> PythonElements {
        PythonElements { name, num_given: 0, function, iterator: None, spec, has_failed: false }
    }

    fn next_element(&mut self, py: Python<'_>) -> PyResult<Option<Structure<Tensor>>> {
        let iterator = if let Some(iterator) = &self.iterator {
            iterator
        } else {
            let elements = user_code::call(self.function.bind(py), &PyTuple::empty(py))?;
            self.iterator.insert(elements.try_iter()?.into_any().unbind())
        };
        match user_code::next(iterator.bind(py))? {
            Some(element) => yielded_element_of(&element, &self.spec).map(Some),
            None => Ok(None),
        }
    }
}

impl Drop for PythonElements {
    /// With the interpreter, so that a generator is closed now. Without, it would be when somebody next asks the interpreter for anything.
    fn drop(&mut self) {
        if let Some(iterator) = self.iterator.take() {
            let _ = attached(|py| {
                user_code::drop_object(iterator.into_bound(py));
                Ok(())
            });
        }
    }
}

impl Iterator for PythonElements {
    type Item = Result<Structure<Tensor>, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        // A generator that raised has ended; asked again, it would say so and hide why.
        if self.has_failed {
            return None;
        }
        let next = attached(|py| self.next_element(py)).transpose();
        self.has_failed = matches!(next, Some(Err(_)));
        self.num_given += 1;
        next.map(|next| {
            next.map_err(|failure| {
                let element = self.num_given - 1;
                PythonError::during(failure, || {
                    CallOfPython::for_element("from_generator", &self.name, element)
                })
            })
        })
    }
}
