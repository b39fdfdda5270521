//! Sums and products of what comes first: `cumsum` and `cumprod`.

use super::Summed;
use super::along::{along, by_run};
use crate::eval::arithmetic::Number;
use crate::eval::elementwise::dispatch;
use crate::eval::{Arguments, Value};

pub(super) fn cumsum(arguments: &mut Arguments<'_>) -> Vec<Value> {
    scan::<false>(arguments)
}

pub(super) fn cumprod(arguments: &mut Arguments<'_>) -> Vec<Value> {
    scan::<true>(arguments)
}

pub(super) fn scan<const IS_PRODUCT: bool>(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let (is_exclusive, is_reversed) = (call.flag("exclusive"), call.flag("reverse"));
    along(arguments, Some(&[call.int("axis")]), Ok, |column, runs| {
        vec![dispatch!(numbers column.dtype(), T => by_run::<T, T>(column, runs, |values, results| {
            let start = results.len();
            results.extend_from_slice(values);
            let own = &mut results[start..];
            if is_reversed {
                own.reverse();
            }
            let mut total = if IS_PRODUCT { <T as Summed>::ONE } else { <T as Summed>::ZERO };
            for value in own.iter_mut() {
                let before = total;
                total = if IS_PRODUCT { total.times(value.to_sum()) } else { total.plus(value.to_sum()) };
                *value = T::of_sum(if is_exclusive { before } else { total });
            }
            if is_reversed {
                own.reverse();
            }
        }))]
    })
}
