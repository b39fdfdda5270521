//! Rows by how long they are.

use feedline_data::block::Column;
use feedline_data::{DType, check_splits};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

pub(super) fn from_row_lengths(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let (values, lengths) = (RowsOf::new(arguments.inputs[0]), RowsOf::new(arguments.inputs[1]));
        let length = |index: usize| match lengths.column().dtype() {
            DType::Int32 => i64::from(lengths.column().as_slice::<i32>()[index]),
            _ => lengths.column().as_slice::<i64>()[index],
        };
        let (mut splits, mut shapes) = (Vec::new(), Vec::new());
        for row in 0..arguments.rows {
            let first = splits.len();
            splits.push(0_i64);
            for index in lengths.range(row) {
                let end = splits[splits.len() - 1];
                splits.push(end.saturating_add(length(index)));
            }
            shapes.push(vec![splits.len() - first]);
            let checked = match values.shape(row).first() {
                Some(&count) => check_splits(&splits[first..], count),
                None => Err("a single value is in no rows".into()),
            };
            if let Err(reason) = checked {
                arguments.fail(row, &format!("row_lengths: {reason}"));
            }
        }
        vec![
            arguments.inputs[0].to_rows(arguments.rows),
            Column::from_vec(vec![], splits.len(), splits).with_shapes(shapes),
        ]
    })
}
