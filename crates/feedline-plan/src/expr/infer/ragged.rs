//! Operations of ragged tensors.

use feedline_data::{DType, Shape, TensorSpec};

use super::literals::{check_row_lengths, check_row_splits};
use super::{types_differ, wants};
use crate::expr::{Call, Expr};
use crate::{PlanError, Result};

pub(in crate::expr) fn from_nested_row_splits(call: &Call) -> Result<Vec<TensorSpec>> {
    let [values, splits @ ..] = &call.inputs[..] else { unreachable!("it has a tensor at least") };
    check_splits(splits)?;
    check_row_splits(splits, values)?;
    let values = rows_of(values.spec())?;
    Ok(std::iter::once(values).chain(splits.iter().map(|splits| one_dimension(splits.spec()))).collect())
}

pub(in crate::expr) fn from_row_lengths(call: &Call) -> Result<Vec<TensorSpec>> {
    let (values, lengths) = (rows_of(call.inputs[0].spec())?, call.inputs[1].spec());
    wants(
        matches!(lengths.dtype, DType::Int32 | DType::Int64),
        lengths.dtype,
        "row_lengths of int32 or int64",
    )?;
    if lengths.shape.rank().is_some_and(|rank| rank != 1) {
        return Err(PlanError::spec(format!("row_lengths have one dimension, not {}", lengths.shape)));
    }
    check_row_lengths(&call.inputs[1], &call.inputs[0])?;
    let rows = lengths.shape.dims().and_then(|dims| dims[0]);
    Ok(vec![values, TensorSpec::new(DType::Int64, Shape::new(vec![rows.map(|rows| rows + 1)]))])
}

pub(in crate::expr) fn to_tensor(call: &Call) -> Result<Vec<TensorSpec>> {
    let [values, default, splits @ ..] = &call.inputs[..] else {
        unreachable!("it has two tensors at least")
    };
    check_splits(splits)?;
    check_row_splits(splits, values)?;
    let (values, default) = (rows_of(values.spec())?, default.spec());
    if default.dtype != values.dtype {
        return Err(types_differ(values.dtype, default.dtype));
    }
    if !default.shape.is_compatible_with(&Shape::scalar()) {
        return Err(PlanError::spec(format!("default_value is one value, not of shape {}", default.shape)));
    }
    let sizes = call.ints("shape").unwrap_or_default();
    if sizes.len() > splits.len() + 1 {
        return Err(PlanError::argument(format!(
            "shape has {} sizes, the ragged tensor {} dimensions up to the last ragged one",
            sizes.len(),
            splits.len() + 1
        )));
    }
    if let Some(size) = sizes.iter().find(|&&size| size < -1) {
        return Err(PlanError::argument(format!("shape has the size {size}: sizes are from 0, or -1")));
    }
    let Some(inner) = values.shape.dims() else {
        return Ok(vec![values]);
    };
    let rows = splits[0].spec().shape.dims().and_then(|dims| dims[0]).and_then(|count| count.checked_sub(1));
    let mut dims: Vec<Option<usize>> = std::iter::once(rows).chain(splits.iter().map(|_| None)).collect();
    for (dim, size) in dims.iter_mut().zip(&sizes) {
        *dim = usize::try_from(*size).ok().or(*dim);
    }
    Ok(vec![TensorSpec::new(values.dtype, Shape::new([&dims, &inner[1..]].concat()))])
}

pub(in crate::expr) fn range(call: &Call) -> Result<Vec<TensorSpec>> {
    let specs = call.input_specs();
    let dtype = specs[0].dtype;
    wants(
        matches!(dtype, DType::Int32 | DType::Int64 | DType::Float32 | DType::Float64),
        dtype,
        "int32, int64, float32 or float64",
    )?;
    let mut rows = None;
    for (name, spec) in ["starts", "limits", "deltas"].iter().zip(&specs) {
        if spec.dtype != dtype {
            return Err(types_differ(dtype, spec.dtype));
        }
        match spec.shape.dims() {
            None | Some([]) => {}
            Some(&[count]) => {
                if rows.is_some() && count.is_some() && rows != count {
                    return Err(PlanError::spec(format!(
                        "starts, limits and deltas are lists of one length, or single numbers, not of shapes {}",
                        specs.iter().map(|spec| spec.shape.to_string()).collect::<Vec<_>>().join(", ")
                    )));
                }
                rows = rows.or(count);
            }
            Some(_) => {
                return Err(PlanError::spec(format!(
                    "{name} is a list or a single number, not of shape {}",
                    spec.shape
                )));
            }
        }
    }
    let is_one = specs.iter().all(|spec| spec.shape == Shape::scalar());
    let rows = if is_one { Some(1) } else { rows };
    Ok(vec![
        TensorSpec::new(dtype, Shape::new(vec![None])),
        TensorSpec::new(DType::Int64, Shape::new(vec![rows.map(|rows| rows + 1)])),
    ])
}

pub(in crate::expr) fn to_sparse(call: &Call) -> Result<Vec<TensorSpec>> {
    let [values, splits @ ..] = &call.inputs[..] else { unreachable!("it has a tensor at least") };
    check_types(splits)?;
    check_row_splits(splits, values)?;
    let values = rows_of(values.spec())?;
    let rank = values.shape.rank().map(|rank| rank + splits.len());
    let count = values
        .shape
        .to_fixed()
        .and_then(|dims| dims.iter().try_fold(1_usize, |count, &dim| count.checked_mul(dim)));
    Ok(vec![
        TensorSpec::new(DType::Int64, Shape::new(vec![count, rank])),
        TensorSpec::new(values.dtype, Shape::new(vec![count])),
        TensorSpec::new(DType::Int64, Shape::new(vec![rank])),
    ])
}

/// Values that can be in rows: with one dimension at least, of whose size nothing is known.
fn rows_of(spec: &TensorSpec) -> Result<TensorSpec> {
    match spec.shape.dims() {
        Some([]) => Err(PlanError::spec("a single value is in no rows")),
        _ => Ok(spec.clone()),
    }
}

fn check_splits(splits: &[Expr]) -> Result<()> {
    if splits.is_empty() {
        return Err(PlanError::argument("nested_row_splits: there are none"));
    }
    check_types(splits)
}

fn check_types(splits: &[Expr]) -> Result<()> {
    for splits in splits {
        let spec = splits.spec();
        let is_list = spec.shape.is_compatible_with(&Shape::new(vec![None]));
        if spec.dtype != DType::Int64 || !is_list {
            return Err(PlanError::spec(format!("row_splits are int64 in one dimension, not {spec}")));
        }
    }
    Ok(())
}

fn one_dimension(spec: &TensorSpec) -> TensorSpec {
    let shape = if spec.shape.rank().is_none() { Shape::new(vec![None]) } else { spec.shape.clone() };
    TensorSpec { shape, ..spec.clone() }
}
