//! Ones where the row is the column.

use feedline_data::block::Tensor;

use super::marked::marked;
use crate::eval::{Arguments, Value};

pub(super) fn eye(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let rows = call.int("num_rows") as usize;
    let columns = call.ints("num_columns").map_or(rows, |columns| columns[0] as usize);
    let values = marked(call.dtype("dtype"), rows * columns, |at| at / columns == at % columns);
    vec![Value::Constant(Tensor::of_row(&values.with_rows_of(1, vec![rows, columns]), 0))]
}
