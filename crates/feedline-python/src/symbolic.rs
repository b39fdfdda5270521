//! The values a traced function gets, and the operations on them.

use std::sync::{Mutex, PoisonError};

use feedline::data::{DType, Structure};
use feedline::plan::expr::catalogue::CATALOGUE;
use feedline::plan::expr::{
    ArgumentKind, Attribute, ExprKind, Feature, FeatureValues, Features, Given, Operation, Slice,
};
use feedline::plan::{Expr, ops};
use feedline::{Dataset, Symbolic};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyEllipsis, PyInt, PyList, PySlice, PyString, PyTuple};

use crate::errors::{exception, of_plan};
use crate::tensors::{self, dtype_named};
use crate::waiting::wait_for;
use crate::{dataset, known, spec, structure};

/// A tensor that will be computed for every element: what a function gets while it is traced.
///
/// Operators, indexing and the functions of ``feedline`` record what is to be done. It has no value yet: ``if``, ``for``,
/// ``float(…)`` and numpy cannot look into it.
///
/// >>> import feedline as fl
/// >>> list(fl.Dataset.range(3).map(lambda x: x * 2 + 1).as_numpy_iterator())
/// [np.int64(1), np.int64(3), np.int64(5)]
#[pyclass(frozen, module = "feedline", name = "Tensor")]
pub(crate) struct Tensor {
    /// One tensor, and no mistake. Another one of the same values after `set_shape`.
    symbolic: Mutex<Symbolic>,
}

impl Tensor {
    fn symbolic(&self) -> Symbolic {
        self.symbolic.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn expr(&self) -> Expr {
        let structure = self.symbolic().to_structure().expect("checked when it was made");
        structure.leaves()[0].clone()
    }
}

/// What Python gets for a symbolic value: tensors in tuples and dictionaries.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Symbolic) -> PyResult<Bound<'py, PyAny>> {
    let exprs = value.to_structure().map_err(|error| of_plan(&error))?;
    let leaf = |expr: &Expr| {
        let symbolic = Symbolic::from(Structure::Leaf(expr.clone()));
        Ok(Bound::new(py, Tensor { symbolic: Mutex::new(symbolic) })?.into_any())
    };
    structure::to_python(py, &exprs, &mut { leaf }, &mut |element, parts| {
        let rows = Structure::Dataset(Box::new(element.clone()), parts.to_vec());
        dataset::to_python(py, Dataset::of_window(Symbolic::from(rows)))
    })
}

/// The symbolic value of what Python has: tensors, numbers, strings, arrays, in tuples and dictionaries. Arrays of
/// constants are copied if `is_copied`.
pub(crate) fn from_python(value: &Bound<'_, PyAny>, is_copied: bool) -> PyResult<Symbolic> {
    let is_composite = || Ok::<_, PyErr>(structure::composite_of(value)?.is_some());
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyDict>() || is_composite()? {
        let exprs = structure::from_python(value, &mut |leaf| leaf_from_python(leaf, is_copied))?;
        let exprs = exprs.map(Symbolic::to_structure);
        if let Some(Err(error)) = exprs.leaves().into_iter().find(|leaf| leaf.is_err()) {
            return Err(of_plan(error));
        }
        return Ok(joined(&exprs));
    }
    leaf_from_python(value, is_copied)
}

/// A structure of structures as one.
fn joined(parts: &Structure<feedline::plan::Result<Structure<Expr>>>) -> Symbolic {
    match parts {
        Structure::Leaf(Ok(part)) => Symbolic::from(part.clone()),
        Structure::Leaf(Err(error)) => Symbolic::of_error(error.clone()),
        Structure::Dataset(..) => unreachable!("what Python has is taken apart into tuples and dicts alone"),
        Structure::Tuple(parts) => Symbolic::tuple(parts.iter().map(joined)),
        Structure::Dict(parts) => Symbolic::dict(parts.iter().map(|(key, part)| (key.clone(), joined(part)))),
        Structure::Composite(kind, parts) => Symbolic::composite(
            *kind,
            parts.iter().map(|part| match part {
                Ok(part) => Symbolic::from(part.clone()),
                Err(error) => Symbolic::of_error(error.clone()),
            }),
        ),
    }
}

