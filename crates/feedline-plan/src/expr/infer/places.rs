//! Entries by their places in several dimensions, by conditions, and by what they are.

use feedline_data::{DType, Shape, TensorSpec};

use super::arrays::same;
use super::known::shape_in;
use super::literals::check_places;
use super::numbers::place_type;
use super::{spec_error, types_differ, wants};
use crate::expr::{Call, axis_index};
use crate::{PlanError, Result};

/// Entries by their places.
pub(in crate::expr) fn gather_nd(call: &Call) -> Result<Vec<TensorSpec>> {
    let (params, indices) = (call.inputs[0].spec(), call.inputs[1].spec());
    let shape = picked(params.shape.dims(), indices, "indices")?;
    check_places("indices", &call.inputs[1], params.shape.dims())?;
    Ok(vec![TensorSpec { shape, ..params.clone() }])
}

/// The shape of what is at `indices` of a tensor with these dimensions.
fn picked(dims: Option<&[Option<usize>]>, indices: &TensorSpec, what: &str) -> Result<Shape> {
    wants(
        matches!(indices.dtype, DType::Int32 | DType::Int64),
        indices.dtype,
        &format!("{what} of int32 or int64"),
    )?;
    let Some(places) = indices.shape.dims() else { return Ok(Shape::UNKNOWN) };
    let Some((depth, outer)) = places.split_last() else {
        return Err(PlanError::spec(format!("{what} has one dimension or more, not {indices}")));
    };
    match (dims, depth) {
        (Some(dims), Some(depth)) if *depth > dims.len() => Err(PlanError::spec(format!(
            "{what} has places of {depth} numbers in a tensor of {} dimensions",
            dims.len()
        ))),
        (Some(dims), Some(depth)) => Ok(Shape::new([outer, &dims[*depth..]].concat())),
        _ => Ok(Shape::UNKNOWN),
    }
}

/// Values put at places of zeros.
pub(in crate::expr) fn scatter_nd(call: &Call) -> Result<Vec<TensorSpec>> {
    let (indices, updates) = (call.inputs[0].spec(), call.inputs[1].spec());
    wants(updates.dtype.is_numeric(), updates.dtype, "updates of numbers")?;
    let shape = shape_in(&call.inputs[2], "shape")?;
    fits_places(shape.dims(), indices, updates)?;
    check_places("indices", &call.inputs[0], shape.dims())?;
    Ok(vec![TensorSpec::new(updates.dtype, shape)])
}

/// Values put at places of a tensor.
pub(in crate::expr) fn scatter_update(call: &Call) -> Result<Vec<TensorSpec>> {
    let [tensor, indices, updates] = call.input_specs()[..] else { unreachable!("checked to be three") };
    if tensor.dtype != updates.dtype {
        return Err(types_differ(tensor.dtype, updates.dtype));
    }
    fits_places(tensor.shape.dims(), indices, updates)?;
    check_places("indices", &call.inputs[1], tensor.shape.dims())?;
    same(call)
}

fn fits_places(dims: Option<&[Option<usize>]>, indices: &TensorSpec, updates: &TensorSpec) -> Result<()> {
    let wanted = picked(dims, indices, "indices")?;
    if wanted.is_compatible_with(&updates.shape) {
        return Ok(());
    }
    Err(PlanError::spec(format!("updates has shape {}, the places together {wanted}", updates.shape)))
}

/// Entries where something is true.
pub(in crate::expr) fn boolean_mask(call: &Call) -> Result<Vec<TensorSpec>> {
    let (spec, mask) = (call.inputs[0].spec(), call.inputs[1].spec());
    wants(mask.dtype == DType::Bool, mask.dtype, "a mask of bools")?;
    if mask.shape.rank() == Some(0) {
        return Err(PlanError::spec("the mask is a scalar, it needs one dimension or more"));
    }
    let (Some(dims), Some(masked)) = (spec.shape.dims(), mask.shape.dims()) else {
        return Ok(vec![TensorSpec { shape: Shape::UNKNOWN, ..spec.clone() }]);
    };
    let axis = axis_index(call.int("axis"), dims.len().max(1)).map_err(spec_error)?;
    let own = dims.get(axis..axis + masked.len()).map(|own| Shape::new(own.to_vec()));
    if !own.is_some_and(|own| own.is_compatible_with(&mask.shape)) {
        return Err(PlanError::spec(format!(
            "a mask of shape {} does not fit {spec} from dimension {axis} on",
            mask.shape
        )));
    }
    let shape = [&dims[..axis], &[None], &dims[axis + masked.len()..]].concat();
    Ok(vec![TensorSpec { shape: Shape::new(shape), ..spec.clone() }])
}

/// A row for each that is true.
pub(in crate::expr) fn true_indices(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::Bool, spec.dtype, "a condition of bools")?;
    Ok(vec![TensorSpec::new(DType::Int64, Shape::new(vec![None, spec.shape.rank()]))])
}

/// Different values, and which each is.
pub(in crate::expr) fn unique(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    if !spec.shape.is_compatible_with(&Shape::new(vec![None])) {
        return Err(PlanError::spec(format!("takes one dimension, not {spec}")).with_hint("reshape(x, [-1])"));
    }
    let of = spec.shape.dims().map_or_else(|| Shape::new(vec![None]), |dims| Shape::new(dims.to_vec()));
    let index = TensorSpec::new(place_type(call, "out_idx")?, of);
    Ok(vec![TensorSpec::new(spec.dtype, Shape::new(vec![None])), index])
}

/// Different values, which each is, and how many there are of each.
pub(in crate::expr) fn unique_with_counts(call: &Call) -> Result<Vec<TensorSpec>> {
    let mut specs = unique(call)?;
    specs.push(TensorSpec { shape: Shape::new(vec![None]), ..specs[1].clone() });
    Ok(specs)
}
