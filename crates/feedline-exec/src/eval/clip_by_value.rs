//! Numbers kept within limits.

use super::arithmetic::Number;
use super::elementwise::{binary, dispatch, unary};
use super::rows::RowsOf;
use super::{Arguments, Value};

pub(super) fn clip_by_value(arguments: &mut Arguments<'_>) -> Vec<Value> {
    vec![dispatch!(numbers arguments.inputs[0].dtype(), T => clip::<T>(arguments))]
}

fn clip<T: Number>(arguments: &mut Arguments<'_>) -> Value {
    let [t, low, high] = arguments.inputs[..] else { unreachable!("three inputs") };
    if let (Value::Constant(low), Value::Constant(high)) = (low, high)
        && low.shape().is_empty()
        && high.shape().is_empty()
    {
        let (low, high) = (low.as_slice::<T>()[0], high.as_slice::<T>()[0]);
        return unary::<T, T>(arguments, |value| value.smaller(high).larger(low));
    }
    // The smaller first, as TensorFlow has it: where the limits cross, the lower one stays.
    arguments.inputs = vec![t, high];
    let below = binary::<T, T>(arguments, T::smaller);
    let mut between = Arguments {
        inputs: vec![&below, low],
        failures: &mut *arguments.failures,
        allowance: &mut *arguments.allowance,
        ..*arguments
    };
    let clipped = binary::<T, T>(&mut between, T::larger);
    let (before, after) = (RowsOf::new(t), RowsOf::new(&clipped));
    for row in 0..arguments.rows {
        if before.shape(row) != after.shape(row) {
            let (before, after) = (before.shape(row), after.shape(row));
            arguments.fail(row, &format!("the limits would stretch shape {before:?} to {after:?}"));
        }
    }
    clipped
}
