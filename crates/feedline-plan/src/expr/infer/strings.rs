//! Operations of strings.

use feedline_data::{DType, Shape, TensorSpec};

use super::{spec_error, wants};
use crate::expr::pattern::{Rewrite, regular_expression};
use crate::expr::{Attribute, Call, axes_mask, broadcast_specs};
use crate::{PlanError, Result};

/// The encodings that exist here, and what else may be said instead.
const UTF_8: &str = "UTF-8";

/// Strings give strings.
pub(in crate::expr) fn same(call: &Call) -> Result<Vec<TensorSpec>> {
    Ok(vec![strings(call)?])
}

pub(in crate::expr) fn case(call: &Call) -> Result<Vec<TensorSpec>> {
    one_of(call, "encoding", &["", "utf-8"])?;
    same(call)
}

pub(in crate::expr) fn length(call: &Call) -> Result<Vec<TensorSpec>> {
    unit(call)?;
    Ok(vec![TensorSpec { dtype: DType::Int32, ..strings(call)? }])
}

pub(in crate::expr) fn substr(call: &Call) -> Result<Vec<TensorSpec>> {
    unit(call)?;
    let input = strings(call)?;
    let (pos, len) = (call.inputs[1].spec(), call.inputs[2].spec());
    for (name, spec) in [("pos", pos), ("len", len)] {
        if !matches!(spec.dtype, DType::Int32 | DType::Int64) {
            return Err(PlanError::spec(format!("{name} is int32 or int64, not {}", spec.dtype)));
        }
    }
    let Some(at) = pos.shape.intersection(&len.shape) else {
        return Err(PlanError::spec(format!(
            "pos and len have one shape, not {} and {}",
            pos.shape, len.shape
        )));
    };
    let shape = broadcast_specs(&input, &TensorSpec::new(pos.dtype, at))?;
    Ok(vec![TensorSpec { shape, ..input }])
}

pub(in crate::expr) fn join(call: &Call) -> Result<Vec<TensorSpec>> {
    let mut joined: Option<Shape> = None;
    for (index, spec) in call.input_specs().into_iter().enumerate() {
        wants(spec.dtype == DType::String, spec.dtype, "strings")?;
        if spec.shape.rank() == Some(0) {
            continue;
        }
        // A shape of which nothing is known may be that of a single string, which goes with any.
        let known = if spec.shape.rank().is_none() { Shape::UNKNOWN } else { spec.shape.clone() };
        joined = Some(match joined {
            None => known,
            Some(other) if other.rank().is_none() || known.rank().is_none() => Shape::UNKNOWN,
            Some(other) => other.intersection(&known).ok_or_else(|| {
                PlanError::spec(format!("inputs {index} has shape {known}, those before it {other}"))
                    .with_hint("strings that are joined are of one shape, or single ones")
            })?,
        });
    }
    Ok(vec![TensorSpec::new(DType::String, joined.unwrap_or_else(Shape::scalar))])
}

pub(in crate::expr) fn reduce_join(call: &Call) -> Result<Vec<TensorSpec>> {
    let input = strings(call)?;
    let Some(dims) = input.shape.dims() else { return Ok(vec![input]) };
    let mask = axes_mask(call.ints("axis").as_deref(), dims.len()).map_err(spec_error)?;
    let keepdims = call.flag("keepdims");
    let left = dims
        .iter()
        .zip(mask)
        .filter_map(|(dim, goes)| if goes { keepdims.then_some(Some(1)) } else { Some(*dim) });
    Ok(vec![TensorSpec::new(DType::String, Shape::new(left.collect()))])
}

pub(in crate::expr) fn regex_full_match(call: &Call) -> Result<Vec<TensorSpec>> {
    regular_expression(call.text("pattern"), true).map_err(|reason| bad_pattern(call, &reason))?;
    Ok(vec![TensorSpec { dtype: DType::Bool, ..strings(call)? }])
}

pub(in crate::expr) fn regex_replace(call: &Call) -> Result<Vec<TensorSpec>> {
    let regex =
        regular_expression(call.text("pattern"), false).map_err(|reason| bad_pattern(call, &reason))?;
    let rewrite = call.text("rewrite");
    Rewrite::new(rewrite, regex.captures_len() - 1)
        .map_err(|reason| PlanError::argument(format!("rewrite '{rewrite}': {reason}")))?;
    same(call)
}

fn bad_pattern(call: &Call, reason: &str) -> PlanError {
    PlanError::argument(format!("pattern '{}': {reason}", call.text("pattern")))
        .with_hint("patterns are RE2's: https://github.com/google/re2/wiki/Syntax")
}

pub(in crate::expr) fn to_number(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.dtype("out_type");
    let is_read = matches!(
        dtype,
        DType::Float32 | DType::Float64 | DType::Int32 | DType::Int64 | DType::UInt32 | DType::UInt64
    );
    if !is_read {
        return Err(PlanError::argument(format!("out_type is a number of 32 or 64 bits, not {dtype}"))
            .with_hint("read it as one of these and cast it"));
    }
    Ok(vec![TensorSpec { dtype, ..strings(call)? }])
}

