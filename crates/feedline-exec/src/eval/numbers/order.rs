//! Numbers in order: the largest, the smallest, all of them, and where they are.

use std::cmp::Ordering;

use feedline_data::{DType, Native};

use super::along::{along, by_run};
use crate::eval::elementwise::dispatch;
use crate::eval::reduce::{by_group, reduce_over};
use crate::eval::rows::places_column;
use crate::eval::{Arguments, Value};

/// Numbers with an order, in which not-a-number comes last, whichever way it goes.
pub(super) trait Ordered: Native {
    fn is_nothing(self) -> bool;
    fn ascending(self, other: Self) -> Ordering;
}

macro_rules! ordered {
    (integers $($rust:ty),*) => {$(
        impl Ordered for $rust {
            fn is_nothing(self) -> bool {
                false
            }
            fn ascending(self, other: $rust) -> Ordering {
                self.cmp(&other)
            }
        }
    )*};
    (floats $($rust:ty),*) => {$(
        impl Ordered for $rust {
            fn is_nothing(self) -> bool {
                self.is_nan()
            }
            fn ascending(self, other: $rust) -> Ordering {
                self.partial_cmp(&other).unwrap_or(Ordering::Equal)
            }
        }
    )*};
}

ordered!(integers i8, i16, i32, i64, u8, u16, u32, u64);
ordered!(floats half::f16, half::bf16, f32, f64);

fn compared<T: Ordered>(one: T, two: T, is_descending: bool) -> Ordering {
    match (one.is_nothing(), two.is_nothing()) {
        (false, false) if is_descending => two.ascending(one),
        (false, false) => one.ascending(two),
        (one, two) => one.cmp(&two),
    }
}

pub(super) fn argmax(arguments: &mut Arguments<'_>) -> Vec<Value> {
    extreme(arguments, true)
}

pub(super) fn argmin(arguments: &mut Arguments<'_>) -> Vec<Value> {
    extreme(arguments, false)
}

fn extreme(arguments: &mut Arguments<'_>, is_largest: bool) -> Vec<Value> {
    let (axis, dtype) = (arguments.call.int("axis"), arguments.call.dtype("output_type"));
    fail_empty(arguments, axis);
    reduce_over(arguments, Some(&[axis]), false, |column, groups| {
        // False is before true, as 0 is before 1, which is how they lie in memory.
        let bools = (column.dtype() == DType::Bool).then(|| column.clone().with_dtype(DType::UInt8));
        let column = bools.as_ref().unwrap_or(column);
        let places = dispatch!(numbers column.dtype(), T => by_group::<T, i64>(column, groups, |values: &[T]| {
            let places = 0..values.len();
            let first = |one: &usize, two: &usize| {
                compared(values[*one], values[*two], is_largest).then(one.cmp(two))
            };
            places.min_by(first).unwrap_or(0) as i64
        }));
        if dtype == DType::Int64 {
            return places;
        }
        places_column(dtype, places.as_slice::<i64>().iter().map(|&place| place as usize).collect())
    })
}

/// Where there is nothing to choose from, there is no place.
fn fail_empty(arguments: &mut Arguments<'_>, axis: i64) {
    let of = crate::eval::rows::RowsOf::new(arguments.inputs[0]);
    for row in 0..arguments.rows {
        let shape = of.shape(row);
        if feedline_plan::expr::axis_index(axis, shape.len()).is_ok_and(|axis| shape[axis] == 0) {
            arguments.fail(row, &format!("dimension {axis} of shape {shape:?} has no values"));
        }
    }
}

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

fn places_in_order<T: Ordered>(values: &[T], is_descending: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&one, &two| compared(values[one], values[two], is_descending));
    places
}
