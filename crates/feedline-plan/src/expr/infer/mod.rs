//! Rules for types and shapes that operations share: TensorFlow's, so nothing is promoted silently.

mod arrays;
mod checks;
mod choice;
mod control;
pub(super) mod image;
mod known;
mod literals;
mod numbers;
mod parse;
pub(super) mod parsing;
mod places;
pub(super) mod ragged;
mod random;
mod shapes;
pub(super) mod sparse;
pub(super) mod strings;
pub(super) mod tables;

use feedline_data::{DType, Shape, TensorSpec};

use super::{Attribute, Call, broadcast_specs};
use crate::{PlanError, Result};

pub(super) use arrays::{
    broadcast_to, ensure_shape, eye, fill, linspace, ones_like, pad, range, repeat, reshape_to, reverse,
    roll, same, slice, split, tile, unstack, zeros,
};
pub(super) use checks::{checked_equal, checked_pair, checked_rank, checked_rank_at_least};
pub(super) use choice::{clip_by_value, one_hot, where_};
pub(super) use control::{cond, foldl, map_fn, scan, switch_case, while_loop};
pub(super) use known::ints_of;
pub(super) use numbers::{
    argmax, argsorted, bucketize, einsum, float_pair, floats_along, integer, integer_pair, l2_normalize,
    matmul, numbers_along, reduce_floats, searchsorted, sorted, top_k,
};
pub(super) use parse::{
    decode_raw, parse_example, parse_sequence_example, parse_single_example, parse_single_sequence_example,
};
pub(super) use places::{
    boolean_mask, gather_nd, scatter_nd, scatter_update, true_indices, unique, unique_with_counts,
};
pub(super) use random::{random_categorical, random_integers, random_normal, random_shuffle, random_uniform};
pub(super) use shapes::{
    batch_gather, concat, expand_dims, gather, rank, reduce_bools, reduce_numbers, shape, size, squeeze,
    stack, strided_slice, transpose,
};

/// Two numbers of one type give that type.
pub(super) fn arithmetic(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = elementwise(call)?;
    wants(spec.dtype.is_numeric(), spec.dtype, "numbers")?;
    Ok(vec![spec])
}

/// Two numbers of one type, the second not 0 where they are integers, give that type.
pub(super) fn whole_division(call: &Call) -> Result<Vec<TensorSpec>> {
    let specs = arithmetic(call)?;
    literals::check_divisor(call, &specs[0].shape)?;
    Ok(specs)
}

/// Two numbers of one type give a float.
pub(super) fn true_division(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = elementwise(call)?;
    wants(spec.dtype.is_numeric(), spec.dtype, "numbers")?;
    let dtype = match spec.dtype {
        float if float.is_float() => float,
        small if small.width().is_some_and(|width| width <= 2) => DType::Float32,
        _ => DType::Float64,
    };
    Ok(vec![TensorSpec { dtype, ..spec }])
}

/// One number that may be negative.
pub(super) fn signed(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec().clone();
    wants(spec.dtype.is_float() || spec.dtype.is_signed_integer(), spec.dtype, "signed numbers")?;
    Ok(vec![spec])
}

/// One number.
pub(super) fn number(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec().clone();
    wants(spec.dtype.is_numeric(), spec.dtype, "numbers")?;
    Ok(vec![spec])
}

/// One float.
pub(super) fn float(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec().clone();
    wants(spec.dtype.is_float(), spec.dtype, "floats")?;
    Ok(vec![spec])
}

/// A float gives a bool.
pub(super) fn float_check(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec().clone();
    wants(spec.dtype.is_float(), spec.dtype, "floats")?;
    Ok(vec![TensorSpec { dtype: DType::Bool, ..spec }])
}

/// Two signed numbers of one type give that type.
pub(super) fn signed_pair(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = elementwise(call)?;
    wants(spec.dtype.is_float() || spec.dtype.is_signed_integer(), spec.dtype, "signed numbers")?;
    Ok(vec![spec])
}

/// A number and its power, which is not negative where they are integers, give that type.
pub(super) fn power(call: &Call) -> Result<Vec<TensorSpec>> {
    let specs = signed_pair(call)?;
    literals::check_power(call, &specs[0].shape)?;
    Ok(specs)
}

/// Two values of one type give a bool.
pub(super) fn equality(call: &Call) -> Result<Vec<TensorSpec>> {
    Ok(vec![TensorSpec { dtype: DType::Bool, ..elementwise(call)? }])
}

