//! A shape that is computed.

use feedline_plan::expr::shape_of_ints;

use crate::eval::moves::View;
use crate::eval::rows::{RowsOf, once_for_constants, plan_rows_by};
use crate::eval::view::copy_views;
use crate::eval::{Arguments, Value};

pub(super) fn reshape_to(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows_by(arguments, &[1], |shapes, ints| {
            if shapes[1].len() != 1 {
                return Err(format!("shape has one dimension, not {:?}", shapes[1]));
            }
            Ok(View::whole(&shape_of_ints(ints[0], shapes[0].iter().product())?))
        });
        let values = copy_views(RowsOf::new(arguments.inputs[0]), &plans, arguments.rows, |view| view);
        vec![plans.shaped(values, arguments.rows, |view| &view.shape)]
    })
}
