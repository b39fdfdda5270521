//! Ragged tensors one behind the other, and with a dimension more.

use feedline_data::{DType, Structure};

use super::rows::{gather, place_of};
use super::{Ragged, int64};
use crate::expr::Symbolic;
use crate::{PlanError, Result, ops};

/// The tensors one behind the other along a dimension; plain ones among them count as ragged ones with rows of one length.
pub(super) fn concat(tensors: &[Symbolic], axis: i64) -> Result<Symbolic> {
    let parts = tensors.iter().map(as_ragged).collect::<Result<Vec<Ragged>>>()?;
    let first = &parts[0];
    if let Some(other) = parts.iter().find(|part| part.rank() != first.rank()) {
        return Err(PlanError::spec(format!(
            "concat: tensors with {} and {} ragged dimensions",
            first.rank(),
            other.rank()
        )));
    }
    match place_of(first, axis, "concat")? {
        0 => Ok(behind_each_other(&parts)),
        1 => beside_each_other(&parts),
        place if place > first.rank() => {
            let same = parts.iter().map(|part| Ok(part.in_rows_of(first, "concat")?.values));
            let values = same.collect::<Result<Vec<Symbolic>>>()?;
            Ok(first.with_values(ops::concat(values, (place - first.rank()) as i64)))
        }
        place => Err(PlanError::spec(format!(
            "concat: ragged tensors are put together along their first two dimensions, not along dimension {place}"
        ))),
    }
}

/// The tensors as rows of one that has a dimension more.
pub(super) fn stack(tensors: &[Symbolic]) -> Result<Symbolic> {
    let parts = tensors.iter().map(|tensor| expand_dims(&as_ragged(tensor)?, 0));
    concat(&parts.collect::<Result<Vec<_>>>()?, 0)
}

fn behind_each_other(parts: &[Ragged]) -> Symbolic {
    let values = ops::concat(parts.iter().map(|part| part.values.clone()), 0);
    let splits = (0..parts[0].rank()).map(|level| {
        let mut joined = vec![parts[0].splits[level].clone()];
        let mut end = parts[0].splits[level].index(-1);
        for part in &parts[1..] {
            let own = &part.splits[level];
            joined.push(own.slice(1..) + &end);
            end = end + own.index(-1);
        }
        ops::concat(joined, 0)
    });
    Ragged { values, splits: splits.collect() }.together()
}

/// Each row behind that of the same number: all rows below each other, in the order wanted, of which every so many become one.
fn beside_each_other(parts: &[Ragged]) -> Result<Symbolic> {
    let num_rows = parts[0].num_rows();
    let message = "concat: the ragged tensors differ in the number of rows";
    let checks = parts[1..].iter().map(|part| ops::assert_equal(part.num_rows(), &num_rows, message));
    let num_rows = num_rows.after(checks.collect::<Vec<_>>());
    let numbers = ops::range(int64(0), &num_rows, int64(1));
    let of_part = (0..parts.len()).map(|part| &numbers + &num_rows * int64(part as i64));
    let order = ops::stack(of_part.collect::<Vec<_>>(), 1);
    let order = ops::reshape(order, feedline_data::Shape::new(vec![None]));
    let all = Ragged::of(&behind_each_other(parts)).ok_or_else(|| PlanError::internal("not ragged"))?;
    let rows = Ragged::of(&gather(&all, &order)?).ok_or_else(|| PlanError::internal("not ragged"))?;
    let ends = rows.splits[0].slice(crate::expr::Slice::ALL.by(parts.len() as i64));
    Ok(Ragged::of_inner(ends, &rows.inner()))
}

/// A plain tensor as a ragged one with rows of one length.
fn as_ragged(tensor: &Symbolic) -> Result<Ragged> {
    if let Some(ragged) = Ragged::of(tensor) {
        return Ok(ragged);
    }
    let structure = tensor.to_structure()?;
    let dims = match &structure {
        Structure::Leaf(expr) => expr.spec().shape.dims().map(<[_]>::to_vec),
        _ => None,
    };
    let inner = dims.as_deref().and_then(|dims| dims.get(2..)).filter(|inner| !inner.contains(&None));
    let Some(inner) = inner else {
        return Err(PlanError::spec(
            "a tensor beside a ragged one has two dimensions, or more whose sizes are known",
        ));
    };
    let sizes = ops::shape(tensor, DType::Int64);
    let numbers = ops::range(int64(0), sizes.index(0) + int64(1), int64(1));
    let shape = feedline_data::Shape::new([&[None], inner].concat());
    Ok(Ragged { values: ops::reshape(tensor, shape), splits: vec![numbers * sizes.index(1)] })
}

/// With a dimension of size 1 more.
pub(super) fn expand_dims(rows: &Ragged, axis: i64) -> Result<Symbolic> {
    // The new dimension may be the last.
    let num_dims = rows.num_dims().map(|dims| dims as i64 + 1);
    let axis = num_dims.map_or(axis, |dims| if axis < 0 { axis + dims } else { axis });
    if axis < 0 || num_dims.is_some_and(|dims| axis >= dims) {
        return Err(PlanError::argument(format!("expand_dims: axis {axis} of a ragged tensor")));
    }
    let place = axis as usize;
    if place > rows.rank() {
        return Ok(rows.with_values(ops::expand_dims(&rows.values, axis - rows.rank() as i64)));
    }
    let mut splits = rows.splits.clone();
    if place == 0 {
        splits.insert(0, ops::stack([int64(0), rows.num_rows()], 0));
    } else {
        let count = ops::size(&splits[place - 1], DType::Int64);
        splits.insert(place - 1, ops::range(int64(0), count, int64(1)));
    }
    Ok(Ragged { values: rows.values.clone(), splits }.together())
}
