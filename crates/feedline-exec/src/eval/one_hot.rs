//! Indices as rows of zeros with a one.

use feedline_data::block::Column;
use feedline_data::{DType, Native};
use feedline_plan::expr::{Attribute, number_tensor, one_hot_axis};

use super::elementwise::dispatch;
use super::rows::{RowsOf, once_for_constants, plan_rows};
use super::{Arguments, Value};

/// Where the new dimension stands among those of the indices.
struct Place {
    shape: Vec<usize>,
    /// Indices before the new dimension together, and behind it.
    outer: usize,
    inner: usize,
}

pub(super) fn one_hot(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let Attribute::DType(dtype) = *call.attribute("dtype") else { unreachable!("checked to be a dtype") };
    let depth = call.int("depth") as usize;
    let value = |name: &str| number_tensor(call.attribute(name), dtype).expect("the plan checked the values");
    let (on, off) = (value("on_value"), value("off_value"));
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| {
            let indices = shapes[0];
            let axis = one_hot_axis(call.int("axis"), indices.len())?;
            let mut shape = indices.to_vec();
            shape.insert(axis, depth);
            let (outer, inner) = indices.split_at(axis);
            Ok(Place { shape, outer: outer.iter().product(), inner: inner.iter().product() })
        });
        let source = RowsOf::new(arguments.inputs[0]);
        let indices = as_places(source.column());
        let rows = 0..arguments.rows;
        let places = rows.filter_map(|row| plans.get(row).map(|place| (place, &indices[source.range(row)])));
        let values = dispatch!(widths dtype, Word => {
            let word = |column: &Column| column.buffer().expect("numbers lie in a buffer").as_slice::<Word>()[0];
            let values = mark(places, depth, word(on.as_column()), word(off.as_column()));
            Column::from_vec(vec![], values.len(), values).with_dtype(dtype)
        });
        vec![plans.shaped(values, arguments.rows, |place| &place.shape)]
    })
}

/// The indices as one type; those below 0 are outside whatever the depth.
fn as_places(column: &Column) -> Vec<usize> {
    fn convert<T: Native + TryInto<usize>>(column: &Column) -> Vec<usize> {
        column.as_slice::<T>().iter().map(|&index| index.try_into().unwrap_or(usize::MAX)).collect()
    }
    match column.dtype() {
        DType::UInt8 => convert::<u8>(column),
        DType::Int8 => convert::<i8>(column),
        DType::Int32 => convert::<i32>(column),
        DType::Int64 => convert::<i64>(column),
        other => unreachable!("the plan lets no {other} come here"),
    }
}

fn mark<'a, W: Native>(
    rows: impl Iterator<Item = (&'a Place, &'a [usize])>,
    depth: usize,
    on: W,
    off: W,
) -> Vec<W> {
    let mut values = Vec::new();
    for (place, indices) in rows {
        for outer in 0..place.outer {
            let start = values.len();
            values.resize(start + depth * place.inner, off);
            for inner in 0..place.inner {
                let index = indices[outer * place.inner + inner];
                if index < depth {
                    values[start + index * place.inner + inner] = on;
                }
            }
        }
    }
    values
}