/// Two numbers of one type give a bool.
pub(super) fn comparison(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = elementwise(call)?;
    wants(spec.dtype.is_numeric(), spec.dtype, "numbers")?;
    Ok(vec![TensorSpec { dtype: DType::Bool, ..spec }])
}

/// Two bools give a bool.
pub(super) fn logic(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = elementwise(call)?;
    wants(spec.dtype == DType::Bool, spec.dtype, "bools")?;
    Ok(vec![spec])
}

/// A bool gives a bool.
pub(super) fn negation(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec().clone();
    wants(spec.dtype == DType::Bool, spec.dtype, "bools")?;
    Ok(vec![spec])
}

/// A number or bool becomes another.
pub(super) fn cast(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let Attribute::DType(dtype) = *call.attribute("dtype") else { unreachable!("checked to be a dtype") };
    if spec.dtype != dtype && (spec.dtype == DType::String || dtype == DType::String) {
        return Err(PlanError::spec(format!("a {} cannot become a {dtype}", spec.dtype)).with_hint(
            "strings hold bytes; to read numbers from them or print numbers use the string operations",
        ));
    }
    Ok(vec![TensorSpec { dtype, ..spec.clone() }])
}

/// As many values in another shape.
pub(super) fn reshape(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let Attribute::Shape(wanted) = call.attribute("shape") else { unreachable!("checked to be a shape") };
    let Some(dims) = wanted.dims() else {
        return Err(PlanError::argument("shape needs a number of dimensions"));
    };
    if dims.iter().filter(|dim| dim.is_none()).count() > 1 {
        return Err(PlanError::argument(format!("shape {wanted} leaves more than one dimension open")));
    }
    let mut shape = wanted.clone();
    if let Some(from) = spec.shape.to_fixed() {
        let times = |size: usize, dim: &usize| size.checked_mul(*dim);
        let (have, known) = (from.iter().try_fold(1, times), dims.iter().flatten().try_fold(1, times));
        let (Some(have), Some(known)) = (have, known) else {
            return Err(PlanError::spec(format!(
                "shape {} or {wanted} is larger than any tensor",
                spec.shape
            )));
        };
        let fits = if dims.contains(&None) { known > 0 && have.is_multiple_of(known) } else { have == known };
        if !fits {
            return Err(PlanError::spec(format!(
                "{have} values of shape {} cannot have shape {wanted}",
                spec.shape
            )));
        }
        shape = Shape::fixed(&dims.iter().map(|dim| dim.unwrap_or_else(|| have / known)).collect::<Vec<_>>());
    }
    Ok(vec![TensorSpec { shape, ..spec.clone() }])
}

/// A string for the name of a file.
pub(super) fn file_contents(call: &Call) -> Result<Vec<TensorSpec>> {
    let name = call.inputs[0].spec();
    if name.dtype != DType::String || !name.shape.is_compatible_with(&Shape::scalar()) {
        return Err(PlanError::spec(format!("takes one file's name, a string, not {name}")));
    }
    Ok(vec![TensorSpec::scalar(DType::String)])
}

/// Two tensors of one type, broadcast.
fn elementwise(call: &Call) -> Result<TensorSpec> {
    let dtype = one_type(call)?;
    Ok(TensorSpec::new(dtype, broadcast_specs(call.inputs[0].spec(), call.inputs[1].spec())?))
}

/// The type all inputs have.
fn one_type(call: &Call) -> Result<DType> {
    let mut dtypes = call.inputs.iter().map(|input| input.spec().dtype);
    let first = dtypes.next().expect("every operation with a common type has an input");
    dtypes.find(|other| *other != first).map_or(Ok(first), |other| Err(types_differ(first, other)))
}

fn types_differ(one: DType, two: DType) -> PlanError {
    PlanError::spec(format!("the types {one} and {two} differ")).with_hint(format!(
        "nothing is converted silently; write cast(…, {one}) around the one that should change"
    ))
}

fn wants(is_right: bool, got: DType, wanted: &str) -> Result<()> {
    if is_right { Ok(()) } else { Err(PlanError::spec(format!("takes {wanted}, not {got}"))) }
}

/// A rule about shapes that is broken.
fn spec_error(reason: String) -> PlanError {
    PlanError::spec(reason)
}
