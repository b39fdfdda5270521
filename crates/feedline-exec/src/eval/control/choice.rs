//! One of several functions for each row.

use feedline_data::block::Column;

use super::{Part, held};
use crate::eval::rows::{RowsOf, as_ints};
use crate::eval::{Arguments, Value};

/// What the function gives that `branch` names for what is in the first input.
pub(super) fn choose(arguments: &mut Arguments<'_>, branch: impl Fn(i64) -> usize) -> Vec<Value> {
    let by = RowsOf::new(arguments.inputs[0]);
    let values = as_ints(by.column());
    let mut rows = vec![Vec::new(); arguments.bodies.len()];
    for row in 0..arguments.rows {
        match values[by.range(row)] {
            [value] if by.shape(row).is_empty() => rows[branch(value)].push(row),
            _ => {
                arguments
                    .fail(row, &format!("what is chosen by is a scalar, not of shape {:?}", by.shape(row)));
                // It has a place all the same.
                rows[0].push(row);
            }
        }
    }
    let mut picks = vec![0; arguments.rows];
    let mut parts: Vec<Vec<Column>> = Vec::new();
    let mut num_done = 0;
    for (rows, body) in rows.into_iter().zip(arguments.bodies) {
        if rows.is_empty() {
            continue;
        }
        let part = Part::new(arguments, rows);
        part.rows.iter().enumerate().for_each(|(place, &row)| picks[row] = num_done + place);
        num_done += part.rows.len();
        let inputs = arguments.inputs[1..].iter().map(|value| part.of(value)).collect();
        parts.push(part.run(body, inputs, arguments));
    }
    if parts.len() > 1 {
        let output = |output: usize| {
            let columns: Vec<Column> = parts.iter().map(|part| part[output].clone()).collect();
            Column::concat(&columns).gather(&picks)
        };
        let merged = (0..parts[0].len()).map(output).collect();
        return held(arguments, merged);
    }
    held(arguments, parts.remove(0))
}
