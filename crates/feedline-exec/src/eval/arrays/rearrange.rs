//! Tensors repeated, turned, padded, stretched and cut: entries of each dimension in another order, more often, or fewer.

use feedline_plan::expr::{
    Attribute, axes_mask, axis_index, broadcast_shapes, dims_of_ints, slice_size, split_sizes, within_limit,
};

use super::entries::{Entries, Padding};
use super::take::{Taken, take};
use crate::eval::rows::{admits_planned, bytes_of, once_for_constants, plan_rows, plan_rows_by};
use crate::eval::{Arguments, Value};

pub(super) fn tile(arguments: &mut Arguments<'_>) -> Vec<Value> {
    by_ints(arguments, &[1], None, |shapes, ints| {
        let (shape, multiples) = (shapes[0], dims_of_ints("multiples", ints[0])?);
        one_each("multiples", multiples.len(), shape)?;
        let tiled: Option<Vec<usize>> =
            shape.iter().zip(&multiples).map(|(&dim, &times)| dim.checked_mul(times)).collect();
        within_limit(&tiled.ok_or("a tensor of more values than any")?)?;
        let entries = shape.iter().zip(multiples).map(|(&dim, times)| Entries::Cycled { dim, times });
        Ok(Taken::of(shape, entries.collect()))
    })
}

pub(super) fn repeat(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.ints("axis").map(|axes| axes[0]);
    by_ints(arguments, &[1], None, |shapes, ints| {
        let flat = [shapes[0].iter().product()];
        let (shape, axis) = match axis {
            Some(axis) if !shapes[0].is_empty() => (shapes[0], axis_index(axis, shapes[0].len())?),
            // A scalar is one entry here, too.
            axis => (&flat[..], axis_index(axis.unwrap_or(0), 1)?),
        };
        if shapes[1].len() > 1 {
            return Err(format!("repeats has one dimension at most, not shape {:?}", shapes[1]));
        }
        let (dim, repeats) = (shape[axis], dims_of_ints("repeats", ints[0])?);
        if repeats.len() != 1 && repeats.len() != dim {
            return Err(format!("repeats has {} numbers for {dim} entries", repeats.len()));
        }
        let times = |entry: usize| if repeats.len() == 1 { repeats[0] } else { repeats[entry] };
        let total = (0..dim).try_fold(0_usize, |sum, entry| sum.checked_add(times(entry)));
        let mut repeated = shape.to_vec();
        repeated[axis] = total.ok_or("a tensor of more values than any")?;
        within_limit(&repeated)?;
        let entries = match repeats[..] {
            [times] => Entries::Repeated { dim, times },
            _ => Entries::Runs(repeats),
        };
        Ok(Taken::along(shape, axis, entries))
    })
}

pub(super) fn reverse(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axes = arguments.call.ints("axis");
    by_ints(arguments, &[], None, |shapes, _| {
        let is_reversed = axes_mask(axes.as_deref(), shapes[0].len())?;
        let entries = shapes[0].iter().zip(is_reversed).map(|(&dim, is_reversed)| {
            if is_reversed { Entries::Reversed { dim } } else { Entries::Range(0..dim) }
        });
        Ok(Taken::of(shapes[0], entries.collect()))
    })
}

pub(super) fn roll(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axes = arguments.call.ints("axis").expect("the plan checked that there are some");
    by_ints(arguments, &[1], None, |shapes, ints| {
        let (shape, shifts) = (shapes[0], ints[0]);
        if shifts.len() != axes.len() || shapes[1].len() > 1 {
            return Err(format!("shift has shape {:?} for the axes {axes:?}", shapes[1]));
        }
        let mut turns = vec![0_i64; shape.len()];
        for (&axis, &shift) in axes.iter().zip(shifts) {
            let axis = axis_index(axis, shape.len())?;
            let dim = shape[axis].max(1) as i64;
            turns[axis] = (turns[axis] + shift.rem_euclid(dim)) % dim;
        }
        let entries =
            shape.iter().zip(turns).map(|(&dim, turn)| Entries::Rolled { dim, turn: turn as usize });
        Ok(Taken::of(shape, entries.collect()))
    })
}

pub(super) fn pad(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let mode = arguments.call.text("mode").to_owned();
    by_ints(arguments, &[1], Some(2), |shapes, ints| {
        let shape = shapes[0];
        if shapes[1] != [shape.len(), 2] || !shapes[2].is_empty() {
            return Err(format!("paddings of shape {:?} for a tensor of shape {shape:?}", shapes[1]));
        }
        let pairs = dims_of_ints("paddings", ints[0])?;
        let pairs: Vec<&[usize]> = pairs.chunks(2).collect();
        let padded = |(&dim, pair): (&usize, &&[usize])| dim.checked_add(pair[0])?.checked_add(pair[1]);
        let padded: Option<Vec<usize>> = shape.iter().zip(&pairs).map(padded).collect();
        within_limit(&padded.ok_or("a tensor of more values than any")?)?;
        let entries =
            shape.iter().zip(&pairs).map(|(&dim, pair)| padded_entries(&mode, dim, pair[0], pair[1]));
        Ok(Taken::of(shape, entries.collect::<Result<_, _>>()?))
    })
}