fn leaf_from_python(value: &Bound<'_, PyAny>, is_copied: bool) -> PyResult<Symbolic> {
    if let Ok(tensor) = value.cast::<Tensor>() {
        return Ok(tensor.get().symbolic());
    }
    if let Some(rows) = dataset::rows_in(value)? {
        return Ok(rows);
    }
    if value.is_exact_instance_of::<PyBool>() {
        return Ok(Symbolic::from(value.extract::<bool>()?));
    }
    if tensors::is_plain_number(value) {
        match value.cast::<PyInt>().map(|integer| integer.extract::<i64>()) {
            Ok(Ok(integer)) => return Ok(Symbolic::from(integer)),
            Ok(Err(_)) => {} // numpy may have a type for it
            Err(_) => return Ok(Symbolic::from(value.extract::<f64>()?)),
        }
    }
    if let Some(stacked) = stacked(value)? {
        return leaf_from_python(&stacked, is_copied);
    }
    Ok(Symbolic::from(tensors::from_python(value, is_copied)?))
}

/// A list that has tensors in it is the stack of them.
fn stacked<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let stack = value.py().import("feedline._convert")?.getattr("stacked")?;
    let stacked = stack.call1((value,))?;
    Ok((!stacked.is_none()).then_some(stacked))
}

fn called<'py>(py: Python<'py>, value: &Symbolic) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, value)
}

fn find(name: &str) -> PyResult<&'static Operation> {
    Operation::find(name).ok_or_else(|| exception("InternalError", format!("no operation is called {name}")))
}

fn call_with<'py>(
    py: Python<'py>,
    name: &str,
    tensors: &[&Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let operation = find(name)?;
    let tensors = tensors_of(operation, tensors.iter().copied())?;
    called(py, &Symbolic::call(operation, &tensors, vec![]))
}

/// The tensors of a call. What is none is told by the name of its argument.
fn tensors_of<'a, 'py: 'a>(
    operation: &'static Operation,
    values: impl Iterator<Item = &'a Bound<'py, PyAny>>,
) -> PyResult<Vec<Symbolic>> {
    let of_tensors = operation.arguments.iter().filter(|argument| argument.kind.is_tensor());
    // Those beyond the named ones belong to the last, which takes many.
    let last = of_tensors.clone().next_back();
    let names = of_tensors.chain(std::iter::repeat_with(|| last).flatten()).map(|argument| argument.name);
    let named = |(value, argument): (&Bound<'py, PyAny>, &str)| {
        from_python(value, true).map_err(|error| of_argument(value.py(), operation.name, argument, &error))
    };
    values.zip(names).map(named).collect()
}

/// The error of a value with the name of the argument it was given for.
fn of_argument(py: Python<'_>, operation: &str, argument: &str, error: &PyErr) -> PyErr {
    if !error.is_instance_of::<pyo3::exceptions::PyException>(py) {
        return error.clone_ref(py); // Ctrl-C
    }
    let kind = error.get_type(py).name().map_or_else(|_| String::new(), |name| name.to_string());
    let kind = match kind.as_str() {
        "TraceError" | "TensorAttributeError" | "InternalError" => return error.clone_ref(py),
        "SchemaError" | "ArgumentError" | "ArgumentTypeError" => kind.as_str(),
        _ if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) => "ArgumentTypeError",
        _ => "ArgumentError",
    };
    exception(kind, format!("{operation}: {argument}: {}", error.value(py)))
}

/// What an operator of Rust's gives for a tensor and what stands beside it.
fn operated<'py>(
    tensor: &Bound<'py, Tensor>,
    other: &Bound<'py, PyAny>,
    operator: impl FnOnce(Symbolic, Symbolic) -> Symbolic,
) -> PyResult<Bound<'py, PyAny>> {
    called(tensor.py(), &operator(tensor.get().symbolic(), from_python(other, true)?))
}

/// The tensor that is the same for every element.
#[pyfunction]
pub(crate) fn constant<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, &from_python(value, true)?)
}

