//! Rows of ragged tensors chosen, and parts of rows.

use feedline_data::{DType, Structure};

use super::{Ragged, int64};
use crate::expr::{Attribute, Expr, Slice, Symbolic};
use crate::{PlanError, Result, ops};

/// Which row each value of the outermost ragged dimension is in.
pub(super) fn row_ids(ragged: &Ragged) -> Symbolic {
    let numbers = ops::range(int64(0), ragged.num_rows(), int64(1));
    ops::repeat(numbers, lengths(ragged), 0_i64)
}

/// How long each row is.
pub(super) fn lengths(ragged: &Ragged) -> Symbolic {
    let splits = &ragged.splits[0];
    splits.slice(1..) - splits.slice(..-1)
}

/// Where rows of these lengths begin, and the last one ends.
fn splits_of(lengths: &Symbolic) -> Symbolic {
    let ends = ops::cumsum(lengths, 0, false, false);
    ops::concat([ops::expand_dims(int64(0), 0), ends], 0)
}

/// The rows at `indices`, which are plain or, where those of `rows` are, ragged themselves.
pub(super) fn gather(rows: &Ragged, indices: &Symbolic) -> Result<Symbolic> {
    let indices = ops::cast(indices, DType::Int64);
    match super::rank_of(&indices) {
        Some(0) => Ok(row_at(rows, &indices)),
        Some(1) => Ok(rows_at(rows, &indices)),
        _ => {
            Err(PlanError::spec("gather: rows of a ragged tensor are chosen by one index or a list of them"))
        }
    }
}

fn rows_at(rows: &Ragged, indices: &Symbolic) -> Symbolic {
    let begins = ops::gather(rows.splits[0].slice(..-1), indices, 0);
    let lengths = ops::gather(lengths(rows), indices, 0);
    values_from(rows, &begins, &lengths, 1)
}

/// New rows: each of `lengths` of what the rows are rows of, from a place in `begins` on, by `step`.
fn values_from(rows: &Ragged, begins: &Symbolic, lengths: &Symbolic, step: i64) -> Symbolic {
    let splits = splits_of(lengths);
    let places = ops::range(int64(0), splits.index(-1), int64(1));
    let first_places = ops::repeat(splits.slice(..-1), lengths, 0_i64);
    let wanted = ops::repeat(begins, lengths, 0_i64) + (places - first_places) * int64(step);
    let inner = rows.inner();
    let chosen = match Ragged::of(&inner) {
        Some(inner) => rows_at(&inner, &wanted),
        None => ops::gather(inner, wanted, 0),
    };
    Ragged::of_inner(splits, &chosen)
}

/// Row number `index`, one int64 from 0 on.
fn row_at(rows: &Ragged, index: &Symbolic) -> Symbolic {
    let begin = ops::gather(&rows.splits[0], index, 0);
    let end = ops::gather(&rows.splits[0], index + int64(1), 0);
    let places = ops::range(begin, end, int64(1));
    let inner = rows.inner();
    match Ragged::of(&inner) {
        Some(inner) => rows_at(&inner, &places),
        None => ops::gather(inner, places, 0),
    }
}

/// `value[entries]`, of a plain or a ragged one.
pub(super) fn sliced(value: &Symbolic, entries: &[Slice]) -> Result<Symbolic> {
    let Some(rows) = Ragged::of(value) else {
        return Ok(value.slice(entries.to_vec()));
    };
    let Some((first, rest)) = entries.split_first() else {
        return Ok(value.clone());
    };
    match first {
        Slice::At(index) => {
            let index = if *index < 0 { rows.num_rows() + *index } else { int64(*index) };
            sliced(&row_at(&rows, &index), rest)
        }
        Slice::NewAxis => {
            let entries = [&[Slice::ALL], rest].concat();
            sliced(&super::join::expand_dims(&rows, 0)?, &entries)
        }
        Slice::Ellipsis => Err(PlanError::internal("an ellipsis that was not replaced")),
        range @ Slice::Range { .. } if *range == Slice::ALL => within_rows(&rows, rest),
        range @ Slice::Range { .. } => {
            let numbers = ops::range(int64(0), rows.num_rows(), int64(1)).slice(vec![*range]);
            let chosen = rows_at(&rows, &numbers);
            Ragged::of(&chosen).map_or(Ok(chosen), |chosen| within_rows(&chosen, rest))
        }
    }
}

/// `rows[:, entries]`.
fn within_rows(rows: &Ragged, entries: &[Slice]) -> Result<Symbolic> {
    let Some((first, rest)) = entries.split_first() else {
        return Ok(rows.clone().together());
    };
    let cut = match first {
        Slice::Range { begin, end, step } if *first != Slice::ALL => part_of_rows(rows, *begin, *end, *step),
        Slice::Range { .. } => rows.clone().together(),
        Slice::NewAxis if rest.is_empty() => return super::join::expand_dims(rows, 1),
        _ => {
            return Err(PlanError::spec(
                "one place of each row of a ragged tensor, which some rows may not have",
            )
            .with_hint("x[:, i:i + 1] takes it where it is there; to_tensor fills rows up"));
        }
    };
    if rest.is_empty() {
        return Ok(cut);
    }
    let cut = Ragged::of(&cut).ok_or_else(|| PlanError::internal("rows that are not ragged any more"))?;
    let inner = sliced(&cut.inner(), &[&[Slice::ALL], rest].concat())?;
    Ok(Ragged::of_inner(cut.splits[0].clone(), &inner))
}

