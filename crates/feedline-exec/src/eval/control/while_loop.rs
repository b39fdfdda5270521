//! A function again and again, as long as another says so.

use feedline_data::block::Column;

use super::repeated::{inputs_of, states};
use super::{Part, held, replaced};
use crate::eval::rows::RowsOf;
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
