//! Strings of several tensors put together.

use feedline_data::block::{Column, StringsBuilder};

use super::super::rows::{RowsOf, once_for_constants, plan_rows};
use super::super::{Arguments, Value};

pub(super) fn join(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let separator = arguments.call.text("separator").as_bytes();
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| {
            let mut several = shapes.iter().filter(|shape| !shape.is_empty());
            let first = several.next().copied().unwrap_or(&[]);
            match several.find(|shape| **shape != first) {
                Some(other) => Err(format!("tensors of the shapes {first:?} and {other:?} are not joined")),
                None => Ok(first.to_vec()),
            }
        });
        let inputs: Vec<RowsOf<'_>> = arguments.inputs.iter().map(|&input| RowsOf::new(input)).collect();
        let strings: Vec<_> = inputs
            .iter()
            .map(|input| input.column().strings().expect("the plan lets only strings come here"))
            .collect();
        let num_places = |row| plans.get(row).map_or(0, |shape| shape.iter().product::<usize>());
        let count = (0..arguments.rows).map(num_places).sum();
        let num_bytes: usize = strings.iter().map(|strings| strings.num_bytes()).sum();
        let separators_bytes = separator.len() * inputs.len().saturating_sub(1);
        let most_bytes = num_bytes + count * separators_bytes;
        let is_asked_for = most_bytes > arguments.asked_from_bytes();
        let mut joined = StringsBuilder::with_capacity(count, if is_asked_for { 0 } else { most_bytes });
        let mut joined_bytes = 0;
        let mut sources = Vec::with_capacity(inputs.len());
        for row in 0..arguments.rows {
            // Of each input its strings, where those of the row begin, and how far the next place is: a single string is for all.
            sources.clear();
            sources.extend(inputs.iter().zip(&strings).map(|(input, strings)| {
                (strings, input.range(row).start, usize::from(!input.shape(row).is_empty()))
            }));
            if is_asked_for {
                let own_bytes = |place: usize| {
                    let lengths =
                        sources.iter().map(|(strings, start, step)| strings.get(start + place * step).len());
                    lengths.sum::<usize>() + separators_bytes
                };
                let own_bytes = (0..num_places(row)).map(own_bytes).sum();
                if arguments.is_too_large(row, own_bytes) {
                    // Nothing is made of it, but its places are there.
                    (0..num_places(row)).for_each(|_| joined.push(b""));
                    continue;
                }
                joined_bytes += own_bytes;
                if !arguments.admits(row, joined_bytes) {
                    return Vec::new();
                }
            }
            for place in 0..num_places(row) {
                joined.push_with(|bytes| {
                    for (index, (strings, start, step)) in sources.iter().enumerate() {
                        if index > 0 {
                            bytes.extend_from_slice(separator);
                        }
                        bytes.extend_from_slice(strings.get(start + place * step));
                    }
                });
            }
        }
        let column = Column::from_strings(vec![], joined.len(), joined.finish());
        vec![plans.shaped(column, arguments.rows, |shape| shape)]
    })
}
