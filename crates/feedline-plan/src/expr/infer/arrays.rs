//! Tensors made, repeated, cut, padded and picked from.

use feedline_data::{DType, Shape, TensorSpec};

use super::known::{counts, ints_at, known_dims, shape_in};
use super::literals::{check_range, check_size};
use super::{one_type, spec_error, types_differ, wants};
use crate::expr::sizes::MAX_PARTS;
use crate::expr::{
    Attribute, Call, axes_mask, axis_index, broadcast_specs, dims_of_ints, range_size, split_sizes,
    within_limit,
};
use crate::{PlanError, Result};

/// A shape known in full, and a type.
pub(in crate::expr) fn zeros(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.dtype("dtype");
    if call.operation.name == "ones" {
        wants(dtype != DType::String, dtype, "numbers or bools")?;
    }
    let Attribute::Shape(shape) = call.attribute("shape") else { unreachable!("checked to be a shape") };
    let dims = shape.to_fixed().ok_or_else(|| {
        PlanError::argument(format!("shape {shape} must be known"))
            .with_hint("fill takes a shape that is computed")
    })?;
    within_limit(&dims).map_err(PlanError::argument)?;
    Ok(vec![TensorSpec::new(dtype, shape.clone())])
}

/// A matrix.
pub(in crate::expr) fn eye(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.dtype("dtype");
    wants(dtype != DType::String, dtype, "numbers or bools")?;
    let mut dims = vec![call.int("num_rows")];
    dims.push(match call.ints("num_columns").as_deref() {
        None => dims[0],
        Some([columns]) => *columns,
        Some(_) => return Err(PlanError::argument("num_columns is one number, or none")),
    });
    let dims = dims_of_ints("num_rows and num_columns", &dims).map_err(PlanError::argument)?;
    Ok(vec![TensorSpec::new(dtype, Shape::fixed(&dims))])
}

/// What goes in.
#[allow(clippy::unnecessary_wraps, reason = "every rule has this form")]
pub(in crate::expr) fn same(call: &Call) -> Result<Vec<TensorSpec>> {
    Ok(vec![call.inputs[0].spec().clone()])
}

/// Anything but strings.
pub(in crate::expr) fn ones_like(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    wants(dtype != DType::String, dtype, "numbers or bools")?;
    same(call)
}

/// One value in a shape.
pub(in crate::expr) fn fill(call: &Call) -> Result<Vec<TensorSpec>> {
    let value = call.inputs[1].spec();
    if value.shape.rank().is_some_and(|rank| rank > 0) {
        return Err(PlanError::spec(format!("value is a scalar, not {value}")));
    }
    Ok(vec![TensorSpec::new(value.dtype, shape_in(&call.inputs[0], "dims")?)])
}

/// Numbers from one to another.
pub(in crate::expr) fn range(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = one_type(call)?;
    wants(dtype.is_numeric(), dtype, "numbers")?;
    scalars(call, &["start", "limit", "delta"])?;
    check_range(call)?;
    let known = ints_at(call, 0).zip(ints_at(call, 1)).zip(ints_at(call, 2));
    let size = match known {
        Some(((start, limit), delta)) => Some(range_size(start[0], limit[0], delta[0]).map_err(spec_error)?),
        None => None,
    };
    Ok(vec![TensorSpec::new(dtype, Shape::new(vec![size]))])
}

/// Floats evenly spaced, between numbers or between tensors.
pub(in crate::expr) fn linspace(call: &Call) -> Result<Vec<TensorSpec>> {
    let (start, stop) = (call.inputs[0].spec(), call.inputs[1].spec());
    if start.dtype != stop.dtype {
        return Err(types_differ(start.dtype, stop.dtype));
    }
    wants(start.dtype.is_float(), start.dtype, "floats")?;
    let num = match call.known_int("num")? {
        Some(num) => Some(dims_of_ints("num", &[num]).map_err(PlanError::argument)?[0]),
        None => None,
    };
    let ends = broadcast_specs(start, stop)?;
    let Some(dims) = ends.dims() else { return Ok(vec![TensorSpec::new(start.dtype, Shape::UNKNOWN)]) };
    let axis = axis_index(call.int("axis"), dims.len() + 1).map_err(PlanError::argument)?;
    let mut dims = dims.to_vec();
    dims.insert(axis, num);
    let shape = Shape::new(dims);
    check_size("num", &shape)?;
    Ok(vec![TensorSpec::new(start.dtype, shape)])
}

fn scalars(call: &Call, names: &[&str]) -> Result<()> {
    for (input, name) in call.inputs.iter().zip(names) {
        if input.spec().shape.rank().is_some_and(|rank| rank > 0) {
            return Err(PlanError::spec(format!("{name} is a scalar, not {}", input.spec())));
        }
    }
    Ok(())
}

