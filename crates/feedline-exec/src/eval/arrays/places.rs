//! Entries by their places in several dimensions: taken, put, or told.

use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::{axis_index, dims_of_ints};

use super::entries::Entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::arithmetic::Number;
use crate::eval::elementwise::dispatch;
use crate::eval::moves::{Move, move_values};
use crate::eval::rows::{Plans, RowsOf, once_for_constants, plan_rows_by};
use crate::eval::{Arguments, Value};

/// The entries that indices mean.
struct Meant {
    /// The shape of all of them together.
    shape: Vec<usize>,
    /// Their numbers, and the values of one.
    numbers: Vec<usize>,
    size: usize,
}

/// What `indices`, of the shape `of`, means in a tensor of `shape`.
fn entries(shape: &[usize], of: &[usize], indices: &[i64]) -> Result<Meant, String> {
    let Some((&depth, outer)) = of.split_last() else {
        return Err("indices has one dimension or more".to_owned());
    };
    if depth > shape.len() {
        return Err(format!("indices has places of {depth} numbers in a tensor of shape {shape:?}"));
    }
    let (places, inside) = shape.split_at(depth);
    let count: usize = outer.iter().product();
    let mut numbers = Vec::with_capacity(count);
    for at in 0..count {
        let place = &indices[at * depth..(at + 1) * depth];
        let number = place.iter().zip(places).try_fold(0, |number, (&index, &dim)| {
            let index = usize::try_from(index).ok().filter(|&index| index < dim)?;
            Some(number * dim + index)
        });
        numbers.push(number.ok_or_else(|| format!("indices: {place:?} is not within shape {shape:?}"))?);
    }
    Ok(Meant { shape: [outer, inside].concat(), numbers, size: inside.iter().product() })
}

pub(super) fn gather_nd(arguments: &mut Arguments<'_>) -> Vec<Value> {
    by_ints(arguments, &[1], None, |shapes, ints| {
        let entries = entries(shapes[0], shapes[1], ints[0])?;
        let count = shapes[0][..shapes[1].last().copied().unwrap_or(0)].iter().product();
        Ok(Taken {
            shape: entries.shape,
            dims: vec![count, entries.size],
            entries: vec![Entries::List(entries.numbers), Entries::Range(0..entries.size)],
        })
    })
}

pub(super) fn boolean_mask(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    by_ints(arguments, &[1], None, |shapes, bools| {
        let (shape, mask) = (shapes[0], shapes[1]);
        let axis = axis_index(axis, shape.len().max(1))?;
        if mask.is_empty() || shape.get(axis..axis + mask.len()) != Some(mask) {
            return Err(format!(
                "a mask of shape {mask:?} does not fit shape {shape:?} from dimension {axis} on"
            ));
        }
        let places: Vec<usize> = (0..bools[0].len()).filter(|&place| bools[0][place] != 0).collect();
        let (outer, inside) = (&shape[..axis], &shape[axis + mask.len()..]);
        let dims = [outer, &[mask.iter().product()], inside].concat();
        Ok(Taken::along(&dims, axis, Entries::List(places)))
    })
}

pub(super) fn true_indices(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows_by(arguments, &[0], |shapes, bools| {
            let (shape, rank) = (shapes[0], shapes[0].len());
            let mut indices = Vec::new();
            for place in (0..bools[0].len()).filter(|&place| bools[0][place] != 0) {
                let start = indices.len();
                indices.resize(start + rank, 0_i64);
                let mut rest = place;
                for (index, &dim) in indices[start..].iter_mut().zip(shape).rev() {
                    *index = (rest % dim) as i64;
                    rest /= dim;
                }
            }
            let count = bools[0].iter().filter(|&&value| value != 0).count();
            Ok((vec![count, rank], indices))
        });
        let rows = 0..arguments.rows;
        let values: Vec<i64> =
            rows.filter_map(|row| plans.get(row)).flat_map(|plan| plan.1.iter().copied()).collect();
        vec![plans.shaped(Column::from_vec(vec![], values.len(), values), arguments.rows, |plan| &plan.0)]
    })
}

pub(super) fn scatter_nd(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows_by(arguments, &[0, 2], |shapes, ints| {
            if shapes[2].len() != 1 {
                return Err(format!("shape has one dimension, not {:?}", shapes[2]));
            }
            let shape = dims_of_ints("shape", ints[1])?;
            let entries = fitting(&shape, shapes[0], ints[0], shapes[1])?;
            Ok((shape, entries))
        });
        let updates = RowsOf::new(arguments.inputs[1]);
        let values = dispatch!(numbers updates.column().dtype(), T => {
            let mut values: Vec<T> = Vec::new();
            for row in 0..arguments.rows {
                let Some((shape, entries)) = plans.get(row) else { continue };
                let start = values.len();
                values.resize(start + shape.iter().product::<usize>(), bytemuck::Zeroable::zeroed());
                let own = &updates.column().as_slice::<T>()[updates.range(row)];
                for (at, &number) in entries.numbers.iter().enumerate() {
                    for inside in 0..entries.size {
                        let place = start + number * entries.size + inside;
                        values[place] = values[place].plus(own[at * entries.size + inside]);
                    }
                }
            }
            Column::from_vec(vec![], values.len(), values)
        });
        vec![plans.shaped(values, arguments.rows, |plan| &plan.0)]
    })
}

pub(super) fn tensor_scatter_nd_update(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows_by(arguments, &[1], |shapes, ints| {
            let entries = fitting(shapes[0], shapes[1], ints[0], shapes[2])?;
            Ok((shapes[0].to_vec(), entries))
        });
        let inputs = [0, 2].map(|index| RowsOf::new(arguments.inputs[index]));
        let update = Update { plans: &plans, inputs, rows: arguments.rows };
        let values = move_values(&inputs.map(|of| of.column()), &update);
        vec![plans.shaped(values, arguments.rows, |plan| &plan.0)]
    })
}

fn fitting(shape: &[usize], of: &[usize], indices: &[i64], updates: &[usize]) -> Result<Meant, String> {
    let entries = entries(shape, of, indices)?;
    if entries.shape != updates {
        return Err(format!("updates has shape {updates:?}, the places together {:?}", entries.shape));
    }
    Ok(entries)
}

struct Update<'a> {
    plans: &'a Plans<(Vec<usize>, Meant)>,
    /// The tensor, and what is put into it.
    inputs: [RowsOf<'a>; 2],
    rows: usize,
}

impl Move for Update<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let mut values = Vec::new();
        for row in 0..self.rows {
            let Some((_, entries)) = self.plans.get(row) else { continue };
            let start = values.len();
            values.extend_from_slice(&inputs[0][self.inputs[0].range(row)]);
            let updates = &inputs[1][self.inputs[1].range(row)];
            for (at, &number) in entries.numbers.iter().enumerate() {
                let place = start + number * entries.size;
                let own = &updates[at * entries.size..(at + 1) * entries.size];
                values[place..place + entries.size].copy_from_slice(own);
            }
        }
        values
    }
}
