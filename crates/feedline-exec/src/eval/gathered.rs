//! Entries picked by computed indices.

use feedline_data::block::Column;
use feedline_data::{DType, Native};
use feedline_plan::expr::gathered_dims;

use super::moves::{Move, move_values};
use super::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use super::{Arguments, Value};

/// How the entries of a row lie.
struct Entries {
    shape: Vec<usize>,
    /// Entries of the batch, each with indices of its own.
    batches: usize,
    /// Times the dimension occurs in each, its size, and the values of one entry.
    outer: usize,
    size: usize,
    inner: usize,
}

pub(super) fn gathered(arguments: &mut Arguments<'_>, axis: Option<i64>, batch_dims: i64) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| {
            let (params, indices) = (shapes[0], shapes[1]);
            let (axis, batch) = gathered_dims(axis, batch_dims, params.len(), indices.len())?;
            if params[..batch] != indices[..batch] {
                return Err(format!(
                    "params of shape {params:?} and indices of shape {indices:?} are not the same {batch} batches"
                ));
            }
            Ok(Entries {
                shape: [&params[..axis], &indices[batch..], &params[axis + 1..]].concat(),
                batches: params[..batch].iter().product(),
                outer: params[batch..axis].iter().product(),
                size: params[axis],
                inner: params[axis + 1..].iter().product(),
            })
        });
        let (params, picked) = (RowsOf::new(arguments.inputs[0]), RowsOf::new(arguments.inputs[1]));
        let indices = as_indices(picked.column());
        for row in 0..arguments.rows {
            let Some(entries) = plans.get(row) else { continue };
            let own = &indices[picked.range(row)];
            if let Some(bad) = own.iter().position(|index| !is_within(*index, entries.size)) {
                let place = index_text(picked.shape(row), bad);
                let (index, size) = (own[bad], entries.size);
                arguments.fail(row, &format!("indices{place} = {index} is not in [0, {size})"));
            }
        }
        let pick = Pick { plans: &plans, params, picked, indices: &indices, rows: arguments.rows };
        let values = move_values(&[params.column()], &pick);
        vec![plans.shaped(values, arguments.rows, |entries| &entries.shape)]
    })
}

fn as_indices(column: &Column) -> Vec<i64> {
    match column.dtype() {
        DType::Int16 => column.as_slice::<i16>().iter().map(|&index| index.into()).collect(),
        DType::Int32 => column.as_slice::<i32>().iter().map(|&index| index.into()).collect(),
        DType::Int64 => column.as_slice::<i64>().to_vec(),
        other => unreachable!("the plan lets no {other} come here"),
    }
}

fn is_within(index: i64, size: usize) -> bool {
    usize::try_from(index).is_ok_and(|index| index < size)
}

/// Where in a tensor of `shape` value number `at` is: `[1,0]`.
fn index_text(shape: &[usize], at: usize) -> String {
    let mut rest = at;
    let mut places = Vec::new();
    for &dim in shape.iter().rev() {
        places.push((rest % dim).to_string());
        rest /= dim;
    }
    places.reverse();
    if places.is_empty() { String::new() } else { format!("[{}]", places.join(",")) }
}

struct Pick<'a> {
    plans: &'a Plans<Entries>,
    params: RowsOf<'a>,
    picked: RowsOf<'a>,
    indices: &'a [i64],
    rows: usize,
}

impl Move for Pick<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], fill: W) -> Vec<W> {
        let mut values = Vec::new();
        for row in 0..self.rows {
            let Some(entries) = self.plans.get(row) else { continue };
            let params = &inputs[0][self.params.range(row)];
            let indices = &self.indices[self.picked.range(row)];
            let each = indices.len().checked_div(entries.batches).unwrap_or(0);
            for outer in 0..entries.batches * entries.outer {
                let batch = outer / entries.outer;
                for &index in &indices[batch * each..(batch + 1) * each] {
                    if is_within(index, entries.size) {
                        let start = (outer * entries.size + index as usize) * entries.inner;
                        values.extend_from_slice(&params[start..start + entries.inner]);
                    } else {
                        values.extend(std::iter::repeat_n(fill, entries.inner));
                    }
                }
            }
        }
        values
    }
}
