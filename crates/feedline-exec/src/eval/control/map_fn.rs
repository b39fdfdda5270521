//! A function of each entry of a dimension.

use feedline_data::block::{Column, Ids, mix};
use feedline_data::{Shape, TensorSpec};

use super::entries::{Entries, stacked};
use super::{Part, held, one_of};
use crate::eval::rows::bytes_of;
use crate::eval::{Arguments, Value};

/// Bytes of what is captured, for each of so many entries of each row.
fn captured_bytes(captures: &[Value], counts: &[usize]) -> usize {
    let of_value = |value: &Value| match value {
        Value::Rows(column) => counts.iter().enumerate().fold(0_usize, |bytes, (row, &count)| {
            let own = bytes_of(column.dtype(), column.value_range(row..row + 1).len());
            bytes.saturating_add(own.saturating_mul(count))
        }),
        Value::Constant(_) => 0,
    };
    captures.iter().map(of_value).fold(0, usize::saturating_add)
}

/// The dimensions of what there is none of, as far as they are known.
fn unknown_as_0(shape: &Shape) -> impl Fn(usize) -> Vec<usize> {
    let dims: Vec<usize> = shape.dims().unwrap_or_default().iter().map(|dim| dim.unwrap_or(0)).collect();
    move |_| dims.clone()
}

pub(super) fn map_fn(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let num_elems = arguments.call.int("num_elems") as usize;
    let entries = Entries::of(arguments, 0..num_elems);
    let owners = entries.owners();
    let body = &arguments.bodies[0];
    let outputs = arguments.call.bodies()[0].specs();
    if owners.is_empty() {
        let nothing = |spec: &TensorSpec| {
            let none = Value::Constant(super::repeated::blank(spec.dtype)).to_rows(1).gather(&[]);
            Value::Rows(stacked(arguments, &none, &entries.counts, unknown_as_0(&spec.shape)))
        };
        return outputs.iter().map(nothing).collect();
    }
    // Each entry is a row, with an id of its own.
    let places = entries.counts.iter().flat_map(|&count| 0..count);
    let ids = owners.iter().zip(places).map(|(&row, place)| mix(arguments.ids.get(row), place as u64 + 1));
    let part = Part { ids: Ids::list(ids.collect()), rows: owners.clone() };
    let captures: Vec<Value> = arguments.inputs[num_elems..].iter().map(|&value| value.clone()).collect();
    let elems: Vec<Value> = entries.columns.iter().cloned().map(Value::Rows).collect();
    let results = if captured_bytes(&captures, &entries.counts) > arguments.asked_from_bytes() {
        // Of what is captured there would be as many copies as entries.
        let inputs = |place: usize, row: usize| [one_of(&elems, place), one_of(&captures, row)].concat();
        part.run_one_by_one(body, inputs, arguments)
    } else {
        let captures = captures.iter().map(|value| match value {
            Value::Rows(column) => Value::Rows(column.gather(&owners)),
            Value::Constant(tensor) => Value::Constant(tensor.clone()),
        });
        part.run(body, elems.into_iter().chain(captures).collect(), arguments)
    };
    let stack = |(column, spec): (&Column, &TensorSpec)| {
        stacked(arguments, column, &entries.counts, unknown_as_0(&spec.shape))
    };
    let columns = results.iter().zip(&outputs).map(stack).collect();
    held(arguments, columns)
}
