//! What is known of integers before anything runs: those written in the plan, and sizes of tensors whose shape is known.

use feedline_data::block::Tensor;
use feedline_data::{DType, Shape};

use super::wants;
use crate::expr::{Call, Expr, ExprKind};
use crate::{PlanError, Result};

/// The integers of a tensor, if it is the same for every element.
pub(super) fn known_ints(expr: &Expr) -> Option<Vec<i64>> {
    match &expr.node().kind {
        ExprKind::Constant(tensor) => ints_of(tensor),
        _ => known_dims(expr).and_then(|dims| dims.into_iter().collect()),
    }
}

/// More sizes than a shape has: what says so many is no shape, and not looked through.
const MAX_DIMS: usize = 1 << 16;

/// The integers of a tensor of one dimension: each known or not; `None` if not even their number is. Sees through what sizes are
/// usually put together with: `[shape(x)[0], 3]`.
pub(super) fn known_dims(expr: &Expr) -> Option<Vec<Option<i64>>> {
    match (&expr.node().kind, expr.spec().shape.dims()) {
        (ExprKind::Constant(_), _) => {}
        // Also ends what is put together of parts of itself, again and again: as many sizes have as many parts.
        (_, Some([Some(0)])) => return Some(Vec::new()),
        (_, Some([Some(count)])) if *count > MAX_DIMS => return None,
        _ => {}
    }
    match &expr.node().kind {
        ExprKind::Constant(tensor) => ints_of(tensor).map(|ints| ints.into_iter().map(Some).collect()),
        ExprKind::Call(call) if call.operation.name == "shape" => {
            let dims = call.inputs[0].spec().shape.dims()?;
            Some(dims.iter().map(|dim| dim.map(|dim| dim as i64)).collect())
        }
        ExprKind::Call(call)
            if call.operation.name == "stack" && call.inputs[0].spec().shape.rank() == Some(0) =>
        {
            let scalar = |input: &Expr| match &input.node().kind {
                ExprKind::Constant(tensor) => ints_of(tensor).and_then(|ints| ints.first().copied()),
                _ => None,
            };
            Some(call.inputs.iter().map(scalar).collect())
        }
        ExprKind::Call(call) if call.operation.name == "concat" => {
            let parts: Option<Vec<Vec<Option<i64>>>> = call.inputs.iter().map(known_dims).collect();
            parts.map(|parts| parts.concat())
        }
        _ => match expr.spec().shape.dims() {
            Some([Some(count)]) => Some(vec![None; *count]),
            _ => None,
        },
    }
}

/// The shape that the tensor called `what` says, whose integers must be of a type that counts.
pub(super) fn shape_in(expr: &Expr, what: &str) -> Result<Shape> {
    counts(expr, what, 1)?;
    let Some(dims) = known_dims(expr) else { return Ok(Shape::UNKNOWN) };
    if let Some(negative) = dims.iter().flatten().find(|&&dim| dim < 0) {
        return Err(PlanError::argument(format!("{what} has the size {negative}, which is below 0")));
    }
    let dims: Vec<Option<usize>> =
        dims.into_iter().map(|dim| dim.and_then(|dim| usize::try_from(dim).ok())).collect();
    let known: Vec<usize> = dims.iter().flatten().copied().collect();
    crate::expr::within_limit(&known).map_err(|reason| PlanError::argument(format!("{what}: {reason}")))?;
    Ok(Shape::new(dims))
}

/// Whether a tensor holds integers that count, and has `rank` dimensions.
pub(super) fn counts(expr: &Expr, what: &str, rank: usize) -> Result<()> {
    let spec = expr.spec();
    wants(
        matches!(spec.dtype, DType::Int32 | DType::Int64),
        spec.dtype,
        &format!("{what} of int32 or int64"),
    )?;
    match spec.shape.rank() {
        Some(own) if own != rank => Err(PlanError::spec(format!(
            "{what} has shape {}, it needs {rank} dimension{}",
            spec.shape,
            if rank == 1 { "" } else { "s" }
        ))),
        _ => Ok(()),
    }
}

/// The integers a call has for the tensor argument number `index`, if they are known.
pub(super) fn ints_at(call: &Call, index: usize) -> Option<Vec<i64>> {
    known_ints(&call.inputs[index])
}

/// The integers of a tensor, if that is what it has.
pub(in crate::expr) fn ints_of(tensor: &Tensor) -> Option<Vec<i64>> {
    match tensor.dtype() {
        DType::Int32 => Some(tensor.as_slice::<i32>().iter().map(|&value| value.into()).collect()),
        DType::Int64 => Some(tensor.as_slice::<i64>().to_vec()),
        _ => None,
    }
}
