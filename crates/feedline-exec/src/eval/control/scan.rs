//! A state taken through the entries of a dimension, kept behind each.

use feedline_data::block::Column;

use super::entries::stacked;
use super::held;
use super::repeated::{blank, fold};
use crate::eval::{Arguments, Value};

pub(super) fn scan(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let specs = arguments.call.bodies()[0].specs();
    let Some(folded) = fold(arguments, true) else { return Vec::new() };
    let output = |(output, spec): (usize, &feedline_data::TensorSpec)| {
        let turns: Vec<Column> = folded.turns.iter().map(|(_, columns)| columns[output].clone()).collect();
        let column = if turns.is_empty() {
            Value::Constant(blank(spec.dtype)).to_rows(1).gather(&[])
        } else {
            Column::concat(&turns).gather(&folded.picks())
        };
        // A row without entries still has the state it began with, which tells the sizes that are not known before.
        let first = |row: usize| {
            let state = folded.last[output].shape(row);
            match spec.shape.dims() {
                Some(dims) if dims.len() == state.len() => {
                    dims.iter().zip(state).map(|(dim, size)| dim.unwrap_or(*size)).collect()
                }
                Some(dims) => dims.iter().map(|dim| dim.unwrap_or(0)).collect(),
                None => state.to_vec(),
            }
        };
        stacked(arguments, &column, &folded.counts, first)
    };
    let columns = specs.iter().enumerate().map(output).collect();
    held(arguments, columns)
}