/// A tensor several times.
pub(in crate::expr) fn tile(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let multiples = shape_in(&call.inputs[1], "multiples")?;
    let shape = match (spec.shape.dims(), multiples.dims()) {
        (Some(dims), Some(multiples)) => {
            if dims.len() != multiples.len() {
                return Err(one_each("multiples", multiples.len(), spec));
            }
            let tiled = |(dim, times): (&Option<usize>, &Option<usize>)| match (*dim, *times) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (Some(dim), Some(times)) => Some(dim.saturating_mul(times)),
                _ => None,
            };
            Shape::new(dims.iter().zip(multiples).map(tiled).collect())
        }
        (Some(dims), None) => Shape::new(vec![None; dims.len()]),
        _ => of_rank(multiples.rank()),
    };
    check_size("multiples", &shape)?;
    Ok(vec![TensorSpec { shape, ..spec.clone() }])
}

/// Entries several times.
pub(in crate::expr) fn repeat(call: &Call) -> Result<Vec<TensorSpec>> {
    let (spec, repeats) = (call.inputs[0].spec(), call.inputs[1].spec());
    if repeats.shape.rank().is_some_and(|rank| rank > 1) {
        return Err(PlanError::spec(format!("repeats has one dimension at most, not {}", repeats.shape)));
    }
    counts(&call.inputs[1], "repeats", repeats.shape.rank().unwrap_or(0))?;
    let known = ints_at(call, 1);
    if known.iter().flatten().any(|&count| count < 0) {
        return Err(PlanError::argument("repeats has a number below 0"));
    }
    let times = |dim: Option<usize>| match (known.as_deref(), dim) {
        (Some([each]), Some(dim)) => Ok(Some(dim.saturating_mul(*each as usize))),
        (Some(counts), Some(dim)) if counts.len() != dim => {
            Err(PlanError::spec(format!("repeats has {} numbers for {dim} entries", counts.len())))
        }
        (Some(counts), _) if counts.len() != 1 => {
            Ok(Some(counts.iter().fold(0, |sum: usize, &count| sum.saturating_add(count as usize))))
        }
        _ => Ok(None),
    };
    let shape = match (one_axis(call)?, spec.shape.dims()) {
        (None, _) => {
            let count = spec
                .shape
                .to_fixed()
                .map(|dims| dims.iter().fold(1, |count: usize, &dim| count.saturating_mul(dim)));
            Shape::new(vec![times(count)?])
        }
        (Some(_), None) => Shape::UNKNOWN,
        (Some(axis), Some(dims)) => {
            // A scalar is one entry here, too.
            let mut repeated = if dims.is_empty() { vec![Some(1)] } else { dims.to_vec() };
            let axis = axis_index(axis, repeated.len()).map_err(spec_error)?;
            repeated[axis] = times(repeated[axis])?;
            Shape::new(repeated)
        }
    };
    check_size("repeats", &shape)?;
    Ok(vec![TensorSpec { shape, ..spec.clone() }])
}

fn one_axis(call: &Call) -> Result<Option<i64>> {
    match call.ints("axis").as_deref() {
        None => Ok(None),
        Some([axis]) => Ok(Some(*axis)),
        Some(axes) => Err(PlanError::argument(format!("axis is one number or none, not {axes:?}"))),
    }
}

/// Dimensions backwards.
pub(in crate::expr) fn reverse(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let axes =
        call.ints("axis").ok_or_else(|| PlanError::argument("axis says which dimensions, it is none"))?;
    if let Some(rank) = spec.shape.rank() {
        axes_mask(Some(&axes), rank).map_err(spec_error)?;
    }
    same(call)
}

/// Dimensions turned.
pub(in crate::expr) fn roll(call: &Call) -> Result<Vec<TensorSpec>> {
    let (spec, shift) = (call.inputs[0].spec(), call.inputs[1].spec());
    counts(&call.inputs[1], "shift", shift.shape.rank().unwrap_or(0).min(1))?;
    let axes =
        call.ints("axis").ok_or_else(|| PlanError::argument("axis says which dimensions, it is none"))?;
    if let Some(rank) = spec.shape.rank() {
        for &axis in &axes {
            axis_index(axis, rank).map_err(spec_error)?;
        }
    }
    let num_shifts = shift.shape.to_fixed().map(|dims| dims.first().copied().unwrap_or(1));
    if num_shifts.is_some_and(|count| count != axes.len()) {
        return Err(PlanError::argument(format!("shift has shape {} for the axes {axes:?}", shift.shape)));
    }
    same(call)
}

