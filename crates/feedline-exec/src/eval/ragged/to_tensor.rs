//! Ragged tensors made plain.

use std::ops::Range;

use feedline_data::Native;

use super::super::moves::{Move, move_values};
use super::super::rows::{Plans, RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::splits::nested;

/// What stands one behind the other in a row of the result.
enum Piece {
    /// These of the row's values.
    Copied(Range<usize>),
    /// So many default values.
    Filled(usize),
}

/// The shape of a row of the result, and what it is made of.
struct Padded {
    shape: Vec<usize>,
    pieces: Vec<Piece>,
}

pub(super) fn to_tensor(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let sizes = arguments.call.ints("shape").unwrap_or_default();
    once_for_constants(arguments, |arguments| {
        let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
        let (values, default, levels) = (inputs[0], inputs[1], &inputs[2..]);
        let width = values.column().dtype().width().unwrap_or(size_of::<u64>());
        let mut num_bytes = 0_usize;
        let plans: Vec<Option<Padded>> = (0..arguments.rows)
            .map(|row| {
                let padded = nested(levels, &values, row).and_then(|splits| {
                    if !default.shape(row).is_empty() {
                        return Err("default_value is one value".into());
                    }
                    padded(&splits, values.shape(row), &sizes)
                });
                let padded = padded.map_err(|reason| arguments.fail(row, &reason)).ok()?;
                num_bytes += padded.shape.iter().product::<usize>() * width;
                // Nothing is made of what there is no memory for.
                let is_made = arguments.admits(row, num_bytes) && !arguments.failures.contains_key(&row);
                is_made.then_some(padded)
            })
            .collect();
        let fill = Fill { plans: &plans, values, default };
        let moved = move_values(&[values.column(), default.column()], &fill);
        vec![Plans::Each(plans).shaped(moved, arguments.rows, |padded| &padded.shape)]
    })
}

fn padded(splits: &[&[i64]], value_shape: &[usize], sizes: &[i64]) -> Result<Padded, String> {
    let longest =
        |splits: &[i64]| splits.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0);
    let mut shape: Vec<usize> =
        std::iter::once(splits[0].len() - 1).chain(splits.iter().map(|own| longest(own))).collect();
    for (dim, &size) in shape.iter_mut().zip(sizes) {
        *dim = usize::try_from(size).unwrap_or(*dim);
    }
    let num_outer = shape.len();
    shape.extend_from_slice(&value_shape[1..]);
    let count = shape.iter().try_fold(1_usize, |count, &dim| count.checked_mul(dim));
    if count.is_none_or(|count| count > isize::MAX as usize / 8) {
        return Err(format!("a tensor of shape {shape:?} is larger than any memory"));
    }
    let mut pieces = Vec::new();
    let inner = value_shape[1..].iter().product();
    add(splits, &shape[..num_outer], inner, 0..splits[0].len() - 1, &mut pieces);
    Ok(Padded { shape, pieces })
}

/// Adds what the rows `rows` of a dimension become; `sizes` are those of it and of the dimensions within.
fn add(splits: &[&[i64]], sizes: &[usize], inner: usize, rows: Range<usize>, pieces: &mut Vec<Piece>) {
    let (size, within) = (sizes[0], &sizes[1..]);
    let count = rows.len().min(size);
    match splits.split_first() {
        None => pieces.push(Piece::Copied(rows.start * inner..(rows.start + count) * inner)),
        Some((own, others)) => {
            for row in rows.start..rows.start + count {
                add(others, within, inner, own[row] as usize..own[row + 1] as usize, pieces);
            }
        }
    }
    if size > count {
        pieces.push(Piece::Filled((size - count) * within.iter().product::<usize>() * inner));
    }
}

struct Fill<'a> {
    plans: &'a [Option<Padded>],
    values: RowsOf<'a>,
    default: RowsOf<'a>,
}

impl Move for Fill<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let plans = self.plans.iter().flatten();
        let mut filled = Vec::with_capacity(plans.map(|plan| plan.shape.iter().product::<usize>()).sum());
        for (row, plan) in self.plans.iter().enumerate() {
            let Some(plan) = plan else { continue };
            let (start, default) = (self.values.range(row).start, inputs[1][self.default.range(row).start]);
            for piece in &plan.pieces {
                match piece {
                    Piece::Copied(part) => {
                        filled.extend_from_slice(&inputs[0][start + part.start..start + part.end]);
                    }
                    Piece::Filled(count) => filled.extend(std::iter::repeat_n(default, *count)),
                }
            }
        }
        filled
    }
}
