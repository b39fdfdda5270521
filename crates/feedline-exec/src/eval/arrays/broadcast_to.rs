//! A tensor stretched to a shape that is computed.

use feedline_plan::expr::{broadcast_shapes, dims_of_ints};

use super::entries::Entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn broadcast_to(arguments: &mut Arguments<'_>) -> Vec<Value> {
    by_ints(arguments, &[1], None, |shapes, ints| {
        if shapes[1].len() != 1 {
            return Err(format!("shape has one dimension, not {:?}", shapes[1]));
        }
        let (shape, wanted) = (shapes[0], dims_of_ints("shape", ints[0])?);
        if broadcast_shapes(shape, &wanted).as_ref() != Some(&wanted) {
            return Err(format!("shape {shape:?} does not broadcast to {wanted:?}"));
        }
        let mut dims = vec![1; wanted.len() - shape.len()];
        dims.extend_from_slice(shape);
        let entries = dims.iter().zip(wanted).map(|(&dim, size)| match dim {
            1 => Entries::Repeated { dim, times: size },
            _ => Entries::Range(0..dim),
        });
        Ok(Taken::of(&dims, entries.collect()))
    })
}
