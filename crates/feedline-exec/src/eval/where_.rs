//! One of two values, by a condition.

use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::broadcast_shapes;

use super::moves::{Move, move_values};
use super::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use super::walk::{Walk, broadcast_strides, with_outer};
use super::{Arguments, Value};

pub(super) fn where_(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| {
            broadcast_shapes(shapes[1], shapes[2])
                .and_then(|values| broadcast_shapes(shapes[0], &values))
                .ok_or_else(|| {
                    let [condition, x, y] = shapes else { unreachable!("three inputs") };
                    format!("shapes {condition:?}, {x:?} and {y:?} do not fit together")
                })
        });
        let inputs = [0, 1, 2].map(|index| RowsOf::new(arguments.inputs[index]));
        let choose = Choose { plans: &plans, inputs, rows: arguments.rows };
        let values = move_values(&[inputs[1].column(), inputs[2].column()], &choose);
        vec![plans.shaped(values, arguments.rows, |shape| shape)]
    })
}

struct Choose<'a> {
    /// The shape of each row.
    plans: &'a Plans<Vec<usize>>,
    /// Condition, x, y.
    inputs: [RowsOf<'a>; 3],
    rows: usize,
}

impl Move for Choose<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let condition: &Column = self.inputs[0].column();
        let (condition, x, y) = (condition.as_slice::<u8>(), inputs[0], inputs[1]);
        let mut values = Vec::new();
        let mut choose = |[at, in_x, in_y]: [usize; 3]| {
            values.push(if condition[at] != 0 { x[in_x] } else { y[in_y] });
        };
        match self.plans {
            Plans::Same(shape) => {
                let strides = self
                    .inputs
                    .map(|of| with_outer(of.step() as isize, &broadcast_strides(of.shape(0), shape.len())));
                let whole = with_outer(self.rows, shape);
                Walk::new(&whole, strides.each_ref().map(Vec::as_slice)).for_each([0; 3], &mut choose);
            }
            Plans::Each(shapes) => {
                for (row, shape) in shapes.iter().enumerate() {
                    let Some(shape) = shape else { continue };
                    let strides = self.inputs.map(|of| broadcast_strides(of.shape(row), shape.len()));
                    let start = self.inputs.map(|of| of.range(row).start);
                    Walk::new(shape, strides.each_ref().map(Vec::as_slice)).for_each(start, &mut choose);
                }
            }
        }
        values
    }
}
