//! Where rows begin: looked at before they are believed.

use feedline_data::block::Column;
use feedline_data::{DType, check_splits};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

/// The splits of row `row`, level by level, checked against each other and the number of values.
pub(super) fn nested<'a>(
    levels: &[RowsOf<'a>],
    values: &RowsOf<'_>,
    row: usize,
) -> Result<Vec<&'a [i64]>, String> {
    let splits: Vec<&[i64]> =
        levels.iter().map(|level| &level.column().as_slice::<i64>()[level.range(row)]).collect();
    if let Some(level) = levels.iter().find(|level| level.shape(row).len() != 1) {
        return Err(format!("row_splits have one dimension, not the shape {:?}", level.shape(row)));
    }
    let Some(&count) = values.shape(row).first() else { return Err("a single value is in no rows".into()) };
    for (level, own) in splits.iter().enumerate() {
        let inner = splits.get(level + 1).map_or(count, |inner| inner.len().saturating_sub(1));
        check_splits(own, inner)?;
    }
    Ok(splits)
}

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
