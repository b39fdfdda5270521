//! Checks: what goes in comes out.

use feedline_data::TensorSpec;

use super::{comparison, equality};
use crate::expr::Call;
use crate::{PlanError, Result};

/// The first of two values that can be equal.
pub(in crate::expr) fn checked_equal(call: &Call) -> Result<Vec<TensorSpec>> {
    equality(call)?;
    Ok(vec![call.inputs[0].spec().clone()])
}

/// The first of two numbers that can be compared.
pub(in crate::expr) fn checked_pair(call: &Call) -> Result<Vec<TensorSpec>> {
    comparison(call)?;
    Ok(vec![call.inputs[0].spec().clone()])
}

/// A tensor of so many dimensions.
pub(in crate::expr) fn checked_rank(call: &Call) -> Result<Vec<TensorSpec>> {
    rank(call, |own, wanted| own == wanted, "")
}

/// A tensor of so many dimensions or more.
pub(in crate::expr) fn checked_rank_at_least(call: &Call) -> Result<Vec<TensorSpec>> {
    rank(call, |own, wanted| own >= wanted, " or more")
}

fn rank(call: &Call, fits: fn(usize, usize) -> bool, more: &str) -> Result<Vec<TensorSpec>> {
    let wanted = usize::try_from(call.int("rank"))
        .map_err(|_| PlanError::argument(format!("rank is {}, it must not be negative", call.int("rank"))))?;
    let spec = call.inputs[0].spec();
    match spec.shape.rank() {
        Some(own) if !fits(own, wanted) => {
            let message = call.text("message");
            let message = if message.is_empty() { String::new() } else { format!("{message}: ") };
            Err(PlanError::spec(format!("{message}{spec} has {own} dimensions, not {wanted}{more}")))
        }
        _ => Ok(vec![spec.clone()]),
    }
}
