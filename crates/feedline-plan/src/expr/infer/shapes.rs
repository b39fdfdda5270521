//! Operations that move values: slices, dimensions that come and go, tensors put together.

use feedline_data::{DType, Shape, TensorSpec};

use super::literals::check_indices;
use super::{one_type, spec_error, wants};
use crate::expr::{
    Attribute, Call, Slice, axes_mask, axis_index, expand_slices, gathered_dims, permutation, place_of_index,
    squeezed_mask, taken_of_range,
};
use crate::{PlanError, Result};

/// Parts of each dimension, by Python's rules.
pub(in crate::expr) fn strided_slice(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let Attribute::Slices(slices) = call.attribute("slices") else { unreachable!("checked to be slices") };
    let Some(dims) = spec.shape.dims() else {
        // What can be wrong whatever the rank is.
        expand_slices(slices, slices.len()).map_err(spec_error)?;
        return Ok(vec![TensorSpec { shape: Shape::UNKNOWN, ..spec.clone() }]);
    };
    let mut left = dims.iter();
    let mut taken = Vec::new();
    for slice in expand_slices(slices, dims.len()).map_err(spec_error)? {
        match slice {
            Slice::NewAxis => taken.push(Some(1)),
            Slice::At(index) => {
                if let Some(dim) = left.next().copied().flatten() {
                    place_of_index(index, dim).map_err(spec_error)?;
                }
            }
            Slice::Range { begin, end, step } => {
                let dim = left.next().copied().flatten();
                taken.push(dim.map(|dim| taken_of_range(begin, end, step, dim).count));
            }
            Slice::Ellipsis => unreachable!("no ellipsis is left"),
        }
    }
    Ok(vec![TensorSpec { shape: Shape::new(taken), ..spec.clone() }])
}

/// Entries picked along one dimension.
pub(in crate::expr) fn gather(call: &Call) -> Result<Vec<TensorSpec>> {
    gathered(call, Some(call.int("axis")), 0)
}

/// Entries picked along one dimension, in each of several batches.
pub(in crate::expr) fn batch_gather(call: &Call) -> Result<Vec<TensorSpec>> {
    let axis = call.ints("axis");
    if axis.as_ref().is_some_and(|axis| axis.len() != 1) {
        return Err(PlanError::argument("axis is one number, or none"));
    }
    gathered(call, axis.map(|axis| axis[0]), call.int("batch_dims"))
}

fn gathered(call: &Call, axis: Option<i64>, batch_dims: i64) -> Result<Vec<TensorSpec>> {
    let (params, indices) = (call.inputs[0].spec(), call.inputs[1].spec());
    let is_index = matches!(indices.dtype, DType::Int16 | DType::Int32 | DType::Int64);
    wants(is_index, indices.dtype, "indices of int16, int32 or int64")?;
    let unknown = || Ok(vec![TensorSpec { shape: Shape::UNKNOWN, ..params.clone() }]);
    let Some(dims) = params.shape.dims() else {
        check_indices("indices", &call.inputs[1], None)?;
        return unknown();
    };
    let Some(picked) = indices.shape.dims() else {
        if batch_dims == 0 {
            axis_index(axis.unwrap_or(0), dims.len()).map_err(spec_error)?;
        }
        return unknown();
    };
    let (axis, batch_dims) = gathered_dims(axis, batch_dims, dims.len(), picked.len()).map_err(spec_error)?;
    check_indices("indices", &call.inputs[1], dims[axis])?;
    let mut shape = [&dims[..axis], &picked[batch_dims..], &dims[axis + 1..]].concat();
    for (index, (one, other)) in dims.iter().zip(picked).take(batch_dims).enumerate() {
        if one.zip(*other).is_some_and(|(one, other)| one != other) {
            return Err(spec_error(format!("dimension {index} of params and of indices, a batch, differ")));
        }
        shape[index] = one.or(*other);
    }
    Ok(vec![TensorSpec { shape: Shape::new(shape), ..params.clone() }])
}

/// Tensors of one shape side by side in a new dimension.
pub(in crate::expr) fn stack(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = one_type(call)?;
    let mut joined = Shape::UNKNOWN;
    for (index, spec) in call.input_specs().into_iter().enumerate() {
        joined = joined.intersection(&spec.shape).ok_or_else(|| {
            let shape = &spec.shape;
            PlanError::spec(format!("value {index} has shape {shape}, those before it {joined}")).with_hint(
                "tensors that are stacked have one shape; concat joins along a dimension they have",
            )
        })?;
    }
    let shape = match joined.dims() {
        None => Shape::UNKNOWN,
        Some(dims) => {
            let axis = axis_index(call.int("axis"), dims.len() + 1).map_err(spec_error)?;
            let mut stacked = dims.to_vec();
            stacked.insert(axis, Some(call.inputs.len()));
            Shape::new(stacked)
        }
    };
    Ok(vec![TensorSpec::new(dtype, shape)])
}

