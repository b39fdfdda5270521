//! Where values belong in a sequence in order.

use std::cmp::Ordering;

use super::order::Ordered;
use crate::eval::elementwise::dispatch;
use crate::eval::rows::{RowsOf, once_for_constants, places_column, plan_rows};
use crate::eval::{Arguments, Value};

pub(super) fn searchsorted(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (side, dtype) = (arguments.call.text("side").to_owned(), arguments.call.dtype("out_type"));
    let is_left = side == "left";
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| match (shapes[0], shapes[1]) {
            ([one @ .., length], [two @ .., count])
                if one.iter().product::<usize>() == two.iter().product::<usize>() =>
            {
                Ok((shapes[1].to_vec(), two.iter().product::<usize>(), *length, *count))
            }
            (one, two) => Err(format!("shapes {one:?} and {two:?} have not as many rows as each other")),
        });
        let (sequences, values) = (RowsOf::new(arguments.inputs[0]), RowsOf::new(arguments.inputs[1]));
        let mut places = Vec::new();
        for row in 0..arguments.rows {
            let Some(&(_, runs, length, count)) = plans.get(row) else { continue };
            dispatch!(numbers sequences.column().dtype(), T => {
                let sequence = &sequences.column().as_slice::<T>()[sequences.range(row)];
                let wanted = &values.column().as_slice::<T>()[values.range(row)];
                for run in 0..runs {
                    let sequence = &sequence[run * length..(run + 1) * length];
                    places.extend(wanted[run * count..(run + 1) * count].iter().map(|&value| {
                        sequence.partition_point(|&other| match other.ascending(value) {
                            Ordering::Less => true,
                            Ordering::Equal => !is_left,
                            Ordering::Greater => false,
                        })
                    }));
                }
            });
        }
        vec![plans.shaped(places_column(dtype, places), arguments.rows, |plan| &plan.0)]
    })
}