/// Which entries of a dimension of `dim` stand where it is padded.
fn padded_entries(mode: &str, dim: usize, before: usize, behind: usize) -> Result<Entries, String> {
    if mode == "CONSTANT" {
        return Ok(Entries::Padded { dim, before, behind, padding: Padding::Fill });
    }
    // How much of the mirrored dimension there is: all of it, or all but the entry at the edge.
    let skipped = usize::from(mode == "REFLECT");
    let most = dim.saturating_sub(skipped);
    if before.max(behind) > most {
        return Err(format!(
            "paddings of {before} and {behind} are more than the {most} of {dim} entries to mirror"
        ));
    }
    Ok(Entries::Padded { dim, before, behind, padding: Padding::Mirrored { skipped } })
}

pub(super) fn broadcast_to(arguments: &mut Arguments<'_>) -> Vec<Value> {
    by_ints(arguments, &[1], None, |shapes, ints| {
        if shapes[1].len() != 1 {
            return Err(format!("shape has one dimension, not {:?}", shapes[1]));
        }
        let (shape, wanted) = (shapes[0], dims_of_ints("shape", ints[0])?);
        if broadcast_shapes(shape, &wanted).as_ref() != Some(&wanted) {
            return Err(format!("shape {shape:?} does not broadcast to {wanted:?}"));
        }
        let mut dims = vec![1; wanted.len() - shape.len()];
        dims.extend_from_slice(shape);
        let entries = dims.iter().zip(wanted).map(|(&dim, size)| match dim {
            1 => Entries::Repeated { dim, times: size },
            _ => Entries::Range(0..dim),
        });
        Ok(Taken::of(&dims, entries.collect()))
    })
}

pub(super) fn slice(arguments: &mut Arguments<'_>) -> Vec<Value> {
    by_ints(arguments, &[1, 2], None, |shapes, ints| {
        let (shape, begin, size) = (shapes[0], ints[0], ints[1]);
        if shapes[1] != [shape.len()] || shapes[2] != [shape.len()] {
            let (begin, size) = (shapes[1], shapes[2]);
            return Err(format!(
                "begin and size have shapes {begin:?} and {size:?} for a tensor of shape {shape:?}"
            ));
        }
        let mut entries = Vec::with_capacity(shape.len());
        for ((&dim, &begin), &size) in shape.iter().zip(begin).zip(size) {
            let size = slice_size(begin, size, dim)?;
            let begin = begin as usize;
            entries.push(Entries::Range(begin..begin + size));
        }
        Ok(Taken::of(shape, entries))
    })
}

pub(super) fn split(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let is_number = matches!(call.attribute("num_or_size_splits"), Attribute::Int(_));
    let splits = call.ints("num_or_size_splits").expect("the plan checked that there are some");
    let num_parts = if is_number { splits[0] as usize } else { splits.len() };
    let part = |part: usize, shape: &[usize]| {
        let axis = axis_index(call.int("axis"), shape.len())?;
        let sizes: Vec<usize> = split_sizes(is_number, &splits, Some(shape[axis]))?
            .into_iter()
            .map(|size| size.expect("the sizes of rows are known"))
            .collect();
        let start = sizes[..part].iter().sum::<usize>();
        Ok(Taken::along(shape, axis, Entries::Range(start..start + sizes[part])))
    };
    parts(arguments, num_parts, part)
}

pub(super) fn unstack(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let num_parts = num_unstacked(arguments);
    let part = |part: usize, shape: &[usize]| {
        let axis = axis_index(call.int("axis"), shape.len())?;
        if shape[axis] != num_parts {
            return Err(format!("there are {} entries, not {num_parts}", shape[axis]));
        }
        let mut taken = Taken::along(shape, axis, Entries::Range(part..part + 1));
        taken.shape.remove(axis);
        Ok(taken)
    };
    parts(arguments, num_parts, part)
}

/// As many entries as the plan knew of.
fn num_unstacked(arguments: &Arguments<'_>) -> usize {
    let call = arguments.call;
    let known = |shape: &feedline_data::Shape| {
        let dims = shape.dims()?;
        dims[axis_index(call.int("axis"), dims.len()).ok()?]
    };
    match call.ints("num") {
        Some(num) => num[0] as usize,
        None => known(&call.inputs[0].spec().shape).expect("the plan knew how many entries there are"),
    }
}

fn parts(
    arguments: &mut Arguments<'_>,
    num_parts: usize,
    part: impl Fn(usize, &[usize]) -> Result<Taken, String>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        (0..num_parts)
            .map(|index| {
                let plans = plan_rows(arguments, |shapes| part(index, shapes[0]));
                take(arguments, &plans, None)
            })
            .collect()
    })
}

/// What `plan` says is taken of each row, by the integers of the inputs `read`.
pub(super) fn by_ints(
    arguments: &mut Arguments<'_>,
    read: &[usize],
    fill: Option<usize>,
    plan: impl Fn(&[&[usize]], &[&[i64]]) -> Result<Taken, String>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let mut plans = plan_rows_by(arguments, read, plan);
        let dtype = arguments.inputs[0].dtype();
        if !admits_planned(arguments, &mut plans, |taken| bytes_of(dtype, taken.shape.iter().product())) {
            return Vec::new();
        }
        vec![take(arguments, &plans, fill)]
    })
}

fn one_each(what: &str, count: usize, shape: &[usize]) -> Result<(), String> {
    if count == shape.len() {
        return Ok(());
    }
    Err(format!("{what} has {count} numbers for a tensor of shape {shape:?}"))
}