/// Tensors one behind the other along a dimension they have.
pub(in crate::expr) fn concat(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = one_type(call)?;
    let specs = call.input_specs();
    let Some(rank) = specs.iter().find_map(|spec| spec.shape.rank()) else {
        return Ok(vec![TensorSpec::new(dtype, Shape::UNKNOWN)]);
    };
    if rank == 0 {
        return Err(PlanError::spec("scalars have no dimension to join along").with_hint("stack makes one"));
    }
    let axis = axis_index(call.int("axis"), rank).map_err(spec_error)?;
    let mut joined = Shape::UNKNOWN;
    let mut length = Some(0);
    for (index, spec) in specs.into_iter().enumerate() {
        let Some(dims) = spec.shape.dims() else {
            length = None;
            continue;
        };
        // Along the axis anything goes.
        let mut others = dims.to_vec();
        if let Some(dim) = others.get_mut(axis) {
            length = length.zip(*dim).map(|(length, dim): (usize, usize)| length.saturating_add(dim));
            *dim = None;
        }
        joined = joined.intersection(&Shape::new(others)).ok_or_else(|| {
            PlanError::spec(format!(
                "value {index} has shape {}, which differs from those before it elsewhere than in dimension {axis}",
                spec.shape
            ))
        })?;
    }
    let mut dims = joined.dims().map(<[_]>::to_vec).unwrap_or_default();
    dims[axis] = length;
    Ok(vec![TensorSpec::new(dtype, Shape::new(dims))])
}

/// One more dimension, of size 1.
pub(in crate::expr) fn expand_dims(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let Some(dims) = spec.shape.dims() else { return Ok(vec![spec.clone()]) };
    let axis = axis_index(call.int("axis"), dims.len() + 1).map_err(spec_error)?;
    let mut expanded = dims.to_vec();
    expanded.insert(axis, Some(1));
    Ok(vec![TensorSpec { shape: Shape::new(expanded), ..spec.clone() }])
}

/// Fewer dimensions of size 1.
pub(in crate::expr) fn squeeze(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let axes = call.ints("axis");
    let Some(dims) = spec.shape.dims() else { return Ok(vec![spec.clone()]) };
    if axes.as_ref().is_none_or(Vec::is_empty) && dims.contains(&None) {
        // Which dimensions go depends on the row.
        return Ok(vec![TensorSpec { shape: Shape::UNKNOWN, ..spec.clone() }]);
    }
    let gone = squeezed_mask(axes.as_deref(), dims).map_err(spec_error)?;
    let left = dims.iter().zip(gone).filter(|(_, gone)| !gone).map(|(dim, _)| *dim).collect();
    Ok(vec![TensorSpec { shape: Shape::new(left), ..spec.clone() }])
}

/// Dimensions in another order.
pub(in crate::expr) fn transpose(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let perm = call.ints("perm");
    let Some(dims) = spec.shape.dims() else { return Ok(vec![spec.clone()]) };
    let order = permutation(perm.as_deref(), dims.len()).map_err(spec_error)?;
    let shape = Shape::new(order.into_iter().map(|axis| dims[axis]).collect());
    Ok(vec![TensorSpec { shape, ..spec.clone() }])
}

/// The size of each dimension.
pub(in crate::expr) fn shape(call: &Call) -> Result<Vec<TensorSpec>> {
    let rank = call.inputs[0].spec().shape.rank();
    Ok(vec![TensorSpec::new(size_type(call)?, Shape::new(vec![rank]))])
}

/// A count.
pub(in crate::expr) fn size(call: &Call) -> Result<Vec<TensorSpec>> {
    Ok(vec![TensorSpec::scalar(size_type(call)?)])
}

/// The number of dimensions.
#[allow(clippy::unnecessary_wraps, reason = "every rule has this form")]
pub(in crate::expr) fn rank(_: &Call) -> Result<Vec<TensorSpec>> {
    Ok(vec![TensorSpec::scalar(DType::Int32)])
}

fn size_type(call: &Call) -> Result<DType> {
    let Attribute::DType(dtype) = *call.attribute("out_type") else { unreachable!("checked to be a dtype") };
    if matches!(dtype, DType::Int32 | DType::Int64) {
        return Ok(dtype);
    }
    Err(PlanError::argument(format!("out_type is int32 or int64, not {dtype}")))
}

/// Some dimensions become one value (or go on as dimensions of size 1).
pub(in crate::expr) fn reduced_shape(call: &Call) -> Result<Shape> {
    let spec = call.inputs[0].spec();
    let axes = call.ints("axis");
    let keeps = call.flag("keepdims");
    let Some(dims) = spec.shape.dims() else {
        return Ok(if axes.is_none() && !keeps { Shape::scalar() } else { Shape::UNKNOWN });
    };
    let reduced = axes_mask(axes.as_deref(), dims.len()).map_err(spec_error)?;
    let left = dims.iter().zip(reduced).filter_map(|(dim, reduced)| match (reduced, keeps) {
        (false, _) => Some(*dim),
        (true, true) => Some(Some(1)),
        (true, false) => None,
    });
    Ok(Shape::new(left.collect()))
}

/// Numbers reduced to one of their type.
pub(in crate::expr) fn reduce_numbers(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    wants(dtype.is_numeric(), dtype, "numbers")?;
    Ok(vec![TensorSpec::new(dtype, reduced_shape(call)?)])
}

/// Bools reduced to one.
pub(in crate::expr) fn reduce_bools(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    wants(dtype == DType::Bool, dtype, "bools")?;
    Ok(vec![TensorSpec::new(dtype, reduced_shape(call)?)])
}
