//! Rows by where they begin, which is looked at before it is believed.

use super::super::rows::RowsOf;
use super::super::{Arguments, Value};
use super::splits::nested;

pub(super) fn from_nested_row_splits(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
    let are_constants = arguments.inputs.iter().all(|input| matches!(input, Value::Constant(_)));
    for row in 0..arguments.rows {
        if let Err(reason) = nested(&inputs[1..], &inputs[0], row) {
            arguments.fail(row, &reason);
        }
        if are_constants && row == 0 && arguments.failures.is_empty() {
            break; // what holds for one row holds for all
        }
    }
    arguments.inputs.iter().map(|&input| input.clone()).collect()
}
