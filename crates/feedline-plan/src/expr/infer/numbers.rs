//! Numbers along a dimension, their places, and products of matrices.

use feedline_data::{DType, Shape, TensorSpec};

use super::shapes::reduced_shape;
use super::{elementwise, one_type, spec_error, wants};
use crate::expr::{Call, Equation, axes_mask, axis_index, broadcast_specs};
use crate::{PlanError, Result};

/// Two floats of one type give that type.
pub(in crate::expr) fn float_pair(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = elementwise(call)?;
    wants(spec.dtype.is_float(), spec.dtype, "floats")?;
    Ok(vec![spec])
}

/// Two integers of one type give that type.
pub(in crate::expr) fn integer_pair(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = elementwise(call)?;
    wants(spec.dtype.is_integer(), spec.dtype, "integers")?;
    Ok(vec![spec])
}

/// One integer.
pub(in crate::expr) fn integer(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec().clone();
    wants(spec.dtype.is_integer(), spec.dtype, "integers")?;
    Ok(vec![spec])
}

/// Floats reduced to one of their type.
pub(in crate::expr) fn reduce_floats(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    wants(dtype.is_float(), dtype, "floats")?;
    Ok(vec![TensorSpec::new(dtype, reduced_shape(call)?)])
}

/// A place for each run along a dimension.
pub(in crate::expr) fn argmax(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype.is_numeric() || spec.dtype == DType::Bool, spec.dtype, "numbers or bools")?;
    let dtype = match call.dtype("output_type") {
        dtype @ (DType::Int16 | DType::UInt16 | DType::Int32 | DType::Int64) => dtype,
        other => {
            return Err(PlanError::argument(format!(
                "output_type is int16, uint16, int32 or int64, not {other}"
            )));
        }
    };
    let shape = match spec.shape.dims() {
        None => Shape::UNKNOWN,
        Some(dims) => {
            let axis = axis_index(call.int("axis"), dims.len()).map_err(spec_error)?;
            if dims[axis] == Some(0) {
                return Err(PlanError::spec(format!("dimension {axis} of {spec} has no values")));
            }
            Shape::new([&dims[..axis], &dims[axis + 1..]].concat())
        }
    };
    Ok(vec![TensorSpec::new(dtype, shape)])
}

/// Floats computed with along a dimension they have.
pub(in crate::expr) fn floats_along(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = along(call)?;
    wants(spec.dtype.is_float(), spec.dtype, "floats")?;
    Ok(vec![spec])
}

/// Numbers computed with along a dimension they have.
pub(in crate::expr) fn numbers_along(call: &Call) -> Result<Vec<TensorSpec>> {
    Ok(vec![along(call)?])
}

/// Floats of the length 1.
pub(in crate::expr) fn l2_normalize(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype.is_float(), spec.dtype, "floats")?;
    if let Some(rank) = spec.shape.rank() {
        axes_mask(call.ints("axis").as_deref(), rank).map_err(spec_error)?;
    }
    Ok(vec![spec.clone()])
}

/// Numbers in order.
pub(in crate::expr) fn sorted(call: &Call) -> Result<Vec<TensorSpec>> {
    direction(call)?;
    Ok(vec![along(call)?])
}

/// The places of numbers in order.
pub(in crate::expr) fn argsorted(call: &Call) -> Result<Vec<TensorSpec>> {
    direction(call)?;
    Ok(vec![TensorSpec { dtype: DType::Int32, ..along(call)? }])
}

fn direction(call: &Call) -> Result<()> {
    match call.text("direction") {
        "ASCENDING" | "DESCENDING" => Ok(()),
        other => Err(PlanError::argument(format!("direction is ASCENDING or DESCENDING, not '{other}'"))),
    }
}

fn along(call: &Call) -> Result<TensorSpec> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype.is_numeric(), spec.dtype, "numbers")?;
    if let Some(rank) = spec.shape.rank() {
        axis_index(call.int("axis"), rank).map_err(spec_error)?;
    }
    Ok(spec.clone())
}

/// The largest values, and their places.
pub(in crate::expr) fn top_k(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype.is_numeric(), spec.dtype, "numbers")?;
    let k = usize::try_from(call.int("k"))
        .map_err(|_| PlanError::argument(format!("k is {}, it must not be negative", call.int("k"))))?;
    let shape = match spec.shape.dims() {
        None => Shape::UNKNOWN,
        Some([]) => return Err(PlanError::spec("a scalar has no last dimension")),
        Some([outer @ .., last]) => {
            if let Some(last) = last.filter(|&last| last < k) {
                return Err(PlanError::spec(format!("k is {k}, but the last dimension has {last} values")));
            }
            Shape::new([outer, &[Some(k)]].concat())
        }
    };
    let values = TensorSpec::new(spec.dtype, shape);
    Ok(vec![values.clone(), TensorSpec { dtype: DType::Int32, ..values }])
}

