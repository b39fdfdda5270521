//! Different values, in the order they come first in.

use std::collections::HashMap;
use std::hash::Hash;

use feedline_data::DType;
use feedline_data::block::Column;

use super::entries::Entries;
use super::take::{Taken, take};
use crate::eval::elementwise::dispatch;
use crate::eval::rows::{RowsOf, once_for_constants, places_column, plan_rows};
use crate::eval::unary::Float;
use crate::eval::{Arguments, Value};

/// The different values of a row.
struct Different {
    /// Where each comes first.
    firsts: Vec<usize>,
    /// Which each value is.
    which: Vec<usize>,
}

pub(super) fn unique(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| found(arguments, false))
}

pub(super) fn unique_with_counts(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| found(arguments, true))
}

fn found(arguments: &mut Arguments<'_>, with_counts: bool) -> Vec<Column> {
    let dtype = arguments.call.dtype("out_idx");
    let are_lists = plan_rows(arguments, |shapes| match shapes[0] {
        [_] => Ok(()),
        other => Err(format!("takes one dimension, not shape {other:?}")),
    });
    let source = RowsOf::new(arguments.inputs[0]);
    let row = |row: usize| are_lists.get(row).map(|()| different(source.column(), source.range(row)));
    let rows: Vec<Option<Different>> = (0..arguments.rows).map(row).collect();
    let plans = rows.iter().enumerate().map(|(row, found)| {
        found.as_ref().map(|found| Taken::along(source.shape(row), 0, Entries::List(found.firsts.clone())))
    });
    let values = take(arguments, &crate::eval::rows::Plans::Each(plans.collect()), None);
    let of_rows = |places: &dyn Fn(&Different) -> Vec<usize>| {
        let each: Vec<Vec<usize>> = rows.iter().map(|found| found.as_ref().map_or(vec![], places)).collect();
        let shapes = each.iter().map(|places| vec![places.len()]).collect();
        places_column(dtype, each.concat()).with_shapes(shapes)
    };
    let mut columns = vec![values, of_rows(&|found| found.which.clone())];
    if with_counts {
        columns.push(of_rows(&|found| {
            let mut counts = vec![0; found.firsts.len()];
            found.which.iter().for_each(|&which| counts[which] += 1);
            counts
        }));
    }
    columns
}

fn different(column: &Column, range: std::ops::Range<usize>) -> Different {
    match column.dtype() {
        DType::String => {
            let strings = column.strings().expect("strings");
            by_key(range.map(|at| Some(strings.get(at))))
        }
        // The two zeros are one number; not-a-number is like no other.
        float if float.is_float() => dispatch!(floats float, T => {
            let values = column.as_slice::<T>()[range].iter().map(|value| value.widen());
            by_key(values.map(|value| (!value.is_nan()).then(|| if value == 0.0 { 0 } else { value.to_bits() })))
        }),
        other => dispatch!(widths other, Word => {
            let words = column.buffer().expect("numbers lie in a buffer").as_slice::<Word>();
            by_key(words[range].iter().map(|&word| Some(word)))
        }),
    }
}

fn by_key<K: Hash + Eq>(keys: impl Iterator<Item = Option<K>>) -> Different {
    let mut known: HashMap<K, usize> = HashMap::new();
    let mut found = Different { firsts: Vec::new(), which: Vec::new() };
    for (at, key) in keys.enumerate() {
        let next = found.firsts.len();
        let which = key.map_or(next, |key| *known.entry(key).or_insert(next));
        if which == next {
            found.firsts.push(at);
        }
        found.which.push(which);
    }
    found
}
