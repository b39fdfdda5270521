//! A shape that is checked.

use feedline_plan::expr::Attribute;

use crate::eval::moves::View;
use crate::eval::rows::{RowsOf, once_for_constants, plan_rows};
use crate::eval::view::copy_views;
use crate::eval::{Arguments, Value};

pub(super) fn ensure_shape(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let Attribute::Shape(wanted) = arguments.call.attribute("shape") else {
        unreachable!("checked to be a shape")
    };
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| {
            if wanted.admits(shapes[0]) {
                Ok(View::whole(shapes[0]))
            } else {
                Err(format!("the tensor has shape {:?}, not {wanted}", shapes[0]))
            }
        });
        let values = copy_views(RowsOf::new(arguments.inputs[0]), &plans, arguments.rows, |view| view);
        vec![plans.shaped(values, arguments.rows, |view| &view.shape)]
    })
}
