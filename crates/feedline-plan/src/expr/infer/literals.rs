//! Literals that no element can make right: told when the plan is built, and not once an element.
//!
//! Kernels look at the same values again, since those that are computed may be as wrong. Nothing here makes the plan know more of a result:
//! plans that were written before have to be read as they are.

use feedline_data::block::Tensor;
use feedline_data::{DType, Native, Shape, check_splits};

use crate::expr::{Call, Expr, ExprKind, range_size, range_size_of_floats, within_limit};
use crate::{PlanError, Result};

/// The tensor an expression is, where it is the same for all elements.
pub(super) fn constant(expr: &Expr) -> Option<&Tensor> {
    match &expr.node().kind {
        ExprKind::Constant(tensor) => Some(tensor),
        _ => None,
    }
}

/// The numbers of a literal of integers, whatever their type.
fn whole_numbers(expr: &Expr) -> Option<Vec<i128>> {
    fn all<T: Native + Into<i128>>(tensor: &Tensor) -> Vec<i128> {
        tensor.as_slice::<T>().iter().map(|&value| value.into()).collect()
    }
    let tensor = constant(expr)?;
    Some(match tensor.dtype() {
        DType::Int8 => all::<i8>(tensor),
        DType::Int16 => all::<i16>(tensor),
        DType::Int32 => all::<i32>(tensor),
        DType::Int64 => all::<i64>(tensor),
        DType::UInt8 => all::<u8>(tensor),
        DType::UInt16 => all::<u16>(tensor),
        DType::UInt32 => all::<u32>(tensor),
        DType::UInt64 => all::<u64>(tensor),
        _ => return None,
    })
}

/// The numbers of a literal of floats, whatever their type.
fn floats(expr: &Expr) -> Option<Vec<f64>> {
    fn all<T: Native + Into<f64>>(tensor: &Tensor) -> Vec<f64> {
        tensor.as_slice::<T>().iter().map(|&value| value.into()).collect()
    }
    let tensor = constant(expr)?;
    Some(match tensor.dtype() {
        DType::Float16 => all::<half::f16>(tensor),
        DType::BFloat16 => all::<half::bf16>(tensor),
        DType::Float32 => all::<f32>(tensor),
        DType::Float64 => all::<f64>(tensor),
        _ => return None,
    })
}

/// The one number of a literal.
fn one<T: Copy>(numbers: Option<Vec<T>>) -> Option<T> {
    numbers.and_then(|numbers| numbers.first().copied())
}

/// Refuses a result with more values than any tensor has; dimensions that are not known count as one value.
pub(super) fn check_size(what: &str, shape: &Shape) -> Result<()> {
    let known: Vec<usize> = shape.dims().unwrap_or_default().iter().copied().flatten().collect();
    within_limit(&known).map_err(|reason| PlanError::argument(format!("{what}: {reason}")))
}

/// Refuses integers that are divided by a literal 0, where there are any to divide.
pub(super) fn check_divisor(call: &Call, shape: &Shape) -> Result<()> {
    let is_zero = whole_numbers(&call.inputs[1]).is_some_and(|numbers| numbers.contains(&0));
    if !is_zero || is_empty(shape) {
        return Ok(());
    }
    Err(PlanError::argument("y is 0, or has a 0 in it, and integers are not divided by 0")
        .with_hint("floats are: cast them first; or where(y == 0, 1, y)"))
}

/// Refuses powers of integers below 0.
pub(super) fn check_power(call: &Call, shape: &Shape) -> Result<()> {
    let negative = whole_numbers(&call.inputs[1]).and_then(|numbers| numbers.into_iter().find(|&n| n < 0));
    match negative {
        Some(power) if !is_empty(shape) => {
            Err(PlanError::argument(format!("y is {power}, and integers have no negative powers"))
                .with_hint("floats have: cast them first"))
        }
        _ => Ok(()),
    }
}

/// Whether a tensor of that shape has no values, whatever else becomes known of it.
fn is_empty(shape: &Shape) -> bool {
    shape.dims().is_some_and(|dims| dims.contains(&Some(0)))
}

/// Refuses a range that never gets where it should.
pub(super) fn check_range(call: &Call) -> Result<()> {
    let [start, limit, delta] = &call.inputs[..] else { unreachable!("checked to be three") };
    if let Some(delta) = one(floats(delta)) {
        return match one(floats(start)).zip(one(floats(limit))) {
            Some((start, limit)) => range_size_of_floats(start, limit, delta).map(drop),
            None if delta == 0.0 => Err("delta is 0".to_owned()),
            None => Ok(()),
        }
        .map_err(PlanError::argument);
    }
    let Some(delta) = one(whole_numbers(delta)) else { return Ok(()) };
    let known = one(whole_numbers(start)).zip(one(whole_numbers(limit)));
    let narrow = |number: i128, what: &str| {
        i64::try_from(number).map_err(|_| format!("{what} is {number}, which is too large to count with"))
    };
    let checked = match known {
        Some((start, limit)) => narrow(start, "start")
            .and_then(|start| range_size(start, narrow(limit, "limit")?, narrow(delta, "delta")?).map(drop)),
        None if delta == 0 => Err("delta is 0".to_owned()),
        None => Ok(()),
    };
    checked.map_err(PlanError::argument)
}

