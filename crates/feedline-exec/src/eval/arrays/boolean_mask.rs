//! Entries of which a mask is true.

use feedline_plan::expr::axis_index;

use super::entries::Entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn boolean_mask(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    by_ints(arguments, &[1], None, |shapes, bools| {
        let (shape, mask) = (shapes[0], shapes[1]);
        let axis = axis_index(axis, shape.len().max(1))?;
        if mask.is_empty() || shape.get(axis..axis + mask.len()) != Some(mask) {
            return Err(format!(
                "a mask of shape {mask:?} does not fit shape {shape:?} from dimension {axis} on"
            ));
        }
        let places: Vec<usize> = (0..bools[0].len()).filter(|&place| bools[0][place] != 0).collect();
        let (outer, inside) = (&shape[..axis], &shape[axis + mask.len()..]);
        let dims = [outer, &[mask.iter().product()], inside].concat();
        Ok(Taken::along(&dims, axis, Entries::List(places)))
    })
}