/// A tensor with more around it.
pub(in crate::expr) fn pad(call: &Call) -> Result<Vec<TensorSpec>> {
    let (spec, fill) = (call.inputs[0].spec(), call.inputs[2].spec());
    if !matches!(call.text("mode"), "CONSTANT" | "REFLECT" | "SYMMETRIC") {
        let message = format!("mode is CONSTANT, REFLECT or SYMMETRIC, not '{}'", call.text("mode"));
        return Err(PlanError::argument(message));
    }
    if spec.dtype != fill.dtype {
        return Err(types_differ(spec.dtype, fill.dtype));
    }
    if fill.shape.rank().is_some_and(|rank| rank > 0) {
        return Err(PlanError::spec(format!("constant_values is a scalar, not {fill}")));
    }
    counts(&call.inputs[1], "paddings", 2)?;
    let paddings = call.inputs[1].spec().shape.dims().map(<[_]>::to_vec);
    let num_padded = paddings.and_then(|dims| {
        let is_pairs = dims[1].is_none_or(|each| each == 2);
        if is_pairs { dims[0].map(Ok) } else { Some(Err(())) }
    });
    let wrong = || {
        let of = call.inputs[1].spec();
        PlanError::spec(format!("paddings has two numbers for each dimension of {spec}, it is {of}"))
    };
    let num_padded = num_padded.transpose().map_err(|()| wrong())?;
    if num_padded.zip(spec.shape.rank()).is_some_and(|(padded, rank)| padded != rank) {
        return Err(wrong());
    }
    let known = ints_at(call, 1);
    if known.iter().flatten().any(|&count| count < 0) {
        return Err(PlanError::argument("paddings has a number below 0"));
    }
    let shape = match (spec.shape.dims(), known) {
        (Some(dims), Some(known)) => {
            let padded = dims.iter().zip(known.chunks(2));
            let more = |dim: usize, pair: &[i64]| {
                pair.iter().fold(dim, |sum, &count| sum.saturating_add(count as usize))
            };
            let padded = padded.map(|(dim, pair)| dim.map(|dim| more(dim, pair)));
            Shape::new(padded.collect())
        }
        _ => of_rank(spec.shape.rank().or(num_padded)),
    };
    check_size("paddings", &shape)?;
    Ok(vec![TensorSpec { shape, ..spec.clone() }])
}

/// A tensor in a larger shape.
pub(in crate::expr) fn broadcast_to(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let wanted = TensorSpec::new(spec.dtype, shape_in(&call.inputs[1], "shape")?);
    let together = broadcast_specs(spec, &wanted)?;
    if !together.is_compatible_with(&wanted.shape) {
        return Err(PlanError::spec(format!("{spec} does not broadcast to shape {}", wanted.shape)));
    }
    Ok(vec![wanted])
}

/// The same values in a shape that is computed.
pub(in crate::expr) fn reshape_to(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    counts(&call.inputs[1], "shape", 1)?;
    let Some(dims) = known_dims(&call.inputs[1]) else {
        return Ok(vec![TensorSpec { shape: Shape::UNKNOWN, ..spec.clone() }]);
    };
    let all: Option<Vec<i64>> = dims.iter().copied().collect();
    let given = || dims.iter().flatten();
    if given().any(|&dim| dim < -1) || given().filter(|&&dim| dim == -1).count() > 1 {
        let given: Vec<&i64> = given().collect();
        return Err(PlanError::argument(format!("shape {given:?} has sizes below 0, other than one −1")));
    }
    let count =
        spec.shape.to_fixed().map(|dims| dims.iter().fold(1, |count: usize, &dim| count.saturating_mul(dim)));
    if let (Some(ints), Some(count)) = (&all, count) {
        let shape = crate::expr::shape_of_ints(ints, count).map_err(spec_error)?;
        return Ok(vec![TensorSpec { shape: Shape::fixed(&shape), ..spec.clone() }]);
    }
    let shape = dims.into_iter().map(|dim| dim.and_then(|dim| usize::try_from(dim).ok())).collect();
    Ok(vec![TensorSpec { shape: Shape::new(shape), ..spec.clone() }])
}

/// What is known from here on.
pub(in crate::expr) fn ensure_shape(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let Attribute::Shape(wanted) = call.attribute("shape") else { unreachable!("checked to be a shape") };
    let shape = spec
        .shape
        .intersection(wanted)
        .ok_or_else(|| PlanError::spec(format!("{spec} never has shape {wanted}")))?;
    Ok(vec![TensorSpec { shape, ..spec.clone() }])
}

