//! Operations of sparse tensors.

use feedline_data::{DType, Shape, TensorSpec};

use super::literals::check_sparse;
use super::types_differ;
use crate::expr::Call;
use crate::{PlanError, Result};

pub(in crate::expr) fn to_dense(call: &Call) -> Result<Vec<TensorSpec>> {
    let specs = call.input_specs();
    let [indices, values, dense_shape, default] = specs[..] else { unreachable!("it has four tensors") };
    for (name, spec, rank) in [("indices", indices, 2), ("dense_shape", dense_shape, 1)] {
        if spec.dtype != DType::Int64 || spec.shape.rank().is_some_and(|own| own != rank) {
            return Err(PlanError::spec(format!("{name} are int64 in {rank} dimensions, not {spec}")));
        }
    }
    if values.shape.rank().is_some_and(|rank| rank != 1) {
        return Err(PlanError::spec(format!("values have one dimension, not {}", values.shape)));
    }
    if default.dtype != values.dtype {
        return Err(types_differ(values.dtype, default.dtype));
    }
    if !default.shape.is_compatible_with(&Shape::scalar()) {
        return Err(PlanError::spec(format!("default_value is one value, not of shape {}", default.shape)));
    }
    check_sparse(&call.inputs[0], &call.inputs[2])?;
    let rank = dense_shape.shape.dims().and_then(|dims| dims[0]);
    let rank = rank.or(indices.shape.dims().and_then(|dims| dims[1]));
    let shape = rank.map_or(Shape::UNKNOWN, |rank| Shape::new(vec![None; rank]));
    Ok(vec![TensorSpec::new(values.dtype, shape)])
}

pub(in crate::expr) fn from_dense(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let rank = spec.shape.rank();
    if rank == Some(0) {
        return Err(PlanError::spec("tensor has no dimension, and a sparse tensor has one at least")
            .with_hint("expand_dims(x, 0) gives it one"));
    }
    Ok(vec![
        TensorSpec::new(DType::Int64, Shape::new(vec![None, rank])),
        TensorSpec::new(spec.dtype, Shape::new(vec![None])),
        TensorSpec::new(DType::Int64, Shape::new(vec![rank])),
    ])
}
