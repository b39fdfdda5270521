//! Ragged tensors made sparse: every value that is in a row, and where it is.

use std::ops::Range;

use feedline_data::block::Column;

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::splits::nested;

pub(super) fn to_sparse(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
        let (values, levels) = (inputs[0], &inputs[1..]);
        let (mut indices, mut sizes) = (Vec::new(), Vec::new());
        let (mut index_shapes, mut value_shapes, mut size_shapes) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..arguments.rows {
            let shape = values.shape(row);
            let rank = levels.len() + shape.len();
            let splits = nested(levels, &values, row);
            let first = indices.len();
            match &splits {
                Ok(splits) => {
                    let outer = splits.first().map_or(shape[0], |own| own.len() - 1);
                    let mut index = Vec::with_capacity(rank);
                    add(splits, &shape[1..], 0..outer, &mut index, &mut indices);
                    sizes.extend(dense_shape(splits, shape));
                }
                Err(reason) => {
                    arguments.fail(row, reason);
                    sizes.resize(sizes.len() + rank, 0);
                }
            }
            index_shapes.push(vec![(indices.len() - first) / rank.max(1), rank]);
            value_shapes.push(vec![shape.iter().product()]);
            size_shapes.push(vec![rank]);
        }
        vec![
            Column::from_vec(vec![], indices.len(), indices).with_shapes(index_shapes),
            arguments.inputs[0].to_rows(arguments.rows).flat().with_shapes(value_shapes),
            Column::from_vec(vec![], sizes.len(), sizes).with_shapes(size_shapes),
        ]
    })
}

/// The smallest shape that all rows fit in.
fn dense_shape(splits: &[&[i64]], value_shape: &[usize]) -> Vec<i64> {
    let longest = |splits: &[i64]| splits.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    let outer = splits.first().map_or(value_shape[0] as i64, |own| own.len() as i64 - 1);
    let ragged = splits.iter().map(|own| longest(own));
    std::iter::once(outer).chain(ragged).chain(value_shape[1..].iter().map(|&dim| dim as i64)).collect()
}

/// Adds the index of each value of the rows `rows` of a dimension; `index` is that of what these are rows of.
fn add(splits: &[&[i64]], inner: &[usize], rows: Range<usize>, index: &mut Vec<i64>, indices: &mut Vec<i64>) {
    for (number, row) in rows.enumerate() {
        index.push(number as i64);
        match (splits.split_first(), inner.split_first()) {
            (Some((own, others)), _) => {
                add(others, inner, own[row] as usize..own[row + 1] as usize, index, indices);
            }
            (None, Some((&size, within))) => add(splits, within, 0..size, index, indices),
            (None, None) => indices.extend_from_slice(index),
        }
        index.pop();
    }
}