/// A part of a tensor.
pub(in crate::expr) fn slice(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    if call.inputs[1].spec().dtype != call.inputs[2].spec().dtype {
        return Err(types_differ(call.inputs[1].spec().dtype, call.inputs[2].spec().dtype));
    }
    let mut rank = spec.shape.rank();
    for (index, what) in [(1, "begin"), (2, "size")] {
        counts(&call.inputs[index], what, 1)?;
        let count = known_dims(&call.inputs[index]).map(|dims| dims.len());
        if let (Some(count), Some(rank)) = (count, spec.shape.rank())
            && count != rank
        {
            return Err(one_each(what, count, spec));
        }
        rank = rank.or(count);
    }
    let Some(rank) = rank else { return Ok(vec![TensorSpec { shape: Shape::UNKNOWN, ..spec.clone() }]) };
    let numbers = |index: usize| known_dims(&call.inputs[index]).unwrap_or_else(|| vec![None; rank]);
    let dims = spec.shape.dims().map_or_else(|| vec![None; rank], <[_]>::to_vec);
    let mut taken = Vec::with_capacity(rank);
    for ((dim, begin), size) in dims.into_iter().zip(numbers(1)).zip(numbers(2)) {
        // Where it begins is not known: there is no place for more than all of it.
        let (from, most) = (begin.unwrap_or(0), dim.unwrap_or(usize::MAX >> 1));
        crate::expr::slice_size(from, size.unwrap_or(-1), most).map_err(PlanError::argument)?;
        taken.push(match (dim, begin, size) {
            (_, _, Some(size)) if size >= 0 => usize::try_from(size).ok(),
            (Some(dim), Some(begin), Some(_)) => Some(dim - begin as usize),
            _ => None,
        });
    }
    Ok(vec![TensorSpec { shape: Shape::new(taken), ..spec.clone() }])
}

/// Parts of a dimension.
pub(in crate::expr) fn split(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let attribute = call.attribute("num_or_size_splits");
    let splits = call.ints("num_or_size_splits");
    let splits = splits.ok_or_else(|| PlanError::argument("num_or_size_splits is a number, or sizes"))?;
    let is_number = matches!(attribute, Attribute::Int(_));
    let dims = spec.shape.dims();
    let axis = dims.map(|dims| axis_index(call.int("axis"), dims.len())).transpose().map_err(spec_error)?;
    let dim = dims.zip(axis).and_then(|(dims, axis)| dims[axis]);
    let sizes = split_sizes(is_number, &splits, dim).map_err(spec_error)?;
    let part = |size: Option<usize>| {
        let shape = dims.zip(axis).map_or(Shape::UNKNOWN, |(dims, axis)| {
            let mut dims = dims.to_vec();
            dims[axis] = size;
            Shape::new(dims)
        });
        TensorSpec { shape, ..spec.clone() }
    };
    Ok(sizes.into_iter().map(part).collect())
}

/// The entries of a dimension.
pub(in crate::expr) fn unstack(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let given = match call.ints("num").as_deref() {
        None => None,
        Some([num]) => Some(usize::try_from(*num).map_err(|_| PlanError::argument("num is below 0"))?),
        Some(_) => return Err(PlanError::argument("num is one number, or none")),
    };
    let dims = spec.shape.dims();
    let axis = dims.map(|dims| axis_index(call.int("axis"), dims.len())).transpose().map_err(spec_error)?;
    let dim = dims.zip(axis).and_then(|(dims, axis)| dims[axis]);
    let num = match (given, dim) {
        (Some(num), Some(dim)) if num != dim => {
            return Err(PlanError::spec(format!("num is {num}, but there are {dim} entries")));
        }
        (given, dim) => given.or(dim),
    };
    let num = num.filter(|&num| num > 0).ok_or_else(|| {
        PlanError::spec(format!("how many entries {spec} has is not known, or none"))
            .with_hint("say it with num, or with ensure_shape before")
    })?;
    if num > MAX_PARTS {
        return Err(PlanError::argument(format!("num is {num}, of {MAX_PARTS} parts at most")));
    }
    let shape = dims
        .zip(axis)
        .map_or(Shape::UNKNOWN, |(dims, axis)| Shape::new([&dims[..axis], &dims[axis + 1..]].concat()));
    Ok(vec![TensorSpec { shape, ..spec.clone() }; num])
}

fn one_each(what: &str, count: usize, spec: &TensorSpec) -> PlanError {
    PlanError::spec(format!("{what} has {count} numbers, {spec} another number of dimensions"))
}

/// So many dimensions, of any size.
fn of_rank(rank: Option<usize>) -> Shape {
    rank.map_or(Shape::UNKNOWN, |rank| Shape::new(vec![None; rank]))
}
