//! States that go from turn to turn.

use feedline_data::DType;
use feedline_data::block::{Column, Strings, Tensor};

use super::entries::Entries;
use super::{Part, replaced};
use crate::eval::elementwise::dispatch;
use crate::eval::rows::{Asked, ask_rows, bytes_of};
use crate::eval::{Arguments, Value};

/// What a function gave for a state and one entry after the other.
pub(super) struct Folded {
    pub(super) last: Vec<Column>,
    /// The rows of each turn, and the states they had then.
    pub(super) turns: Vec<(Vec<usize>, Vec<Column>)>,
    /// How many turns each row had.
    pub(super) counts: Vec<usize>,
}

impl Folded {
    /// Which rows of all turns together are those of each row, in order.
    pub(super) fn picks(&self) -> Vec<usize> {
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
pub(super) fn fold(arguments: &mut Arguments<'_>, is_kept: bool) -> Option<Folded> {
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
pub(super) fn states(arguments: &Arguments<'_>, count: usize) -> Vec<Column> {
    arguments.inputs[..count].iter().map(|value| value.to_rows(arguments.rows)).collect()
}

/// What a function gets for the rows of `part`: states, entries, and what it captured, the inputs from `first` on.
pub(super) fn inputs_of(
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