/// The operation called `name` on these tensors, with its other arguments in the catalogue's order.
#[pyfunction]
#[pyo3(signature = (name, tensors, attributes))]
pub(crate) fn call<'py>(
    py: Python<'py>,
    name: &str,
    tensors: Vec<Bound<'py, PyAny>>,
    attributes: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let operation = find(name)?;
    let mut tensors = tensors_of(operation, tensors.iter())?;
    let has_much = tensors.iter().any(is_much);
    let attributes = operation.attributes().zip(&attributes).map(|(argument, value)| {
        // TensorFlow writes None for "the default".
        if value.is_none()
            && let Some(default) = &argument.default
        {
            return Ok(default.clone());
        }
        let plain = known::as_plain(value)?;
        if argument.kind.may_be_tensor()
            && let Some(tensor) = symbolic_in(&plain)?
        {
            return Ok(Given::Tensor(tensor).put(&mut tensors));
        }
        if known::is_symbolic(&plain) {
            let message = format!(
                "{name}: {} must be known when the plan is built, and {} is computed for each element\n\
                 hint: give numbers, fl.constant(…), or sizes of tensors whose shape is known: x.set_shape(shape) says it",
                argument.name,
                shown(value)
            );
            return Err(exception("ArgumentError", message));
        }
        attribute(argument.kind.when_fixed(), &plain).map_err(|error| {
            let message = format!("{name}: {} cannot be {}: {error}", argument.name, shown(value));
            exception("ArgumentError", message)
        })
    });
    let attributes = attributes.collect::<PyResult<Vec<_>>>()?;
    let make = move || Symbolic::call(operation, &tensors, attributes);
    // What is checked of an operation may be its constants: that no key of a table is there twice.
    called(py, &if has_much { wait_for(py, make, |_| Ok(()))? } else { make() })
}

/// Whether it is a constant that takes long to go through.
fn is_much(tensor: &Symbolic) -> bool {
    tensor.to_structure().is_ok_and(|structure| {
        structure.leaves().iter().any(|leaf| match &leaf.node().kind {
            ExprKind::Constant(values) => values.as_column().byte_size() >= tensors::WAIT_FROM_BYTES,
            _ => false,
        })
    })
}

/// The tensor that `value` is, or that a list with tensors in it is the stack of.
fn symbolic_in(value: &Bound<'_, PyAny>) -> PyResult<Option<Symbolic>> {
    if let Ok(tensor) = value.cast::<Tensor>() {
        return Ok(Some(tensor.get().symbolic()));
    }
    let list = match value.cast::<PyTuple>() {
        Ok(tuple) => tuple.to_list().into_any(),
        Err(_) if value.is_instance_of::<PyList>() => value.clone(),
        Err(_) => return Ok(None),
    };
    stacked(&list)?.map(|stack| from_python(&stack, true)).transpose()
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "that".to_owned(), |text| text.to_string())
}

fn attribute(kind: ArgumentKind, value: &Bound<'_, PyAny>) -> PyResult<Attribute> {
    Ok(match kind {
        ArgumentKind::Int => Attribute::Int(value.extract()?),
        ArgumentKind::Float => Attribute::Float(value.extract()?),
        ArgumentKind::Bool => Attribute::Bool(value.extract()?),
        ArgumentKind::Text => Attribute::Text(text(value)?),
        ArgumentKind::DType => Attribute::DType(dtype(value)?),
        ArgumentKind::Shape => Attribute::Shape(spec::shape(value)?),
        ArgumentKind::OptionalFloats if value.is_none() => Attribute::None,
        ArgumentKind::Floats | ArgumentKind::OptionalFloats => Attribute::Floats(value.extract()?),
        // Several entries are a tuple, which became a list when tensors in it were looked for.
        ArgumentKind::Slices => Attribute::Slices(match value.cast::<PyList>() {
            Ok(entries) => slices(entries.to_tuple().as_any())?,
            Err(_) => slices(value)?,
        }),
        ArgumentKind::Features => Attribute::Features(features(value)?),
        ArgumentKind::Axis => {
            if value.is_none() {
                Attribute::None
            } else if let Ok(axis) = value.extract() {
                Attribute::Int(axis)
            } else {
                Attribute::Ints(value.extract()?)
            }
        }
        ArgumentKind::Number => {
            if value.is_instance_of::<PyBool>() {
                Attribute::Bool(value.extract()?)
            } else if let Ok(number) = value.extract() {
                Attribute::Int(number)
            } else {
                Attribute::Float(value.extract()?)
            }
        }
        other => return Err(exception("InternalError", format!("an argument of kind {other:?}"))),
    })
}

/// A text, which a constant has as bytes.
fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyBytes>() {
        Ok(bytes) => Ok(String::from_utf8(bytes.as_bytes().to_vec())?),
        Err(_) => value.extract(),
    }
}

