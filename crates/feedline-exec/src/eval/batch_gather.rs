//! Entries picked by computed indices, in each entry of the first dimensions on its own.

use super::gathered::gathered;
use super::{Arguments, Value};

pub(super) fn batch_gather(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.ints("axis").map(|axis| axis[0]);
    let batch_dims = arguments.call.int("batch_dims");
    gathered(arguments, axis, batch_dims)
}
