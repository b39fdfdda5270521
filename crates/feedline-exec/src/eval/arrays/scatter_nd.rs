//! Updates added up at their places, and 0 elsewhere.

use feedline_data::block::Column;
use feedline_plan::expr::dims_of_ints;

use super::places::fitting;
use crate::eval::arithmetic::Number;
use crate::eval::elementwise::dispatch;
use crate::eval::rows::{RowsOf, once_for_constants, plan_rows_by};
use crate::eval::{Arguments, Value};

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
