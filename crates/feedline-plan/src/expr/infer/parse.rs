//! Operations that read bytes.

use feedline_data::{DType, Shape, TensorSpec};

use super::wants;
use crate::expr::{Attribute, Call, Feature, Features};
use crate::{PlanError, Result};

/// Numbers from strings: one more dimension.
pub(in crate::expr) fn decode_raw(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::String, spec.dtype, "strings")?;
    let Attribute::DType(dtype) = *call.attribute("out_type") else { unreachable!("checked to be a dtype") };
    if dtype == DType::String {
        return Err(PlanError::argument("out_type is a type of numbers, or bool, not string"));
    }
    let shape = spec.shape.dims().map_or(Shape::UNKNOWN, |dims| Shape::new([dims, &[None]].concat()));
    Ok(vec![TensorSpec::new(dtype, shape)])
}

/// One record a row.
pub(in crate::expr) fn parse_single_example(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::String, spec.dtype, "records, which are strings")?;
    if !spec.shape.is_compatible_with(&Shape::scalar()) {
        return Err(PlanError::spec(format!("takes one record, not records of shape {}", spec.shape))
            .with_hint("parse_example takes a batch of records"));
    }
    let features = checked_features(call)?;
    Ok(features.iter().map(|(_, feature)| TensorSpec::new(feature.dtype(), feature.shape())).collect())
}

/// A batch of records a row.
pub(in crate::expr) fn parse_example(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::String, spec.dtype, "records, which are strings")?;
    let any_batch = Shape::new(vec![None]);
    if !spec.shape.is_compatible_with(&any_batch) {
        return Err(PlanError::spec(format!("takes a batch of records, not shape {}", spec.shape))
            .with_hint("parse_single_example takes one record"));
    }
    let batch = spec.shape.dims().and_then(|dims| dims[0]);
    let features = checked_features(call)?;
    let outputs = features.iter().map(|(key, feature)| {
        if matches!(feature, Feature::VarLen { .. }) {
            return Err(PlanError::argument(format!(
                "feature '{key}' has any length: a batch of it is no tensor"
            ))
            .with_hint(
                "parse before batch with parse_single_example, or read it as fixed_len_sequence, which is padded",
            ));
        }
        Ok(TensorSpec::new(feature.dtype(), feature.shape().with_outer(batch)))
    });
    outputs.collect()
}

fn checked_features(call: &Call) -> Result<&Features> {
    let Attribute::Features(features) = call.attribute("features") else {
        unreachable!("checked to be features")
    };
    if features.is_empty() {
        return Err(PlanError::argument("features: none is asked for"));
    }
    for (key, feature) in features.iter() {
        check_feature(feature).map_err(|reason| PlanError::argument(format!("feature '{key}': {reason}")))?;
    }
    Ok(features)
}

fn check_feature(feature: &Feature) -> std::result::Result<(), String> {
    let dtype = feature.dtype();
    if !DType::IN_EXAMPLES.contains(&dtype) {
        return Err(format!("a record holds float32, int64 and string, not {dtype}; cast afterwards"));
    }
    let (shape, default, is_sequence) = match feature {
        Feature::FixedLen { shape, default, .. } => (shape, default, false),
        Feature::FixedLenSequence { shape, default, .. } => (shape, default, true),
        Feature::VarLen { .. } => return Ok(()),
    };
    let count = shape.iter().try_fold(1_usize, |product, &dim| product.checked_mul(dim));
    let Some(count) = count.filter(|&count| u32::try_from(count).is_ok()) else {
        return Err(format!("shape {shape:?} is larger than any record"));
    };
    if is_sequence && count == 0 {
        return Err(format!("entries of shape {shape:?} hold no values"));
    }
    let Some(default) = default else { return Ok(()) };
    if default.dtype() != dtype {
        return Err(format!("it is {dtype}, its default is {}", default.dtype()));
    }
    let wanted = if is_sequence { 1 } else { count };
    if default.len() != wanted {
        return Err(format!("its default has {} values, it needs {wanted}", default.len()));
    }
    Ok(())
}