/// Refuses places that a dimension of `dim` entries has not; below 0 is no dimension's.
pub(super) fn check_indices(what: &str, indices: &Expr, dim: Option<usize>) -> Result<()> {
    let found = whole_numbers(indices).and_then(|indices| {
        indices.into_iter().find(|&index| index < 0 || dim.is_some_and(|dim| index >= dim as i128))
    });
    match (found, dim) {
        (None, _) => Ok(()),
        (Some(index), Some(dim)) => {
            Err(PlanError::argument(format!("{what} has {index}, which is not in [0, {dim})")))
        }
        (Some(index), None) => Err(PlanError::argument(format!("{what} has {index}, which is below 0"))),
    }
    .map_err(|error| error.with_hint("places count from 0; a slice, x[-1], counts from the end, too"))
}

/// Refuses places in several dimensions that a tensor with these has not: a list of numbers each, of the last dimension of `places`.
pub(super) fn check_places(what: &str, places: &Expr, dims: Option<&[Option<usize>]>) -> Result<()> {
    let Some(depth) = places.spec().shape.to_fixed().and_then(|shape| shape.last().copied()) else {
        return Ok(());
    };
    let Some(numbers) = whole_numbers(places).filter(|_| depth > 0) else { return Ok(()) };
    for place in numbers.chunks(depth) {
        let is_within = |(axis, &index): (usize, &i128)| {
            let dim = dims.and_then(|dims| dims.get(axis).copied().flatten());
            index >= 0 && dim.is_none_or(|dim| index < dim as i128)
        };
        if !place.iter().enumerate().all(is_within) {
            let shape = dims.map_or(Shape::UNKNOWN, |dims| Shape::new(dims.to_vec()));
            return Err(PlanError::argument(format!("{what}: {place:?} is not within shape {shape}"))
                .with_hint("places count from 0"));
        }
    }
    Ok(())
}

/// Refuses bounds between which there is no integer.
pub(super) fn check_bounds(call: &Call) -> Result<()> {
    match one(whole_numbers(&call.inputs[0])).zip(one(whole_numbers(&call.inputs[1]))) {
        Some((low, high)) if low >= high => {
            Err(PlanError::argument(format!("there is no number from minval {low} to before maxval {high}")))
        }
        _ => Ok(()),
    }
}

/// Refuses row splits, outermost first, that are none of so many values.
pub(super) fn check_row_splits(splits: &[Expr], values: &Expr) -> Result<()> {
    for (level, own) in splits.iter().enumerate() {
        let Some(own) = integers_64(own) else { continue };
        let inner = match splits.get(level + 1) {
            Some(inner) => first_dim(inner).map(|count| count.saturating_sub(1)),
            None => first_dim(values),
        };
        check_rows(&own, inner).map_err(PlanError::argument)?;
    }
    Ok(())
}

/// Refuses lengths of rows that are none of so many values.
pub(super) fn check_row_lengths(lengths: &Expr, values: &Expr) -> Result<()> {
    let Some(lengths) = whole_numbers(lengths) else { return Ok(()) };
    let mut splits = vec![0_i64];
    for length in lengths {
        let end = i128::from(splits[splits.len() - 1]).saturating_add(length);
        splits.push(i64::try_from(end).unwrap_or(if end < 0 { i64::MIN } else { i64::MAX }));
    }
    check_rows(&splits, first_dim(values))
        .map_err(|reason| PlanError::argument(format!("row_lengths: {reason}")))
}

fn check_rows(splits: &[i64], count: Option<usize>) -> std::result::Result<(), String> {
    let any = splits.last().and_then(|&last| usize::try_from(last).ok());
    check_splits(splits, count.or(any).unwrap_or(0))
}

fn integers_64(expr: &Expr) -> Option<Vec<i64>> {
    let tensor = constant(expr)?;
    (tensor.dtype() == DType::Int64).then(|| tensor.as_slice::<i64>().to_vec())
}

fn first_dim(expr: &Expr) -> Option<usize> {
    expr.spec().shape.dims().and_then(|dims| dims.first().copied().flatten())
}

/// Refuses indices of a sparse tensor that are outside of its shape, as far as both are known, and a shape that is none.
pub(super) fn check_sparse(indices: &Expr, dense_shape: &Expr) -> Result<()> {
    let sizes = integers_64(dense_shape);
    let dims = sizes
        .as_ref()
        .map(|sizes| sizes.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<Vec<usize>>>());
    if let (Some(sizes), Some(None)) = (&sizes, &dims) {
        return Err(PlanError::argument(format!("dense_shape {sizes:?} has a size below 0")));
    }
    let dims: Option<Vec<Option<usize>>> = dims.flatten().map(|dims| dims.into_iter().map(Some).collect());
    check_places("indices", indices, dims.as_deref())
}