pub(in crate::expr) fn as_string(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (scientific, shortest) = (call.flag("scientific"), call.flag("shortest"));
    if scientific && shortest {
        return Err(PlanError::argument("scientific and shortest exclude each other"));
    }
    let is_number = spec.dtype != DType::String;
    if is_number && !spec.dtype.is_float() && (scientific || shortest || call.int("precision") >= 0) {
        return Err(PlanError::argument(format!(
            "precision, scientific and shortest are for floats, not for {}",
            spec.dtype
        )));
    }
    one_of(call, "fill", &["", " ", "0", "-", "+", "#"])?;
    for name in ["precision", "width"] {
        // Beyond any number: `printf` would fill memory with zeros.
        if call.int(name) > 1 << 16 {
            return Err(PlanError::argument(format!("{name} is at most 65536, not {}", call.int(name))));
        }
    }
    Ok(vec![TensorSpec { dtype: DType::String, ..spec.clone() }])
}

pub(in crate::expr) fn format(call: &Call) -> Result<Vec<TensorSpec>> {
    let (template, placeholder) = (call.text("template"), call.text("placeholder"));
    if placeholder.is_empty() {
        return Err(PlanError::argument("placeholder is empty").with_hint("'{}' is what TensorFlow has"));
    }
    let (num_places, num_inputs) = (template.matches(placeholder).count(), call.inputs.len());
    if num_places != num_inputs {
        return Err(PlanError::argument(format!(
            "template '{template}' has '{placeholder}' {num_places} times, for {num_inputs} tensors"
        ))
        .with_hint("one for each tensor"));
    }
    Ok(vec![TensorSpec::scalar(DType::String)])
}

pub(in crate::expr) fn to_hash_bucket(call: &Call) -> Result<Vec<TensorSpec>> {
    let buckets = call.int("num_buckets");
    if buckets < 1 {
        return Err(PlanError::argument(format!("num_buckets is at least 1, not {buckets}")));
    }
    Ok(vec![TensorSpec { dtype: DType::Int64, ..strings(call)? }])
}

pub(in crate::expr) fn bytes_split(call: &Call) -> Result<Vec<TensorSpec>> {
    lists(call, DType::String)
}

pub(in crate::expr) fn split(call: &Call) -> Result<Vec<TensorSpec>> {
    lists(call, DType::String)
}

pub(in crate::expr) fn unicode_decode(call: &Call) -> Result<Vec<TensorSpec>> {
    unicode(call, &["input_encoding"])?;
    lists(call, DType::Int32)
}

pub(in crate::expr) fn unicode_split(call: &Call) -> Result<Vec<TensorSpec>> {
    unicode(call, &["input_encoding"])?;
    lists(call, DType::String)
}

pub(in crate::expr) fn unicode_transcode(call: &Call) -> Result<Vec<TensorSpec>> {
    unicode(call, &["input_encoding", "output_encoding"])?;
    same(call)
}

pub(in crate::expr) fn unicode_encode(call: &Call) -> Result<Vec<TensorSpec>> {
    unicode(call, &["output_encoding"])?;
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::Int32, spec.dtype, "characters as int32")?;
    let shape = match spec.shape.dims() {
        None => Shape::UNKNOWN,
        Some([left @ .., _]) => Shape::new(left.to_vec()),
        Some([]) => return Err(PlanError::spec("takes lists of characters, not one number")),
    };
    Ok(vec![TensorSpec::new(DType::String, shape)])
}

fn unicode(call: &Call, encodings: &[&str]) -> Result<()> {
    for name in encodings {
        one_of(call, name, &[UTF_8])?;
    }
    one_of(call, "errors", &["replace", "ignore", "strict"])?;
    let character = call.int("replacement_char");
    if u32::try_from(character).ok().and_then(char::from_u32).is_none() {
        return Err(PlanError::argument(format!("replacement_char {character} is no character")));
    }
    Ok(())
}

/// A list for each string: of a single one a tensor, of others the values and the splits of each dimension.
fn lists(call: &Call, dtype: DType) -> Result<Vec<TensorSpec>> {
    let input = strings(call)?;
    // TensorFlow wants to know the rank, too; what a row has instead of it would be another structure.
    let Some(dims) = input.shape.dims() else {
        return Err(PlanError::spec("takes strings of a known number of dimensions")
            .with_hint("reshape tells it: reshape(x, []) of one string, reshape(x, [-1]) of many"));
    };
    let mut outputs = vec![TensorSpec::new(dtype, Shape::new(vec![None]))];
    let mut rows = Some(1_usize);
    for dim in dims {
        rows = rows.zip(*dim).and_then(|(rows, dim)| rows.checked_mul(dim));
        let num_splits = rows.and_then(|rows| rows.checked_add(1));
        outputs.push(TensorSpec::new(DType::Int64, Shape::new(vec![num_splits])));
    }
    Ok(outputs)
}

fn strings(call: &Call) -> Result<TensorSpec> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::String, spec.dtype, "strings")?;
    Ok(spec.clone())
}

fn unit(call: &Call) -> Result<()> {
    one_of(call, "unit", &["BYTE", "UTF8_CHAR"])
}

/// Refuses a word that is none of these.
pub(super) fn one_of(call: &Call, name: &str, words: &[&str]) -> Result<()> {
    let Attribute::Text(word) = call.attribute(name) else { unreachable!("checked to be a word") };
    if words.contains(&word.as_str()) {
        return Ok(());
    }
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    Err(PlanError::argument(format!("{name} is {}, not '{word}'", words.join(" or "))))
}