/// A place in a sequence for each value.
pub(in crate::expr) fn searchsorted(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = one_type(call)?;
    wants(dtype.is_numeric(), dtype, "numbers")?;
    if !matches!(call.text("side"), "left" | "right") {
        return Err(PlanError::argument(format!("side is 'left' or 'right', not '{}'", call.text("side"))));
    }
    let (sequence, values) = (&call.inputs[0].spec().shape, &call.inputs[1].spec().shape);
    let runs = |dims: &[Option<usize>]| {
        let (_, before) = dims.split_last()?;
        Some(before.iter().try_fold(1, |count: usize, &dim| Some(count.saturating_mul(dim?))))
    };
    if let (Some(sequence), Some(values)) = (sequence.dims(), values.dims()) {
        let fits = runs(sequence)
            .zip(runs(values))
            .is_some_and(|(one, other)| one.zip(other).is_none_or(|(one, other)| one == other));
        if !fits {
            return Err(PlanError::spec(
                "both need one dimension or more, and as many rows along the last: a sequence for each row of values",
            ));
        }
    }
    Ok(vec![TensorSpec::new(place_type(call, "out_type")?, values.clone())])
}

/// Which bucket each number is in.
pub(in crate::expr) fn bucketize(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(
        matches!(spec.dtype, DType::Int32 | DType::Int64 | DType::Float32 | DType::Float64),
        spec.dtype,
        "int32, int64, float32 or float64",
    )?;
    let boundaries = call.floats("boundaries");
    if boundaries.windows(2).any(|pair| pair[0] > pair[1]) || boundaries.iter().any(|limit| limit.is_nan()) {
        return Err(PlanError::argument(format!("boundaries {boundaries:?} are not in order")));
    }
    Ok(vec![TensorSpec { dtype: DType::Int32, ..spec.clone() }])
}

/// The product of matrices.
pub(in crate::expr) fn matmul(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = one_type(call)?;
    wants(dtype.is_numeric(), dtype, "numbers")?;
    let (a, b) = (call.inputs[0].spec(), call.inputs[1].spec());
    let (Some(left), Some(right)) = (a.shape.dims(), b.shape.dims()) else {
        return Ok(vec![TensorSpec::new(dtype, Shape::UNKNOWN)]);
    };
    let ([outer_a @ .., rows_a, columns_a], [outer_b @ .., rows_b, columns_b]) = (left, right) else {
        return Err(PlanError::spec(format!("matrices have two dimensions or more, not {a} and {b}"))
            .with_hint("expand_dims makes a matrix of a vector"));
    };
    let turned = |is_turned: bool, rows, columns| if is_turned { (columns, rows) } else { (rows, columns) };
    let (rows, inner_a) = turned(call.flag("transpose_a"), *rows_a, *columns_a);
    let (inner_b, columns) = turned(call.flag("transpose_b"), *rows_b, *columns_b);
    if let (Some(one), Some(two)) = (inner_a, inner_b)
        && one != two
    {
        return Err(PlanError::spec(format!("the first has {one} columns, the second {two} rows")));
    }
    let outer = |dims: &[Option<usize>]| TensorSpec::new(dtype, Shape::new(dims.to_vec()));
    let outer = broadcast_specs(&outer(outer_a), &outer(outer_b))?;
    let outer = outer.dims().expect("both ranks are known");
    Ok(vec![TensorSpec::new(dtype, Shape::new([outer, &[rows, columns]].concat()))])
}

/// Products summed over letters.
pub(in crate::expr) fn einsum(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = one_type(call)?;
    wants(dtype.is_numeric(), dtype, "numbers")?;
    let equation = Equation::parse(call.text("equation"), call.inputs.len()).map_err(PlanError::argument)?;
    let shapes: Option<Vec<_>> = call.inputs.iter().map(|input| input.spec().shape.dims()).collect();
    let shape = match shapes {
        Some(shapes) => {
            let ranks: Vec<usize> = shapes.iter().map(|shape| shape.len()).collect();
            let equation = equation.of_ranks(&ranks).map_err(spec_error)?;
            let mut sizes = equation.sizes(&shapes).map_err(spec_error)?;
            sizes.truncate(equation.output.len());
            Shape::new(sizes)
        }
        None if equation.has_ellipsis() => Shape::UNKNOWN,
        None => Shape::new(vec![None; equation.output.len()]),
    };
    Ok(vec![TensorSpec::new(dtype, shape)])
}

/// The type of places, as an argument says.
pub(super) fn place_type(call: &Call, argument: &str) -> Result<DType> {
    match call.dtype(argument) {
        dtype @ (DType::Int32 | DType::Int64) => Ok(dtype),
        other => Err(PlanError::argument(format!("{argument} is int32 or int64, not {other}"))),
    }
}
