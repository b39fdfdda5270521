//! Values that are known while a function is traced: constants, sizes of tensors whose shape is known, and what is computed of those alone. What a
//! plan must know when it is built may be given as one of them.

use std::collections::HashMap;
use std::sync::Arc;

use feedline::data::block::Tensor as Values;
use feedline::data::{DType, TensorSpec};
use feedline::plan::Expr;
use feedline::plan::expr::{Attribute, Call, Cost, ExprKind, ExprNode};
use feedline::{Dataset, Options, Symbolic};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::symbolic::Tensor;
use crate::tensors;

/// Arguments are a few numbers. What is larger is data, and not computed to look whether it is an argument.
const MAX_VALUES: usize = 1 << 16;

/// The value of a tensor that is the same for every element, as an array; `None` for one that is not, or is not known to be.
#[pyfunction]
pub(crate) fn known_value<'py>(tensor: &Bound<'py, Tensor>) -> PyResult<Option<Bound<'py, PyAny>>> {
    Known::default()
        .value_of(&tensor.get().expr())
        .map(|values| tensors::to_python(tensor.py(), &values))
        .transpose()
}

/// An argument of the plan's, with plain numbers in place of the tensors that stand for them and of numpy's arrays. A tensor whose value is not known stays.
pub(crate) fn as_plain<'py>(argument: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(tensor) = argument.cast::<Tensor>() {
        let value = known_value(tensor)?;
        return value.map_or_else(|| Ok(argument.clone()), |value| listed(&value));
    }
    if tensors::is_array(argument) {
        return listed(argument);
    }
    let entries: Vec<Bound<'py, PyAny>> = if let Ok(list) = argument.cast::<PyList>() {
        list.iter().collect()
    } else if let Ok(tuple) = argument.cast::<PyTuple>() {
        tuple.iter().collect()
    } else {
        return Ok(argument.clone());
    };
    let entries = entries.iter().map(as_plain).collect::<PyResult<Vec<_>>>()?;
    Ok(PyList::new(argument.py(), entries)?.into_any())
}

/// Whether it is a tensor, or has one in it.
pub(crate) fn is_symbolic(argument: &Bound<'_, PyAny>) -> bool {
    argument.is_instance_of::<Tensor>()
        || argument.cast::<PyList>().is_ok_and(|list| list.iter().any(|entry| is_symbolic(&entry)))
}

/// What numpy has as Python has it. Strings are bytes already.
fn listed<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if value.hasattr("tolist")? { value.call_method0("tolist") } else { Ok(value.clone()) }
}

/// The values of nodes that were looked at, by where they lie in memory; `None`: not known. What is used twice is computed once.
#[derive(Default)]
struct Known(HashMap<*const ExprNode, Option<Values>>);

impl Known {
    fn value_of(&mut self, expr: &Expr) -> Option<Values> {
        if expr.node().outputs.len() != 1 || !is_small(expr.spec()) {
            return None;
        }
        match &expr.node().kind {
            ExprKind::Constant(values) => Some(values.clone()),
            ExprKind::Call(call) => {
                let key = Arc::as_ptr(expr.node());
                if let Some(known) = self.0.get(&key) {
                    return known.clone();
                }
                let value = size_of(call).or_else(|| self.computed(call));
                self.0.insert(key, value.clone());
                value
            }
            _ => None,
        }
    }

    /// What an operation gives for values that are known, if it gives the same each time and does not wait for anything.
    fn computed(&mut self, call: &Call) -> Option<Values> {
        let is_plain = !call.operation.is_random && call.operation.cost < Cost::Io;
        let has_functions = call
            .attributes
            .iter()
            .any(|attribute| matches!(attribute, Attribute::Functions(_) | Attribute::Dataset(_)));
        if !is_plain || has_functions {
            return None;
        }
        let inputs = call.inputs.iter().map(|input| Some(Symbolic::from(self.value_of(input)?)));
        let inputs = inputs.collect::<Option<Vec<Symbolic>>>()?;
        let result = Symbolic::call(call.operation, &inputs, call.attributes.clone());
        let alone = Dataset::from_tensors(0).map(|_| result.clone());
        let alone = alone.with_options(Options::new().threads(0).optimizer(false));
        let element = alone.get_single_element().ok()?;
        element.leaves().first().map(|&values| values.clone())
    }
}

fn is_small(spec: &TensorSpec) -> bool {
    let dims = spec.shape.to_fixed();
    let count = dims.and_then(|dims| dims.iter().try_fold(1_usize, |count, &dim| count.checked_mul(dim)));
    count.is_some_and(|count| count <= MAX_VALUES)
}

/// What `shape`, `size` and `rank` give for a tensor of known shape, whatever its values.
fn size_of(call: &Call) -> Option<Values> {
    let shape = &call.inputs.first()?.spec().shape;
    let is_int64 = call.attributes.iter().any(|attribute| *attribute == Attribute::DType(DType::Int64));
    let (dims, sizes) = match call.operation.name {
        "shape" => (vec![shape.rank()?], shape.to_fixed()?),
        "size" => (vec![], vec![shape.to_fixed()?.iter().product()]),
        "rank" => (vec![], vec![shape.rank()?]),
        _ => return None,
    };
    let sizes = sizes.iter().map(|&size| i64::try_from(size).ok()).collect::<Option<Vec<_>>>()?;
    if is_int64 {
        return Some(Values::from_vec(dims, sizes));
    }
    let sizes = sizes.iter().map(|&size| i32::try_from(size).ok()).collect::<Option<Vec<_>>>()?;
    Some(Values::from_vec(dims, sizes))
}
