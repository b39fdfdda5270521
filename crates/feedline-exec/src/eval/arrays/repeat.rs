//! Each entry several times.

use feedline_plan::expr::{axis_index, dims_of_ints, within_limit};

use super::entries::Entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn repeat(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.ints("axis").map(|axes| axes[0]);
    by_ints(arguments, &[1], None, |shapes, ints| {
        let flat = [shapes[0].iter().product()];
        let (shape, axis) = match axis {
            Some(axis) if !shapes[0].is_empty() => (shapes[0], axis_index(axis, shapes[0].len())?),
            // A scalar is one entry here, too.
            axis => (&flat[..], axis_index(axis.unwrap_or(0), 1)?),
        };
        if shapes[1].len() > 1 {
            return Err(format!("repeats has one dimension at most, not shape {:?}", shapes[1]));
        }
        let (dim, repeats) = (shape[axis], dims_of_ints("repeats", ints[0])?);
        if repeats.len() != 1 && repeats.len() != dim {
            return Err(format!("repeats has {} numbers for {dim} entries", repeats.len()));
        }
        let times = |entry: usize| if repeats.len() == 1 { repeats[0] } else { repeats[entry] };
        let total = (0..dim).try_fold(0_usize, |sum, entry| sum.checked_add(times(entry)));
        let mut repeated = shape.to_vec();
        repeated[axis] = total.ok_or("a tensor of more values than any")?;
        within_limit(&repeated)?;
        let entries = match repeats[..] {
            [times] => Entries::Repeated { dim, times },
            _ => Entries::Runs(repeats),
        };
        Ok(Taken::along(shape, axis, entries))
    })
}