/// A dtype under any of the names Python has for it.
pub(crate) fn dtype(value: &Bound<'_, PyAny>) -> PyResult<DType> {
    let name: String =
        value.py().import("feedline._dtypes")?.getattr("dtype_name")?.call1((value,))?.extract()?;
    dtype_named(&name)
}

/// What stands between the brackets of `x[…]`, where it is all numbers of Python's.
fn slices(index: &Bound<'_, PyAny>) -> PyResult<Vec<Slice>> {
    // A tensor that is asked for its number looks for the user's line, to say that it has none.
    let number = |value: &Bound<'_, PyAny>| -> PyResult<i64> {
        if value.is_instance_of::<Tensor>() {
            return Err(exception("TraceError", "a symbolic index"));
        }
        value.extract()
    };
    let entry = |entry: &Bound<'_, PyAny>| -> PyResult<Slice> {
        if entry.is_none() {
            return Ok(Slice::NewAxis);
        }
        if entry.is_instance_of::<PyEllipsis>() {
            return Ok(Slice::Ellipsis);
        }
        if let Ok(range) = entry.cast::<PySlice>() {
            let bound = |name: &str| -> PyResult<Option<i64>> {
                let bound = range.getattr(name)?;
                if bound.is_none() { Ok(None) } else { number(&bound).map(Some) }
            };
            let (begin, end, step) = (bound("start")?, bound("stop")?, bound("step")?);
            return Ok(Slice::Range { begin, end, step: step.unwrap_or(1) });
        }
        Ok(Slice::At(number(entry)?))
    };
    match index.cast::<PyTuple>() {
        Ok(entries) => entries.iter().map(|each| entry(&each)).collect(),
        Err(_) => Ok(vec![entry(index)?]),
    }
}

/// Features as `feedline/io.py` hands them on: `{key: (kind, shape, dtype, default or None)}`.
fn features(value: &Bound<'_, PyAny>) -> PyResult<Features> {
    type Parts<'py> = (String, Vec<usize>, String, Option<Bound<'py, PyAny>>);
    let mut features = Vec::new();
    for (key, parts) in value.cast::<PyDict>()?.iter() {
        let (kind, shape, dtype, default): Parts<'_> = parts.extract()?;
        let dtype = dtype_named(&dtype)?;
        let feature = match kind.as_str() {
            "var_len" => Feature::var_len(dtype),
            "ragged" => Feature::ragged(dtype),
            "fixed_len_sequence" => Feature::fixed_len_sequence(&shape, dtype),
            _ => Feature::fixed_len(&shape, dtype),
        };
        let feature = match default {
            None => feature,
            Some(values) => feature.with_default(match dtype {
                DType::Float32 => FeatureValues::Float32(values.extract()?),
                DType::Int64 => FeatureValues::Int64(values.extract()?),
                _ => FeatureValues::Strings(values.extract()?),
            }),
        };
        features.push((key.extract::<String>()?, feature));
    }
    Ok(features.into_iter().collect())
}

/// Every operation: name, TensorFlow's name, documentation, and arguments as (name, kind, default).
#[pyfunction]
pub(crate) fn catalogue(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    let entry = |operation: &&'static Operation| {
        let arguments = operation.arguments.iter().map(|argument| {
            let default = argument.default.as_ref().map(ToString::to_string);
            (argument.name, format!("{:?}", argument.kind), default)
        });
        let arguments: Vec<_> = arguments.collect();
        (operation.name, operation.tensorflow, operation.doc, arguments).into_pyobject(py)
    };
    CATALOGUE.iter().map(entry).collect()
}

/// What happens where a value is asked for that is not there yet: `_tracing.py` has the words.
fn refused(py: Python<'_>, what: &str) -> PyErr {
    let refuse = || py.import("feedline._tracing")?.getattr("refusal")?.call1((what,));
    refuse().map_or_else(|error| error, PyErr::from_value)
}

type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// `divmod(left, right)`: how often it goes, and what is left.
fn divided<'py>(left: &Bound<'py, PyAny>, right: &Bound<'py, PyAny>) -> PyResult<Pair<'py>> {
    let py = left.py();
    Ok((call_with(py, "floordiv", &[left, right])?, call_with(py, "floormod", &[left, right])?))
}

