//! Numbers in order, and where they are: `sort` and `argsort`.

use super::along::{along, by_run};
use super::order::{compared, places_in_order};
use crate::eval::elementwise::dispatch;
use crate::eval::{Arguments, Value};

pub(super) fn sort(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let is_descending = call.text("direction") == "DESCENDING";
    along(arguments, Some(&[call.int("axis")]), Ok, |column, runs| {
        vec![dispatch!(numbers column.dtype(), T => by_run::<T, T>(column, runs, |values, results| {
            let start = results.len();
            results.extend_from_slice(values);
            results[start..].sort_by(|one, two| compared(*one, *two, is_descending));
        }))]
    })
}

pub(super) fn argsort(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let is_descending = call.text("direction") == "DESCENDING";
    along(arguments, Some(&[call.int("axis")]), Ok, |column, runs| {
        vec![dispatch!(numbers column.dtype(), T => by_run::<T, i32>(column, runs, |values, results| {
            results.extend(places_in_order(values, is_descending).into_iter().map(|place| place as i32));
        }))]
    })
}
