//! Entries in any order.

use super::draws::Draws;
use crate::eval::arrays::{Entries, Taken, take};
use crate::eval::rows::{Plans, RowsOf};
use crate::eval::{Arguments, Value};

pub(super) fn random_shuffle(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let draws = Draws::of(arguments);
    let of = RowsOf::new(arguments.inputs[0]);
    let mut plans = Vec::with_capacity(arguments.rows);
    for (row, id) in arguments.ids.iter().enumerate() {
        let shape = of.shape(row);
        let Some(&count) = shape.first() else {
            arguments.fail(row, "a scalar has no first dimension");
            plans.push(None);
            continue;
        };
        // Fisher and Yates: every order is as likely as the others.
        let mut places: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            places.swap(last, draws.below(id, last, last as u64 + 1) as usize);
        }
        plans.push(Some(Taken::along(shape, 0, Entries::List(places))));
    }
    vec![Value::Rows(take(arguments, &Plans::Each(plans), None))]
}
