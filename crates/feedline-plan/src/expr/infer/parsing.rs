//! Operations that read and write formats.

use feedline_data::{DType, Shape, TensorSpec};

use super::parse::{batches, checked_features};
use super::strings::one_of;
use super::wants;
use crate::expr::{Call, Expr};
use crate::{PlanError, Result};

pub(in crate::expr) fn decode_csv(call: &Call) -> Result<Vec<TensorSpec>> {
    let [records, defaults @ ..] = &call.inputs[..] else { unreachable!("it has a tensor at least") };
    wants(records.spec().dtype == DType::String, records.spec().dtype, "records, which are strings")?;
    let delimiter = call.text("field_delim");
    if delimiter.len() != 1 {
        return Err(PlanError::argument(format!("field_delim is one character of ASCII, not '{delimiter}'")));
    }
    if let Some(columns) = call.ints("select_cols") {
        if columns.len() != defaults.len() {
            return Err(PlanError::argument(format!(
                "select_cols names {} columns, record_defaults has {}",
                columns.len(),
                defaults.len()
            )));
        }
        check_columns("select_cols", &columns)?;
    }
    if defaults.is_empty() {
        return Err(PlanError::argument("record_defaults: there are none"));
    }
    let column = |(index, default): (usize, &Expr)| {
        let spec = default.spec();
        let is_read = matches!(
            spec.dtype,
            DType::Float32 | DType::Float64 | DType::Int32 | DType::Int64 | DType::String
        );
        if !is_read {
            return Err(PlanError::argument(format!(
                "record_defaults[{index}] is {}: a column is float32, float64, int32, int64 or string",
                spec.dtype
            )));
        }
        let has_one = spec.shape.dims().is_none_or(|dims| match dims {
            [] => true,
            [size] => size.is_none_or(|size| size <= 1),
            _ => false,
        });
        if !has_one {
            return Err(PlanError::argument(format!(
                "record_defaults[{index}] has the shape {}: a default is one value, or none",
                spec.shape
            )));
        }
        Ok(TensorSpec::new(spec.dtype, records.spec().shape.clone()))
    };
    defaults.iter().enumerate().map(column).collect()
}

pub(in crate::expr) fn decode_csv_record(call: &Call) -> Result<Vec<TensorSpec>> {
    if let Some(columns) = call.ints("exclude_cols") {
        if call.ints("select_cols").is_some() {
            return Err(PlanError::argument("select_cols and exclude_cols cannot both be given"));
        }
        check_columns("exclude_cols", &columns)?;
    }
    decode_csv(call)
}

fn check_columns(name: &str, columns: &[i64]) -> Result<()> {
    if columns.first().is_some_and(|&first| first < 0) || !columns.is_sorted_by(|one, two| one < two) {
        return Err(PlanError::argument(format!(
            "{name} {columns:?} are numbers from 0, each larger than the one before"
        )));
    }
    Ok(())
}

pub(in crate::expr) fn decode_json(call: &Call) -> Result<Vec<TensorSpec>> {
    let features = checked_features(call)?;
    let paths: Vec<&str> = features.iter().map(|(path, _)| path).collect();
    for path in &paths {
        if let Some(inner) = paths.iter().find(|other| is_inside(other, path)) {
            return Err(PlanError::argument(format!(
                "features has '{path}' as a value and '{inner}', for which it is an object"
            )));
        }
    }
    let spec = call.inputs[0].spec();
    if spec.dtype == DType::String && spec.shape.rank() == Some(1) {
        return Ok(batches(features, spec.shape.dims().and_then(|dims| dims[0])));
    }
    one_string(call, 0, "one text of JSON, or a batch of them")?;
    Ok(features.iter().map(|(_, feature)| TensorSpec::new(feature.dtype(), feature.shape())).collect())
}

/// Whether a path of JSON goes on where the other ends.
fn is_inside(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

pub(in crate::expr) fn decode_compressed(call: &Call) -> Result<Vec<TensorSpec>> {
    one_of(call, "compression_type", &["", "GZIP", "ZLIB"])?;
    super::strings::same(call)
}

#[allow(clippy::unnecessary_wraps, reason = "rules of other operations fail")]
pub(in crate::expr) fn serialize_tensor(_: &Call) -> Result<Vec<TensorSpec>> {
    Ok(vec![TensorSpec::scalar(DType::String)])
}

pub(in crate::expr) fn parse_tensor(call: &Call) -> Result<Vec<TensorSpec>> {
    one_string(call, 0, "one message")?;
    Ok(vec![TensorSpec::new(call.dtype("out_type"), Shape::UNKNOWN)])
}

pub(in crate::expr) fn write_file(call: &Call) -> Result<Vec<TensorSpec>> {
    one_string(call, 0, "one file's name")?;
    one_string(call, 1, "one file's contents")?;
    Ok(vec![TensorSpec::scalar(DType::String)])
}

fn one_string(call: &Call, index: usize, what: &str) -> Result<()> {
    let spec = call.inputs[index].spec();
    if spec.dtype != DType::String || !spec.shape.is_compatible_with(&Shape::scalar()) {
        return Err(PlanError::spec(format!("takes {what}, a string, not {spec}")));
    }
    Ok(())
}
