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
    let batch = batch_size(call, "parse_single_example takes one record")?;
    Ok(batches(checked_features(call)?, batch))
}

/// How many records a row has, where that is known.
fn batch_size(call: &Call, hint: &str) -> Result<Option<usize>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::String, spec.dtype, "records, which are strings")?;
    let any_batch = Shape::new(vec![None]);
    if !spec.shape.is_compatible_with(&any_batch) {
        return Err(
            PlanError::spec(format!("takes a batch of records, not shape {}", spec.shape)).with_hint(hint)
        );
    }
    Ok(spec.shape.dims().and_then(|dims| dims[0]))
}

/// The tensors a batch of records has of these features.
pub(super) fn batches(features: &Features, batch: Option<usize>) -> Vec<TensorSpec> {
    let outputs = features.iter().flat_map(|(_, feature)| match feature {
        Feature::VarLen { dtype } | Feature::Ragged { dtype } => {
            vec![TensorSpec::new(*dtype, Shape::new(vec![None])), splits_of(batch)]
        }
        _ => vec![TensorSpec::new(feature.dtype(), feature.shape().with_outer(batch))],
    });
    outputs.collect()
}

/// Where each of so many rows begins, and the last ends.
fn splits_of(rows: Option<usize>) -> TensorSpec {
    TensorSpec::new(DType::Int64, Shape::new(vec![rows.and_then(|rows| rows.checked_add(1))]))
}

/// One record of sequences a row.
pub(in crate::expr) fn parse_single_sequence_example(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::String, spec.dtype, "records, which are strings")?;
    if !spec.shape.is_compatible_with(&Shape::scalar()) {
        return Err(PlanError::spec(format!("takes one record, not records of shape {}", spec.shape))
            .with_hint("parse_sequence_example takes a batch of records"));
    }
    let (context, lists) = checked_sequence_features(call)?;
    let mut outputs: Vec<TensorSpec> =
        context.iter().map(|(_, feature)| TensorSpec::new(feature.dtype(), feature.shape())).collect();
    for (_, feature) in lists.iter() {
        outputs.push(TensorSpec::new(feature.dtype(), feature.shape()));
        if feature.has_any_length() {
            outputs.push(splits_of(None));
        }
    }
    Ok(outputs)
}

/// A batch of records of sequences a row: contexts, lists, and the lengths of those that are filled up.
pub(in crate::expr) fn parse_sequence_example(call: &Call) -> Result<Vec<TensorSpec>> {
    let batch = batch_size(call, "parse_single_sequence_example takes one record")?;
    let (context, lists) = checked_sequence_features(call)?;
    let mut outputs = batches(context, batch);
    for (_, feature) in lists.iter() {
        if feature.has_any_length() {
            let values = TensorSpec::new(feature.dtype(), Shape::new(vec![None]));
            outputs.extend([values, splits_of(batch), splits_of(None)]);
        } else {
            outputs.push(TensorSpec::new(feature.dtype(), feature.shape().with_outer(batch)));
        }
    }
    let filled = lists.iter().filter(|(_, feature)| !feature.has_any_length());
    outputs.extend(filled.map(|_| TensorSpec::new(DType::Int64, Shape::new(vec![batch]))));
    Ok(outputs)
}

/// The features of contexts and of lists of steps.
fn checked_sequence_features(call: &Call) -> Result<(&Features, &Features)> {
    let (context, lists) = (named(call, "context_features"), named(call, "sequence_features"));
    if context.is_empty() && lists.is_empty() {
        return Err(PlanError::argument("context_features and sequence_features: none is asked for"));
    }
    check_all(context)?;
    check_all(lists)?;
    if let Some((key, _)) = lists.iter().find(|(_, feature)| matches!(feature, Feature::FixedLen { .. })) {
        return Err(PlanError::argument(format!(
            "sequence_features: '{key}' is of fixed length, but records differ in their number of steps"
        ))
        .with_hint("ask for a fixed_len_sequence, or for any length"));
    }
    Ok((context, lists))
}

fn named<'a>(call: &'a Call, name: &str) -> &'a Features {
    let Attribute::Features(features) = call.attribute(name) else { unreachable!("checked to be features") };
    features
}

pub(super) fn checked_features(call: &Call) -> Result<&Features> {
    let Attribute::Features(features) = call.attribute("features") else {
        unreachable!("checked to be features")
    };
    if features.is_empty() {
        return Err(PlanError::argument("features: none is asked for"));
    }
    check_all(features)?;
    Ok(features)
}

fn check_all(features: &Features) -> Result<()> {
    for (key, feature) in features.iter() {
        check_feature(feature).map_err(|reason| PlanError::argument(format!("feature '{key}': {reason}")))?;
    }
    Ok(())
}

fn check_feature(feature: &Feature) -> std::result::Result<(), String> {
    let dtype = feature.dtype();
    if !DType::IN_EXAMPLES.contains(&dtype) {
        return Err(format!("a record holds float32, int64 and string, not {dtype}; cast afterwards"));
    }
    let (shape, default, is_sequence) = match feature {
        Feature::FixedLen { shape, default, .. } => (shape, default, false),
        Feature::FixedLenSequence { shape, default, .. } => (shape, default, true),
        Feature::VarLen { .. } | Feature::Ragged { .. } => return Ok(()),
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
