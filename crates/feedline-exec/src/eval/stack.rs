//! Several tensors as one with a dimension more.

use feedline_plan::expr::axis_index;

use super::join::{Interleaving, join};
use super::{Arguments, Value};

pub(super) fn stack(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    join(arguments, |shapes| {
        let first = shapes[0];
        if let Some(other) = shapes.iter().position(|shape| *shape != first) {
            return Err(format!("value {other} has shape {:?}, value 0 has {first:?}", shapes[other]));
        }
        let axis = axis_index(axis, first.len() + 1)?;
        let mut shape = first.to_vec();
        shape.insert(axis, shapes.len());
        let (outer, inner) = first.split_at(axis);
        let pieces = vec![inner.iter().product(); shapes.len()];
        Ok(Interleaving { shape, outer: outer.iter().product(), pieces })
    })
}