#[pymethods]
impl Tensor {
    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "add", &[slf.as_any(), other])
    }

    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "add", &[other, slf.as_any()])
    }

    fn __sub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "subtract", &[slf.as_any(), other])
    }

    fn __rsub__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "subtract", &[other, slf.as_any()])
    }

    fn __mul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "multiply", &[slf.as_any(), other])
    }

    fn __rmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "multiply", &[other, slf.as_any()])
    }

    fn __truediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "truediv", &[slf.as_any(), other])
    }

    fn __rtruediv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "truediv", &[other, slf.as_any()])
    }

    fn __floordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "floordiv", &[slf.as_any(), other])
    }

    fn __rfloordiv__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "floordiv", &[other, slf.as_any()])
    }

    fn __mod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "floormod", &[slf.as_any(), other])
    }

    fn __rmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "floormod", &[other, slf.as_any()])
    }

    fn __divmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Pair<'py>> {
        divided(slf.as_any(), other)
    }

    fn __rdivmod__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Pair<'py>> {
        divided(other, slf.as_any())
    }

    fn __and__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| left & right)
    }

    fn __rand__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| right & left)
    }

    fn __or__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| left | right)
    }

    fn __ror__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| right | left)
    }

    fn __xor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| left ^ right)
    }

    fn __rxor__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| right ^ left)
    }

    fn __lshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| left << right)
    }

    fn __rlshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| right << left)
    }

    fn __rshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| left >> right)
    }

    fn __rrshift__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| right >> left)
    }

    fn __matmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| ops::matmul(left, right, false, false))
    }

    fn __rmatmul__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        operated(slf, other, |left, right| ops::matmul(right, left, false, false))
    }

    /// As numpy rounds: to digits before the point where `digits` is negative.
    #[pyo3(signature = (digits=None))]
    fn __round__<'py>(slf: &Bound<'py, Self>, digits: Option<i32>) -> PyResult<Bound<'py, PyAny>> {
        let (py, dtype) = (slf.py(), slf.get().expr().spec().dtype);
        let digits = digits.unwrap_or_default();
        if digits == 0 || digits > 0 && dtype.is_integer() {
            return call_with(py, "round", &[slf.as_any()]);
        }
        if !dtype.is_float() {
            let message = format!("round(x, {digits}) of {dtype}\nhint: fl.cast(x, fl.float32) is a float");
            return Err(exception("SchemaError", message));
        }
        let factor = 10_f64.powi(digits.saturating_abs()).into_pyobject(py)?.into_any();
        let (scale, back) = if digits > 0 { ("multiply", "truediv") } else { ("truediv", "multiply") };
        let rounded = call_with(py, "round", &[&call_with(py, scale, &[slf.as_any(), &factor])?])?;
        call_with(py, back, &[&rounded, &factor])
    }

    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let power = call_with(slf.py(), "pow", &[slf.as_any(), other])?;
        modulo.map_or(Ok(power.clone()), |modulo| call_with(slf.py(), "floormod", &[&power, modulo]))
    }

    /// Python never asks for the third argument here: `pow(2, x, 3)` is a mistake of types to it.
    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        _modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "pow", &[other, slf.as_any()])
    }

    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "negative", &[slf.as_any()])
    }

    fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call_with(slf.py(), "abs", &[slf.as_any()])
    }

    fn __invert__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        called(slf.py(), &!slf.get().symbolic())
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        comparison: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        if other.is_none() {
            return Err(refused(slf.py(), "none"));
        }
        let operation = match comparison {
            CompareOp::Lt => "less",
            CompareOp::Le => "less_equal",
            CompareOp::Eq => "equal",
            CompareOp::Ne => "not_equal",
            CompareOp::Gt => "greater",
            CompareOp::Ge => "greater_equal",
        };
        call_with(slf.py(), operation, &[slf.as_any(), other])
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        Err(refused(slf.py(), "hash"))
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if index.is_instance_of::<PyString>() || index.is_instance_of::<PyBytes>() {
            let message = format!("{} of a tensor, which is no dict", shown(index));
            return Err(exception("SchemaError", message));
        }
        match slices(index) {
            Ok(slices) => called(slf.py(), &slf.get().symbolic().slice(slices)),
            Err(_) => slf.py().import("feedline._indexing")?.getattr("item")?.call1((slf, index)),
        }
    }

    /// Says what its shape is, as far as that is not known: an element of another shape is an error.
    ///
    /// >>> import feedline as fl
    /// >>> def of_three(x):
    /// ...     x.set_shape((3,))
    /// ...     return x
    /// >>> fl.Dataset.range(6).batch(3).map(of_three).element_spec
    /// TensorSpec(shape=(3,), dtype=fl.int64)
    fn set_shape(slf: &Bound<'_, Self>, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let operation = find("ensure_shape")?;
        let shape = attribute(ArgumentKind::Shape, shape)?;
        let shaped = Symbolic::call(operation, &[slf.get().symbolic()], vec![shape]);
        shaped.to_structure().map_err(|error| of_plan(&error))?;
        // What was there is dropped behind the lock: a constant may be the last that has an array of Python's.
        let before = std::mem::replace(
            &mut *slf.get().symbolic.lock().unwrap_or_else(PoisonError::into_inner),
            shaped,
        );
        drop(before);
        Ok(())
    }

    /// Its type.
    ///
    /// >>> import feedline as fl
    /// >>> fl.Dataset.range(3).map(lambda x: print(x.dtype) or x).element_spec
    /// fl.int64
    /// TensorSpec(shape=(), dtype=fl.int64)
    #[getter]
    fn dtype<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        spec::dtype_to_python(slf.py(), slf.get().expr().spec().dtype)
    }

    /// Its shape as a tuple, `None` for a dimension that is unknown; `None` if their number is.
    ///
    /// >>> import feedline as fl
    /// >>> fl.Dataset.range(3).batch(2).map(lambda x: print(x.shape) or x).element_spec
    /// (None,)
    /// TensorSpec(shape=(None,), dtype=fl.int64)
    #[getter]
    fn shape<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        spec::shape_to_python(slf.py(), &slf.get().expr().spec().shape)
    }

    fn __repr__(&self) -> String {
        let expr = self.expr();
        format!("<Tensor {}: {expr}>", expr.spec())
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("feedline._tracing")?.getattr("as_text")?.call1((slf,))
    }

    fn __format__(slf: &Bound<'_, Self>, _how: &str) -> PyResult<String> {
        Err(refused(slf.py(), "str"))
    }

    fn __fspath__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Err(refused(slf.py(), "path"))
    }

    fn __contains__(slf: &Bound<'_, Self>, _value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(refused(slf.py(), "contains"))
    }

    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        if name == "get_shape" {
            // TensorFlow's other name of `shape`. The bindings call the getter that themselves, so it can be no method here.
            let getattr = slf.py().import("builtins")?.getattr("getattr")?;
            let partial = slf.py().import("functools")?.getattr("partial")?;
            return Ok(partial.call1((getattr, slf, "shape"))?.unbind());
        }
        let refuse = || slf.py().import("feedline._tracing")?.getattr("attribute_refusal")?.call1((name,));
        Err(refuse().map_or_else(|error| error, PyErr::from_value))
    }

    fn __bool__(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Err(refused(slf.py(), "bool"))
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Err(refused(slf.py(), "iter"))
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        let shape = slf.get().expr().spec().shape.clone();
        let first = shape.dims().and_then(|dims| dims.first().copied().flatten());
        first.ok_or_else(|| refused(slf.py(), "len"))
    }

    fn __int__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        Err(refused(slf.py(), "int"))
    }

    fn __float__(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Err(refused(slf.py(), "float"))
    }

    fn __index__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        Err(refused(slf.py(), "index"))
    }

    #[pyo3(signature = (*_arguments, **_options))]
    fn __array__(
        slf: &Bound<'_, Self>,
        _arguments: &Bound<'_, PyTuple>,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Err(refused(slf.py(), "array"))
    }

    #[pyo3(signature = (function, method, *inputs, **options))]
    fn __array_ufunc__<'py>(
        slf: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let handle = slf.py().import("feedline._tracing")?.getattr("numpy_ufunc")?;
        handle.call1((function, method, inputs, options))
    }

    fn __array_function__<'py>(
        slf: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
        _types: &Bound<'py, PyAny>,
        _arguments: &Bound<'py, PyAny>,
        _options: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let handle = slf.py().import("feedline._tracing")?.getattr("numpy_function")?;
        handle.call1((function,))
    }
}
