//! Strings put together.

use feedline_data::block::{Column, StringsBuilder};
use feedline_plan::expr::axis_index;

use super::super::moves::View;
use super::super::rows::{RowsOf, once_for_constants, plan_rows};
use super::super::walk::Walk;
use super::super::{Arguments, Value};
use super::each::strings_of;

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

/// The shape of a row of the result, and which strings each of its places is of.
struct Reduced {
    shape: Vec<usize>,
    /// The dimensions that stay, as a view of the row.
    kept: View,
    /// The dimensions that go, the one that changes fastest last.
    gone: View,
}

pub(super) fn reduce_join(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let separator = arguments.call.text("separator").as_bytes();
    let (axes, keepdims) = (arguments.call.ints("axis"), arguments.call.flag("keepdims"));
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| reduced(shapes[0], axes.as_deref(), keepdims));
        let source = RowsOf::new(arguments.inputs[0]);
        let (_, strings) = strings_of(arguments);
        let mut joined = StringsBuilder::with_capacity(arguments.rows, strings.num_bytes());
        for row in 0..arguments.rows {
            let Some(plan) = plans.get(row) else { continue };
            let outer = Walk::new(&plan.kept.shape, [&plan.kept.strides]);
            let inner = Walk::new(&plan.gone.shape, [&plan.gone.strides]);
            outer.for_each([source.range(row).start], &mut |start| {
                joined.push_with(|bytes| {
                    let mut is_first = true;
                    inner.for_each(start, &mut |[place]| {
                        if !is_first {
                            bytes.extend_from_slice(separator);
                        }
                        is_first = false;
                        bytes.extend_from_slice(strings.get(place));
                    });
                });
            });
        }
        let column = Column::from_strings(vec![], joined.len(), joined.finish());
        vec![plans.shaped(column, arguments.rows, |plan| &plan.shape)]
    })
}

fn reduced(shape: &[usize], axes: Option<&[i64]>, keepdims: bool) -> Result<Reduced, String> {
    // Of several the first changes fastest; all of them are as if named from the last.
    let mut gone: Vec<usize> = match axes {
        None => (0..shape.len()).rev().collect(),
        Some(axes) => axes.iter().map(|&axis| axis_index(axis, shape.len())).collect::<Result<_, _>>()?,
    };
    if let Some(twice) = (1..gone.len()).find(|&at| gone[..at].contains(&gone[at])) {
        return Err(format!("axis {} is named twice", gone[twice]));
    }
    gone.reverse();
    let strides = View::whole(shape).strides;
    let of = |dims: &[usize]| View {
        offset: 0,
        shape: dims.iter().map(|&dim| shape[dim]).collect(),
        strides: dims.iter().map(|&dim| strides[dim]).collect(),
    };
    let kept: Vec<usize> = (0..shape.len()).filter(|dim| !gone.contains(dim)).collect();
    let result = (0..shape.len())
        .filter_map(|dim| if gone.contains(&dim) { keepdims.then_some(1) } else { Some(shape[dim]) });
    Ok(Reduced { shape: result.collect(), kept: of(&kept), gone: of(&gone) })
}
