//! Dimensions turned.

use feedline_plan::expr::axis_index;

use super::entries::Entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn roll(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axes = arguments.call.ints("axis").expect("the plan checked that there are some");
    by_ints(arguments, &[1], None, |shapes, ints| {
        let (shape, shifts) = (shapes[0], ints[0]);
        if shifts.len() != axes.len() || shapes[1].len() > 1 {
            return Err(format!("shift has shape {:?} for the axes {axes:?}", shapes[1]));
        }
        let mut turns = vec![0_i64; shape.len()];
        for (&axis, &shift) in axes.iter().zip(shifts) {
            let axis = axis_index(axis, shape.len())?;
            let dim = shape[axis].max(1) as i64;
            turns[axis] = (turns[axis] + shift.rem_euclid(dim)) % dim;
        }
        let entries =
            shape.iter().zip(turns).map(|(&dim, turn)| Entries::Rolled { dim, turn: turn as usize });
        Ok(Taken::of(shape, entries.collect()))
    })
}
