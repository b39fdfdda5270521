//! Numbers as written in code: which tensor of which type they become.

use feedline_data::DType;
use feedline_data::block::Tensor;
use half::{bf16, f16};

use super::Attribute;
use crate::{PlanError, Result};

/// The number as a single value of type `dtype`: an integer where that is exact, a float rounded to a float type.
///
/// # Errors
/// If the type does not hold that number, or the attribute is no number.
pub fn number_tensor(number: &Attribute, dtype: DType) -> Result<Tensor> {
    match *number {
        Attribute::Int(value) => tensor_of_integer(value, dtype),
        Attribute::Float(value) => tensor_of_float(value, dtype),
        Attribute::Bool(value) if dtype == DType::Bool => Ok(Tensor::from_bools(vec![], &[value])),
        ref other => Err(PlanError::spec(format!("{other} is no {dtype}"))),
    }
}

/// The number as a tensor of `dtype`, if `dtype` holds exactly that number.
pub(super) fn tensor_of_integer(value: i64, dtype: DType) -> Result<Tensor> {
    let inexact = || {
        PlanError::spec(format!("the number {value} is not exact in {dtype}"))
            .with_hint(format!("cast the {dtype} tensor to a wider type first"))
    };
    let tensor = match dtype {
        DType::Int8 => i8::try_from(value).ok().map(Tensor::scalar),
        DType::Int16 => i16::try_from(value).ok().map(Tensor::scalar),
        DType::Int32 => i32::try_from(value).ok().map(Tensor::scalar),
        DType::Int64 => Some(Tensor::scalar(value)),
        DType::UInt8 => u8::try_from(value).ok().map(Tensor::scalar),
        DType::UInt16 => u16::try_from(value).ok().map(Tensor::scalar),
        DType::UInt32 => u32::try_from(value).ok().map(Tensor::scalar),
        DType::UInt64 => u64::try_from(value).ok().map(Tensor::scalar),
        DType::Float16 => {
            exact(value, f16::from_f64(value as f64).to_f64(), || Tensor::scalar(f16::from_f64(value as f64)))
        }
        DType::BFloat16 => exact(value, bf16::from_f64(value as f64).to_f64(), || {
            Tensor::scalar(bf16::from_f64(value as f64))
        }),
        DType::Float32 => exact(value, f64::from(value as f32), || Tensor::scalar(value as f32)),
        DType::Float64 => exact(value, value as f64, || Tensor::scalar(value as f64)),
        _ => return Err(no_number(&value, dtype)),
    };
    tensor.ok_or_else(inexact)
}

/// A type that holds no numbers.
fn no_number(value: &dyn std::fmt::Display, dtype: DType) -> PlanError {
    let hint = if dtype == DType::String {
        "strings.to_number makes a number of the string, strings.as_string a string of the number"
    } else {
        "cast the tensor to a number first"
    };
    PlanError::spec(format!("the number {value} beside a tensor of {dtype}")).with_hint(hint)
}

fn exact(value: i64, as_float: f64, tensor: impl FnOnce() -> Tensor) -> Option<Tensor> {
    // i128: a float near 2^63 does not fit i64.
    (as_float as i128 == i128::from(value)).then(tensor)
}

/// A float as written is rounded to the float type it meets, as everywhere; it has no integer or string form.
pub(super) fn tensor_of_float(value: f64, dtype: DType) -> Result<Tensor> {
    Ok(match dtype {
        DType::Float16 => Tensor::scalar(f16::from_f64(value)),
        DType::BFloat16 => Tensor::scalar(bf16::from_f64(value)),
        DType::Float32 => Tensor::scalar(value as f32),
        DType::Float64 => Tensor::scalar(value),
        DType::String | DType::Bool => return Err(no_number(&value, dtype)),
        _ => {
            return Err(PlanError::spec(format!("the number {value} beside a tensor of {dtype}"))
                .with_hint("cast the tensor to a float type first"));
        }
    })
}
