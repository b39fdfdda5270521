//! Strings in ragged rows.

use super::rows::place_of;
use super::{Ragged, dtype_of, int64};
use crate::expr::catalogue::Operation;
use crate::expr::{Attribute, Symbolic};
use crate::{PlanError, Result, ops};
use feedline_data::DType;

/// What a row is split into is one ragged dimension more.
pub(super) fn split(rows: &Ragged, parts: &Symbolic) -> Result<Symbolic> {
    parts.to_structure()?;
    let parts = Ragged::of(parts).ok_or_else(|| {
        PlanError::spec("strings in ragged rows are split where a value is one string, not several")
    })?;
    let splits = rows.splits.iter().chain(&parts.splits).cloned().collect();
    Ok(Ragged { values: parts.values, splits }.together())
}

/// The strings of each row, or all of them, as one.
pub(super) fn reduce_join(
    rows: &Ragged,
    axis: &Attribute,
    keepdims: bool,
    separator: &str,
) -> Result<Symbolic> {
    let place = match axis {
        Attribute::None => {
            return Ok(ops::strings::reduce_join(&rows.values, Attribute::None, keepdims, separator));
        }
        Attribute::Int(axis) => Some(*axis),
        Attribute::Ints(axes) if axes.len() == 1 => Some(axes[0]),
        _ => None,
    };
    let place = place.map(|axis| place_of(rows, axis, "strings.reduce_join")).transpose()?;
    if place != Some(rows.rank()) {
        return Err(PlanError::spec(
            "strings.reduce_join: of a ragged tensor over its innermost ragged dimension, or all",
        ));
    }
    let innermost = rows.splits[rows.rank() - 1].clone();
    let values = if separator.is_empty() { rows.values.clone() } else { with_separators(rows, separator) };
    let filled = ops::ragged::to_tensor(values, "", [innermost], Attribute::None);
    let joined = ops::strings::reduce_join(filled, 1_i64, keepdims, "");
    let outer = rows.splits[..rows.rank() - 1].to_vec();
    Ok(if outer.is_empty() { joined } else { Ragged { values: joined, splits: outer }.together() })
}

/// The strings with the separator in front of each but the first of its row.
fn with_separators(rows: &Ragged, separator: &str) -> Symbolic {
    let splits = &rows.splits[rows.rank() - 1];
    let begins = ops::repeat(splits.slice(..-1), splits.slice(1..) - splits.slice(..-1), 0_i64);
    let places = ops::range(int64(0), ops::size(&rows.values, DType::Int64), int64(1));
    let before = ops::where_(ops::equal(places, begins), "", separator);
    ops::strings::join([before, rows.values.clone()], "")
}

/// The string of the characters of each row.
pub(super) fn unicode_encode(
    operation: &'static Operation,
    rows: &Ragged,
    attributes: &[Attribute],
) -> Result<Symbolic> {
    if super::rank_of(&rows.values) != Some(1) {
        return Err(PlanError::spec(format!(
            "{} of ragged rows of {}",
            operation.name,
            dtype_of(&rows.values)?
        )));
    }
    // Each character a string, and those of a row put together.
    let letters = Symbolic::call(operation, &[ops::expand_dims(&rows.values, 1)], attributes.to_vec());
    reduce_join(
        &Ragged { values: letters, splits: rows.splits.clone() },
        &Attribute::Int(rows.rank() as i64),
        false,
        "",
    )
}
