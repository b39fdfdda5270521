//! The largest values, and where they are.

use super::along::{along, by_run};
use super::order::places_in_order;
use crate::eval::elementwise::dispatch;
use crate::eval::{Arguments, Value};

pub(super) fn top_k(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let k = arguments.call.int("k") as usize;
    let enough = |length: usize| {
        if length < k { Err(format!("k is {k}, but the last dimension has {length} values")) } else { Ok(k) }
    };
    along(arguments, Some(&[-1]), enough, |column, runs| {
        dispatch!(numbers column.dtype(), T => {
            let values = by_run::<T, T>(column, runs, |values, results| {
                results.extend(places_in_order(values, true)[..k].iter().map(|&place| values[place]));
            });
            let places = by_run::<T, i32>(column, runs, |values, results| {
                results.extend(places_in_order(values, true)[..k].iter().map(|&place| place as i32));
            });
            vec![values, places]
        })
    })
}
