//! The entries of a dimension, each a tensor.

use feedline_plan::expr::axis_index;

use super::entries::Entries;
use super::rearrange::parts;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn unstack(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let num_parts = num_unstacked(arguments);
    let part = |part: usize, shape: &[usize]| {
        let axis = axis_index(call.int("axis"), shape.len())?;
        if shape[axis] != num_parts {
            return Err(format!("there are {} entries, not {num_parts}", shape[axis]));
        }
        let mut taken = Taken::along(shape, axis, Entries::Range(part..part + 1));
        taken.shape.remove(axis);
        Ok(taken)
    };
    parts(arguments, num_parts, part)
}

/// As many entries as the plan knew of.
fn num_unstacked(arguments: &Arguments<'_>) -> usize {
    let call = arguments.call;
    let known = |shape: &feedline_data::Shape| {
        let dims = shape.dims()?;
        dims[axis_index(call.int("axis"), dims.len()).ok()?]
    };
    match call.ints("num") {
        Some(num) => num[0] as usize,
        None => known(&call.inputs[0].spec().shape).expect("the plan knew how many entries there are"),
    }
}
