//! Random values: of the shape asked for, or of what they are drawn from.

use feedline_data::{DType, Shape, TensorSpec};

use super::literals::check_bounds;
use super::{one_type, wants};
use crate::expr::{Attribute, Call, within_limit};
use crate::{PlanError, Result};

/// Floats of the shape asked for.
pub(in crate::expr) fn random_uniform(call: &Call) -> Result<Vec<TensorSpec>> {
    Ok(vec![TensorSpec::new(DType::Float32, drawn_shape(call)?)])
}

/// Floats of the shape and type asked for.
pub(in crate::expr) fn random_normal(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.dtype("dtype");
    wants(dtype.is_float(), dtype, "a dtype of floats")?;
    let stddev = call.float("stddev");
    if !stddev.is_finite() || stddev < 0.0 || !call.float("mean").is_finite() {
        return Err(PlanError::argument(format!("mean is {}, stddev {stddev}", call.float("mean"))));
    }
    Ok(vec![TensorSpec::new(dtype, drawn_shape(call)?)])
}

/// Integers between two.
pub(in crate::expr) fn random_integers(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = one_type(call)?;
    wants(matches!(dtype, DType::Int32 | DType::Int64), dtype, "minval and maxval of int32 or int64")?;
    for (input, name) in call.inputs.iter().zip(["minval", "maxval"]) {
        if input.spec().shape.rank().is_some_and(|rank| rank > 0) {
            return Err(PlanError::spec(format!("{name} is a scalar, not {}", input.spec())));
        }
    }
    check_bounds(call)?;
    Ok(vec![TensorSpec::new(dtype, drawn_shape(call)?)])
}

/// A tensor in another order.
pub(in crate::expr) fn random_shuffle(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    if spec.shape.rank() == Some(0) {
        return Err(PlanError::spec("a scalar has no first dimension"));
    }
    Ok(vec![spec.clone()])
}

/// Classes drawn by what their logarithms of probabilities are.
pub(in crate::expr) fn random_categorical(call: &Call) -> Result<Vec<TensorSpec>> {
    let logits = call.inputs[0].spec();
    wants(logits.dtype.is_float(), logits.dtype, "logits of floats")?;
    let num_samples = usize::try_from(call.int("num_samples"))
        .map_err(|_| PlanError::argument(format!("num_samples is {}, below 0", call.int("num_samples"))))?;
    within_limit(&[num_samples]).map_err(PlanError::argument)?;
    let outer = match logits.shape.dims() {
        None => None,
        Some([outer, Some(0)]) if *outer != Some(0) => {
            return Err(PlanError::spec(format!("logits has no classes to draw from: {logits}")));
        }
        Some([outer, _]) => *outer,
        Some(_) => return Err(PlanError::spec(format!("logits has two dimensions, not {logits}"))),
    };
    let dtype = super::numbers::place_type(call, "dtype")?;
    Ok(vec![TensorSpec::new(dtype, Shape::new(vec![outer, Some(num_samples)]))])
}

fn drawn_shape(call: &Call) -> Result<Shape> {
    let Attribute::Shape(shape) = call.attribute("shape") else { unreachable!("checked to be a shape") };
    let dims = shape.to_fixed();
    let dims = dims.ok_or_else(|| PlanError::argument(format!("shape {shape} must be known")))?;
    within_limit(&dims).map_err(PlanError::argument)?;
    Ok(shape.clone())
}
