//! Sums and the like of ragged tensors.
//!
//! Rows are filled up to the longest with what changes nothing (0 for a sum), and what a plain tensor gives is the result. So a row without
//! values has that: the sum 0, and the largest of none is the lowest number there is, as in TensorFlow.

use feedline_data::DType;
use feedline_data::block::Tensor;

use super::rows::place_of;
use super::{Ragged, dtype_of};
use crate::expr::catalogue::{Operation, numbers, operations};
use crate::expr::{Attribute, Symbolic};
use crate::{PlanError, Result, ops};

pub(super) fn reduce(
    operation: &'static Operation,
    rows: &Ragged,
    axis: &Attribute,
    keepdims: bool,
) -> Result<Symbolic> {
    let axes = match axis {
        Attribute::None => None,
        Attribute::Int(axis) => Some(vec![place_of(rows, *axis, operation.name)?]),
        Attribute::Ints(axes) => {
            let places = axes.iter().map(|axis| place_of(rows, *axis, operation.name));
            Some(places.collect::<Result<Vec<usize>>>()?)
        }
        other => return Err(PlanError::argument(format!("{}: {other} is no axis", operation.name))),
    };
    let is_everything =
        |axes: &[usize]| rows.num_dims().is_some_and(|dims| (0..dims).all(|dim| axes.contains(&dim)));
    match axes.as_deref() {
        None => over_everything(operation, rows, keepdims),
        Some(axes) if is_everything(axes) => over_everything(operation, rows, keepdims),
        Some(&[place]) => over_one(operation, rows, place, keepdims),
        Some(axes) => Err(PlanError::spec(format!(
            "{}: of a ragged tensor over one dimension or all of them, not over {axes:?}",
            operation.name
        ))
        .with_hint("to_tensor fills rows up; of a plain tensor any dimensions can be taken together")),
    }
}

fn over_everything(operation: &'static Operation, rows: &Ragged, keepdims: bool) -> Result<Symbolic> {
    let values = in_means(operation, &rows.values)?;
    let mut result = Symbolic::call(operation, &[values], vec![Attribute::None, Attribute::Bool(keepdims)]);
    if keepdims {
        for _ in 0..rows.rank() {
            result = ops::expand_dims(result, 0);
        }
    }
    Ok(result)
}

/// The mean of integers is a float64 where rows are ragged.
fn in_means(operation: &'static Operation, values: &Symbolic) -> Result<Symbolic> {
    let is_mean = operation.name == operations::reduce_mean.name;
    Ok(if is_mean && dtype_of(values)?.is_integer() {
        ops::cast(values, DType::Float64)
    } else {
        values.clone()
    })
}

fn over_one(operation: &'static Operation, rows: &Ragged, place: usize, keepdims: bool) -> Result<Symbolic> {
    let name = operation.name;
    if name == operations::reduce_mean.name {
        let values = in_means(operation, &rows.values)?;
        let ones = rows.with_values(ops::ones_like(&values));
        let sums = over_one(&operations::reduce_sum, &ragged(&rows.with_values(values))?, place, keepdims)?;
        let counts = over_one(&operations::reduce_sum, &ragged(&ones)?, place, keepdims)?;
        return Ok(ops::truediv(sums, counts));
    }
    if name == numbers::operations::reduce_variance.name {
        let mean = |values: Symbolic| {
            over_one(&operations::reduce_mean, &ragged(&rows.with_values(values))?, place, keepdims)
        };
        let of_squares = mean(ops::square(&rows.values))?;
        let variance = of_squares - ops::square(mean(rows.values.clone())?);
        return Ok(ops::maximum(&variance, ops::zeros_like(&variance)));
    }
    if name == numbers::operations::reduce_std.name {
        return Ok(ops::sqrt(over_one(&numbers::operations::reduce_variance, rows, place, keepdims)?));
    }
    let attributes = |axis: usize| vec![Attribute::Int(axis as i64), Attribute::Bool(keepdims)];
    if place > rows.rank() {
        let reduced =
            Symbolic::call(operation, std::slice::from_ref(&rows.values), attributes(place - rows.rank()));
        return Ok(rows.with_values(reduced));
    }
    if place != rows.rank() && !(place == 0 && rows.rank() == 1) {
        return Err(PlanError::spec(format!(
            "{name}: a ragged tensor with {} ragged dimensions over dimension {place}, which is not the innermost of them",
            rows.rank()
        ))
        .with_hint("take the sum over the innermost first, or to_tensor fills rows up"));
    }
    let filling = neutral(operation, dtype_of(&rows.values)?)?;
    let innermost = rows.splits[rows.rank() - 1].clone();
    let filled = ops::ragged::to_tensor(&rows.values, filling, [innermost], Attribute::None);
    if place == 0 {
        return Ok(Symbolic::call(operation, &[filled], attributes(0)));
    }
    let reduced = Symbolic::call(operation, &[filled], attributes(1));
    let outer = rows.splits[..rows.rank() - 1].to_vec();
    Ok(if outer.is_empty() { reduced } else { Ragged { values: reduced, splits: outer }.together() })
}

fn ragged(value: &Symbolic) -> Result<Ragged> {
    Ragged::of(value).ok_or_else(|| match value.to_structure() {
        Err(error) => error,
        Ok(other) => PlanError::internal(format!("{other} is not ragged")),
    })
}

/// What changes nothing.
fn neutral(operation: &Operation, dtype: DType) -> Result<Symbolic> {
    Ok(match operation.name {
        "reduce_sum" => ops::cast(0, dtype),
        "reduce_prod" => ops::cast(1, dtype),
        "reduce_any" => Symbolic::from(false),
        "reduce_all" => Symbolic::from(true),
        "reduce_max" => limit(dtype, true)?,
        "reduce_min" => limit(dtype, false)?,
        name => {
            return Err(PlanError::spec(format!("{name} of the rows of a ragged tensor"))
                .with_hint("to_tensor makes a plain tensor of it, filled up with what suits"));
        }
    })
}

/// The lowest number of a type, or the highest.
fn limit(dtype: DType, is_lowest: bool) -> Result<Symbolic> {
    fn one<T: feedline_data::Native>(value: T) -> Symbolic {
        Symbolic::from(Tensor::from_vec(vec![], vec![value]))
    }
    macro_rules! of {
        ($type:ty) => {
            one(if is_lowest { <$type>::MIN } else { <$type>::MAX })
        };
    }
    Ok(match dtype {
        DType::Int8 => of!(i8),
        DType::Int16 => of!(i16),
        DType::Int32 => of!(i32),
        DType::Int64 => of!(i64),
        DType::UInt8 => of!(u8),
        DType::UInt16 => of!(u16),
        DType::UInt32 => of!(u32),
        DType::UInt64 => of!(u64),
        DType::Float32 => of!(f32),
        DType::Float64 => of!(f64),
        DType::Float16 | DType::BFloat16 => {
            // The largest that each can hold.
            let high = if dtype == DType::Float16 { 65504.0 } else { 3.389_531_4e38 };
            ops::cast(one(if is_lowest { -high } else { high }), dtype)
        }
        other => return Err(PlanError::spec(format!("the largest and smallest of {other}"))),
    })
}
