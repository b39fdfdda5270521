//! Strings along dimensions put together.

use feedline_data::block::{Column, StringsBuilder};
use feedline_plan::expr::axis_index;

use super::super::moves::View;
use super::super::rows::{RowsOf, once_for_constants, plan_rows};
use super::super::walk::Walk;
use super::super::{Arguments, Value};
use super::each::strings_of;

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
