//! Where the values of ragged tensors are, and what is computed along their dimensions.

use feedline_data::DType;

use super::rows::{lengths, place_of};
use super::{Ragged, dtype_of, int64};
use crate::expr::catalogue::Operation;
use crate::expr::{Attribute, Symbolic};
use crate::{Result, ops};

/// For each value its place in the dimensions up to the last ragged one, a row of numbers.
fn places(rows: &Ragged) -> Symbolic {
    let mut at = ops::range(int64(0), ops::shape(&rows.values, DType::Int64).index(0), int64(1));
    let mut dims = Vec::with_capacity(rows.rank() + 1);
    for level in (0..rows.rank()).rev() {
        let of_level = Ragged { values: rows.values.clone(), splits: vec![rows.splits[level].clone()] };
        let row_of =
            ops::repeat(ops::range(int64(0), of_level.num_rows(), int64(1)), lengths(&of_level), 0_i64);
        let row = ops::gather(row_of, &at, 0);
        dims.push(at - ops::gather(&rows.splits[level], &row, 0));
        at = row;
    }
    dims.push(at);
    dims.reverse();
    ops::stack(dims, 1)
}

/// The places of all values that are true.
pub(super) fn true_indices(rows: &Ragged) -> Symbolic {
    let of_values = ops::true_indices(&rows.values);
    let (value, inside) = (of_values.slice((.., 0)), of_values.slice((.., 1..)));
    ops::concat([ops::gather(places(rows), value, 0), inside], 1)
}

/// Sums along a dimension, in the same rows. Rows are filled up with zeros on the way, which change no sum: to go through all values at once and take
/// away what comes before a row would round floats otherwise, and spread what is not a number over the rows behind it.
pub(super) fn cumsum(
    operation: &'static Operation,
    rows: &Ragged,
    axis: i64,
    others: &[Attribute],
) -> Result<Symbolic> {
    let place = place_of(rows, axis, operation.name)?;
    let along = |tensor: Symbolic, axis: usize| {
        let attributes = [&[Attribute::Int(axis as i64)], others].concat();
        Symbolic::call(operation, &[tensor], attributes)
    };
    if place > rows.rank() {
        return Ok(rows.with_values(along(rows.values.clone(), place - rows.rank())));
    }
    // Along the innermost rows nothing is to be known of those around them.
    let (filled, place) = if place == rows.rank() {
        (Ragged { values: rows.values.clone(), splits: vec![rows.splits[place - 1].clone()] }, 1)
    } else {
        (rows.clone(), place)
    };
    let zero = ops::cast(0, dtype_of(&rows.values)?);
    let tensor = ops::ragged::to_tensor(&filled.values, zero, filled.splits.clone(), Attribute::None);
    Ok(rows.with_values(ops::gather_nd(along(tensor, place), places(&filled))))
}
