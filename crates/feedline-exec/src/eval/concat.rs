//! Several tensors one behind the other along a dimension.

use feedline_plan::expr::axis_index;

use super::join::{Interleaving, join};
use super::{Arguments, Value};

pub(super) fn concat(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    join(arguments, |shapes| {
        let first = shapes[0];
        let axis = axis_index(axis, first.len())?;
        let mut shape = first.to_vec();
        shape[axis] = 0;
        let mut pieces = Vec::with_capacity(shapes.len());
        for (index, other) in shapes.iter().enumerate() {
            let fits = other.len() == first.len()
                && (0..first.len()).all(|dim| dim == axis || other[dim] == first[dim]);
            if !fits {
                return Err(format!(
                    "value {index} has shape {other:?}, value 0 has {first:?}: they differ elsewhere than in \
                     dimension {axis}"
                ));
            }
            shape[axis] += other[axis];
            pieces.push(other[axis..].iter().product());
        }
        Ok(Interleaving { outer: shape[..axis].iter().product(), shape, pieces })
    })
}
