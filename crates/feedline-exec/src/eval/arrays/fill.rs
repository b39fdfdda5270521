//! One value, in a shape that is computed.

use feedline_data::Native;
use feedline_plan::expr::dims_of_ints;

use crate::eval::moves::{Move, move_values};
use crate::eval::rows::{Plans, RowsOf, admits_planned, bytes_of, once_for_constants, plan_rows_by};
use crate::eval::{Arguments, Value};

pub(super) fn fill(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let mut plans = plan_rows_by(arguments, &[0], |shapes, ints| {
            if shapes[0].len() != 1 || !shapes[1].is_empty() {
                return Err(format!("dims and value have shapes {:?} and {:?}", shapes[0], shapes[1]));
            }
            dims_of_ints("dims", ints[0])
        });
        let dtype = arguments.inputs[1].dtype();
        if !admits_planned(arguments, &mut plans, |shape| bytes_of(dtype, shape.iter().product())) {
            return Vec::new();
        }
        let value = RowsOf::new(arguments.inputs[1]);
        let values = move_values(&[value.column()], &Fill { plans: &plans, value, rows: arguments.rows });
        vec![plans.shaped(values, arguments.rows, |shape| shape)]
    })
}

struct Fill<'a> {
    plans: &'a Plans<Vec<usize>>,
    value: RowsOf<'a>,
    rows: usize,
}

impl Move for Fill<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let mut values = Vec::new();
        for row in 0..self.rows {
            let Some(shape) = self.plans.get(row) else { continue };
            let value = inputs[0][self.value.range(row).start];
            values.resize(values.len() + shape.iter().product::<usize>(), value);
        }
        values
    }
}
