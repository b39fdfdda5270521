//! Several tensors as one.

use feedline_data::Native;

use super::moves::{Move, move_values};
use super::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use super::{Arguments, Value};

/// How the inputs of a row are interleaved.
pub(super) struct Interleaving {
    pub(super) shape: Vec<usize>,
    /// How often a piece of each input follows one of the input before.
    pub(super) outer: usize,
    /// Values of a piece, an input each.
    pub(super) pieces: Vec<usize>,
}

pub(super) fn join(
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
