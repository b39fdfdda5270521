//! A tensor with updates put at their places.

use feedline_data::Native;

use super::places::{Meant, fitting};
use crate::eval::moves::{Move, move_values};
use crate::eval::rows::{Plans, RowsOf, once_for_constants, plan_rows_by};
use crate::eval::{Arguments, Value};

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
