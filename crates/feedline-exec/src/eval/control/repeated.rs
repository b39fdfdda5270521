//! Functions applied to what they gave: while a condition holds, or to one entry after the other.

use feedline_data::DType;
use feedline_data::block::{Column, Strings, Tensor};

use super::entries::{Entries, stacked};
use super::{Part, held, replaced};
use crate::eval::elementwise::dispatch;
use crate::eval::rows::{Asked, RowsOf, ask_rows, bytes_of};
use crate::eval::{Arguments, Value};

pub(super) fn while_loop(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let num_vars = arguments.call.int("num_vars") as usize;
    let (condition, body) = (&arguments.bodies[0], &arguments.bodies[1]);
    let mut vars: Vec<Column> = states(arguments, num_vars);
    let mut active: Vec<usize> = (0..arguments.rows).collect();
    for turn in 0..arguments.call.int("maximum_iterations") as usize {
        active.retain(|row| !arguments.failures.contains_key(row));
        if active.is_empty() {
            break;
        }
        let part = Part::new(arguments, active).in_turn(turn);
        let inputs = inputs_of(arguments, &part, &vars, &[], num_vars);
        let holds = part.run(condition, inputs, arguments).remove(0);
        let going = going_on(arguments, &part, &holds);
        if going.is_empty() {
            break;
        }
        let part = Part::new(arguments, going.clone()).in_turn(turn);
        let inputs = inputs_of(arguments, &part, &vars, &[], num_vars);
        let new = part.run(body, inputs, arguments);
        vars = replaced(&vars, &part, new);
        active = going;
    }
    held(arguments, vars)
}

/// Rows of `part` for which the condition holds, and did not fail.
fn going_on(arguments: &mut Arguments<'_>, part: &Part, holds: &Column) -> Vec<usize> {
    let of = RowsOf::of_column(holds);
    let mut going = Vec::new();
    for (place, &row) in part.rows.iter().enumerate() {
        if arguments.failures.contains_key(&row) {
            continue;
        }
        match holds.as_slice::<u8>()[of.range(place)] {
            [holds] if of.shape(place).is_empty() => going.extend((holds != 0).then_some(row)),
            _ => {
                let shape = of.shape(place);
                arguments.fail(row, &format!("the condition gives one bool, not shape {shape:?}"));
            }
        }
    }
    going
}

pub(super) fn foldl(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let folded = fold(arguments, false).expect("nothing is asked for before the end");
    held(arguments, folded.last)
}

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

/// What a function gave for a state and one entry after the other.
struct Folded {
    last: Vec<Column>,
    /// The rows of each turn, and the states they had then.
    turns: Vec<(Vec<usize>, Vec<Column>)>,
    /// How many turns each row had.
    counts: Vec<usize>,
}

impl Folded {
    /// Which rows of all turns together are those of each row, in order.
    fn picks(&self) -> Vec<usize> {
        let mut of_rows: Vec<Vec<usize>> = vec![Vec::new(); self.counts.len()];
        let mut at = 0;
        for (rows, _) in &self.turns {
            for &row in rows {
                of_rows[row].push(at);
                at += 1;
            }
        }
        of_rows.concat()
    }
}

/// What comes of all turns; `None` if the allowance was told to stop before the first.
fn fold(arguments: &mut Arguments<'_>, is_kept: bool) -> Option<Folded> {
    let call = arguments.call;
    let (num_states, num_elems) = (call.int("num_states") as usize, call.int("num_elems") as usize);
    let mut entries = Entries::of(arguments, num_states..num_states + num_elems);
    let body = &arguments.bodies[0];
    let mut last: Vec<Column> = states(arguments, num_states);
    let mut turns = Vec::new();
    if is_kept {
        // States are about as large as the first: so it is known before what all of them together come to.
        let state_bytes = |row: usize| {
            let of_state = |column: &Column| bytes_of(column.dtype(), column.value_range(row..row + 1).len());
            last.iter().map(of_state).sum::<usize>()
        };
        match ask_rows(arguments, |row| state_bytes(row).saturating_mul(entries.counts[row])) {
            Asked::Open => {}
            Asked::Failed => entries.counts.fill(0),
            Asked::Stopped => return None,
        }
    }
    let mut kept_bytes = 0_usize;
    for turn in 0..entries.counts.iter().copied().max().unwrap_or(0) {
        let rows: Vec<usize> = (0..arguments.rows).filter(|&row| entries.counts[row] > turn).collect();
        let places: Vec<usize> = rows.iter().map(|&row| entries.starts[row] + turn).collect();
        let elems: Vec<Column> = entries.columns.iter().map(|column| column.gather(&places)).collect();
        let part = Part::new(arguments, rows).in_turn(turn);
        let inputs = inputs_of(arguments, &part, &last, &elems, num_states + num_elems);
        let new = part.run(body, inputs, arguments);
        last = replaced(&last, &part, new.clone());
        if is_kept {
            let bytes = new.iter().map(|column| bytes_of(column.dtype(), column.num_values()));
            kept_bytes = bytes.fold(kept_bytes, usize::saturating_add);
            turns.push((part.rows, new));
            // Where states grow on the way.
            if arguments.rows == 1 && !arguments.admits(0, kept_bytes) {
                return None;
            }
            if arguments.rows == 1 && arguments.failures.contains_key(&0) {
                turns.clear();
                entries.counts.fill(0);
                break;
            }
        }
    }
    Some(Folded { last, turns, counts: entries.counts })
}

/// The first values of a call, a row each.
fn states(arguments: &Arguments<'_>, count: usize) -> Vec<Column> {
    arguments.inputs[..count].iter().map(|value| value.to_rows(arguments.rows)).collect()
}

/// What a function gets for the rows of `part`: states, entries, and what it captured, the inputs from `first` on.
fn inputs_of(
    arguments: &Arguments<'_>,
    part: &Part,
    states: &[Column],
    elems: &[Column],
    first: usize,
) -> Vec<Value> {
    let states = states.iter().map(|column| part.of(&Value::Rows(column.clone())));
    let elems = elems.iter().cloned().map(Value::Rows);
    let captures = arguments.inputs[first..].iter().map(|value| part.of(value));
    states.chain(elems).chain(captures).collect()
}

/// Some value of that type.
pub(super) fn blank(dtype: DType) -> Tensor {
    if dtype == DType::String {
        return Tensor::from_strings(vec![], [""].iter().collect::<Strings>());
    }
    dispatch!(widths dtype, Word => {
        let zero: Word = 0;
        Tensor::of_row(&Column::from_vec(vec![], 1, vec![zero]).with_dtype(dtype), 0)
    })
}