/// A range of places of each row, by Python's rules.
fn part_of_rows(rows: &Ragged, begin: Option<i64>, end: Option<i64>, step: i64) -> Symbolic {
    let sizes = lengths(rows);
    // Backwards, the place not reached lies one before the first.
    let (low, high) = if step < 0 { (int64(-1), &sizes - int64(1)) } else { (int64(0), sizes.clone()) };
    let low = ops::zeros_like(&sizes) + low;
    let bound = |given: Option<i64>, open: &Symbolic| match given {
        None => open.clone(),
        Some(at) if at < 0 => ops::maximum(&sizes + int64(at), &low),
        Some(at) => ops::minimum(&high, int64(at)),
    };
    let (first, last) = if step < 0 { (&high, &low) } else { (&low, &high) };
    let (first, last) = (bound(begin, first), bound(end, last));
    let reach = if step < 0 { &first - last } else { last - &first };
    let counts = ops::floordiv(reach + int64(step.abs() - 1), int64(step.abs()));
    let counts = ops::maximum(counts, int64(0));
    values_from(rows, &(rows.splits[0].slice(..-1) + first), &counts, step)
}

/// The rows of which `mask`, a list of bools, is true; or, where the mask has rows as well, the values of which it is.
pub(super) fn boolean_mask(rows: &Ragged, mask: &Symbolic) -> Result<Symbolic> {
    let Some(mask) = Ragged::of(mask) else {
        if super::rank_of(mask) != Some(1) {
            return Err(PlanError::spec(
                "boolean_mask: the mask of a ragged tensor is a list, or ragged as it is",
            ));
        }
        let places = ops::squeeze(ops::true_indices(mask), 1_i64);
        return Ok(rows_at(rows, &places));
    };
    if rows.rank() != 1 {
        return Err(PlanError::spec(
            "boolean_mask: a ragged mask of a tensor with several ragged dimensions",
        ));
    }
    let mask = mask.in_rows_of(rows, "boolean_mask")?.values;
    // How many values are kept before each row: the sum at its first value.
    let kept = splits_of(&ops::cast(&mask, DType::Int64));
    let splits = ops::gather(kept, &rows.splits[0], 0);
    Ok(Ragged::of_inner(splits, &ops::boolean_mask(&rows.values, mask, 0)))
}

/// Some dimensions backwards.
pub(super) fn reverse(rows: &Ragged, axes: &Attribute) -> Result<Symbolic> {
    let axes = match axes {
        Attribute::Int(axis) => vec![*axis],
        Attribute::Ints(axes) => axes.clone(),
        _ => vec![],
    };
    let mut result = rows.clone().together();
    for axis in axes {
        let place = place_of(rows, axis, "reverse")?;
        let entries = [vec![Slice::ALL; place], vec![Slice::ALL.by(-1)]].concat();
        result = sliced(&result, &entries)?;
    }
    Ok(result)
}

/// Which dimension `axis` is, counted from the first.
pub(super) fn place_of(rows: &Ragged, axis: i64, name: &str) -> Result<usize> {
    let num_dims = rows.num_dims();
    let place = match num_dims {
        Some(dims) if axis < 0 => axis + dims as i64,
        _ => axis,
    };
    let place = usize::try_from(place).ok().filter(|&place| num_dims.is_none_or(|dims| place < dims));
    place.ok_or_else(|| {
        let dims = num_dims.map_or_else(|| "an unknown number of".to_owned(), |dims| dims.to_string());
        PlanError::argument(format!("{name}: axis {axis} of a ragged tensor with {dims} dimensions"))
    })
}

/// The entries of the first dimension that a loop goes through: rows of ragged tensors, and entries of plain ones.
pub(in crate::expr) fn entry_at(value: &Structure<Expr>, index: &Symbolic) -> Symbolic {
    let whole = Symbolic::from(value.clone());
    if let Some(rows) = Ragged::of(&whole) {
        return row_at(&rows, index);
    }
    match value {
        Structure::Tuple(parts) => Symbolic::tuple(parts.iter().map(|part| entry_at(part, index))),
        Structure::Dict(parts) => {
            Symbolic::dict(parts.iter().map(|(key, part)| (key.clone(), entry_at(part, index))))
        }
        _ => ops::gather(whole, index, 0),
    }
}

/// The numbers of the rows of what is ragged in a structure; plain tensors in it have an entry for each.
pub(in crate::expr) fn numbers_of_rows(value: &Structure<Expr>) -> Result<Symbolic> {
    let whole = Symbolic::from(value.clone());
    let parts: Vec<&Structure<Expr>> = match value {
        Structure::Tuple(parts) => parts.iter().collect(),
        Structure::Dict(parts) => parts.values().collect(),
        _ => {
            let counts = Ragged::of(&whole).map(|rows| rows.num_rows());
            let counts =
                counts.ok_or_else(|| PlanError::spec(format!("{value} has no rows to go through")))?;
            return Ok(ops::range(int64(0), counts, int64(1)));
        }
    };
    let ragged = parts.into_iter().find(|part| part.has_composite());
    numbers_of_rows(ragged.ok_or_else(|| PlanError::internal("nothing ragged"))?)
}
