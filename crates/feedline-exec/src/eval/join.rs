//! Several tensors as one.

use feedline_data::Native;
use feedline_plan::expr::axis_index;

use super::moves::{Move, move_values};
use super::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use super::{Arguments, Value};

/// How the inputs of a row are interleaved.
struct Interleaving {
    shape: Vec<usize>,
    /// How often a piece of each input follows one of the input before.
    outer: usize,
    /// Values of a piece, an input each.
    pieces: Vec<usize>,
}

pub(super) fn stack(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    join(arguments, |shapes| {
        let first = shapes[0];
        if let Some(other) = shapes.iter().position(|shape| *shape != first) {
            return Err(format!("value {other} has shape {:?}, value 0 has {first:?}", shapes[other]));
        }
        let axis = axis_index(axis, first.len() + 1)?;
        let mut shape = first.to_vec();
        shape.insert(axis, shapes.len());
        let (outer, inner) = first.split_at(axis);
        let pieces = vec![inner.iter().product(); shapes.len()];
        Ok(Interleaving { shape, outer: outer.iter().product(), pieces })
    })
}

pub(super) fn concat(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    join(arguments, |shapes| {
        let first = shapes[0];
        let axis = axis_index(axis, first.len())?;
        let mut shape = first.to_vec();
        shape[axis] = 0;
        let mut pieces = Vec::with_capacity(shapes.len());
        for (index, other) in shapes.iter().enumerate() {
            let fits = other.len() == first.len()
                && (0..first.len()).all(|dim| dim == axis || other[dim] == first[dim]);
            if !fits {
                return Err(format!(
                    "value {index} has shape {other:?}, value 0 has {first:?}: they differ elsewhere than in \
                     dimension {axis}"
                ));
            }
            shape[axis] += other[axis];
            pieces.push(other[axis..].iter().product());
        }
        Ok(Interleaving { outer: shape[..axis].iter().product(), shape, pieces })
    })
}

fn join(
    arguments: &mut Arguments<'_>,
    plan: impl Fn(&[&[usize]]) -> Result<Interleaving, String>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, plan);
        let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
        let columns: Vec<_> = inputs.iter().map(RowsOf::column).collect();
        let interleave = Interleave { plans: &plans, inputs: &inputs, rows: arguments.rows };
        let values = move_values(&columns, &interleave);
        vec![plans.shaped(values, arguments.rows, |joined| &joined.shape)]
    })
}

struct Interleave<'a> {
    plans: &'a Plans<Interleaving>,
    inputs: &'a [RowsOf<'a>],
    rows: usize,
}

impl Move for Interleave<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let mut values = Vec::new();
        for row in 0..self.rows {
            let Some(joined) = self.plans.get(row) else { continue };
            if row == 0 {
                values.reserve(joined.shape.iter().product::<usize>() * self.rows);
            }
            for outer in 0..joined.outer {
                for ((input, of), &count) in inputs.iter().zip(self.inputs).zip(&joined.pieces) {
                    let start = of.range(row).start + outer * count;
                    values.extend_from_slice(&input[start..start + count]);
                }
            }
        }
        values
    }
}
