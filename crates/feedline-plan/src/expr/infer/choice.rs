//! Operations that choose among values.

use feedline_data::{DType, Shape, TensorSpec};

use super::literals::check_size;
use super::{spec_error, wants};
use crate::expr::{Attribute, Call, broadcast_specs, number_tensor, one_hot_axis};
use crate::{PlanError, Result};

/// One of two values of one type, by a bool.
pub(in crate::expr) fn where_(call: &Call) -> Result<Vec<TensorSpec>> {
    let [condition, x, y] = call.input_specs()[..] else { unreachable!("checked to be three") };
    if condition.dtype != DType::Bool {
        let message = format!("the condition is made of bools, not of {}", condition.dtype);
        return Err(PlanError::spec(message).with_hint("compare it with something, e.g. not_equal(…, 0)"));
    }
    if x.dtype != y.dtype {
        return Err(super::types_differ(x.dtype, y.dtype));
    }
    let values = TensorSpec::new(x.dtype, broadcast_specs(x, y)?);
    Ok(vec![TensorSpec::new(x.dtype, broadcast_specs(condition, &values)?)])
}

/// Numbers kept between two others.
pub(in crate::expr) fn clip_by_value(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype.is_numeric(), spec.dtype, "numbers")?;
    super::one_type(call)?;
    for limit in &call.inputs[1..] {
        let together = broadcast_specs(spec, limit.spec())?;
        let grows = !together.is_compatible_with(&spec.shape);
        if grows {
            return Err(PlanError::spec(format!(
                "a limit of shape {} does not fit into shape {}",
                limit.spec().shape,
                spec.shape
            )));
        }
    }
    Ok(vec![spec.clone()])
}

/// One more dimension, with one value at the index and another elsewhere.
pub(in crate::expr) fn one_hot(call: &Call) -> Result<Vec<TensorSpec>> {
    let indices = call.inputs[0].spec();
    let is_index = matches!(indices.dtype, DType::UInt8 | DType::Int8 | DType::Int32 | DType::Int64);
    wants(is_index, indices.dtype, "indices of uint8, int8, int32 or int64")?;
    let depth = usize::try_from(call.int("depth")).map_err(|_| {
        PlanError::argument(format!("depth is {}, it must not be negative", call.int("depth")))
    })?;
    let Attribute::DType(dtype) = *call.attribute("dtype") else { unreachable!("checked to be a dtype") };
    for name in ["on_value", "off_value"] {
        number_tensor(call.attribute(name), dtype).map_err(|error| error.in_step(name))?;
    }
    let shape = match indices.shape.dims() {
        None => Shape::UNKNOWN,
        Some(dims) => {
            let axis = one_hot_axis(call.int("axis"), dims.len()).map_err(spec_error)?;
            let mut shape = dims.to_vec();
            shape.insert(axis, Some(depth));
            Shape::new(shape)
        }
    };
    check_size("depth", &Shape::fixed(&[depth]))?;
    check_size("depth", &shape)?;
    Ok(vec![TensorSpec::new(dtype, shape)])
}
