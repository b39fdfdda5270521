//! Parts of tensors and dimensions in another order: slices, transposition, dimensions of size 1 that come and go.

use feedline_data::Native;
use feedline_data::block::Column;
use feedline_plan::expr::{
    Attribute, Slice, axis_index, expand_slices, permutation, place_of_index, squeezed_mask, taken_of_range,
};

use super::moves::{Move, View, move_values};
use super::rows::{Plans, RowsOf, once_for_constants, plan_rows};
use super::{Arguments, Value};

pub(super) fn strided_slice(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let Attribute::Slices(slices) = arguments.call.attribute("slices") else {
        unreachable!("checked to be slices")
    };
    views(arguments, |shape| sliced(slices, shape))
}

pub(super) fn expand_dims(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axis = arguments.call.int("axis");
    views(arguments, |shape| {
        let mut expanded = shape.to_vec();
        expanded.insert(axis_index(axis, shape.len() + 1)?, 1);
        Ok(View::whole(&expanded))
    })
}

pub(super) fn squeeze(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axes = arguments.call.ints("axis");
    views(arguments, |shape| {
        let dims: Vec<Option<usize>> = shape.iter().copied().map(Some).collect();
        let gone = squeezed_mask(axes.as_deref(), &dims)?;
        let left: Vec<usize> =
            shape.iter().zip(gone).filter(|(_, gone)| !gone).map(|(dim, _)| *dim).collect();
        Ok(View::whole(&left))
    })
}

pub(super) fn transpose(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let perm = arguments.call.ints("perm");
    views(arguments, |shape| {
        let whole = View::whole(shape);
        let order = permutation(perm.as_deref(), shape.len())?;
        Ok(View {
            offset: 0,
            shape: order.iter().map(|&axis| whole.shape[axis]).collect(),
            strides: order.iter().map(|&axis| whole.strides[axis]).collect(),
        })
    })
}

/// What slices take of a tensor.
fn sliced(slices: &[Slice], shape: &[usize]) -> Result<View, String> {
    let whole = View::whole(shape);
    let mut taken = View { offset: 0, shape: Vec::new(), strides: Vec::new() };
    let mut dim = 0;
    for slice in expand_slices(slices, shape.len())? {
        match slice {
            Slice::NewAxis => {
                taken.shape.push(1);
                taken.strides.push(0);
                continue;
            }
            Slice::At(index) => {
                taken.offset += place_of_index(index, shape[dim])? * whole.strides[dim] as usize;
            }
            Slice::Range { begin, end, step } => {
                let range = taken_of_range(begin, end, step, shape[dim]);
                taken.shape.push(range.count);
                if range.count > 0 {
                    taken.offset += range.start * whole.strides[dim] as usize;
                }
                // A step over all there is may be any number; a lone place has none.
                let step = if range.count > 1 { range.step as isize } else { 0 };
                taken.strides.push(whole.strides[dim] * step);
            }
            Slice::Ellipsis => unreachable!("no ellipsis is left"),
        }
        dim += 1;
    }
    Ok(taken)
}

/// The part of each row that `view` says.
fn views(arguments: &mut Arguments<'_>, view: impl Fn(&[usize]) -> Result<View, String>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let plans = plan_rows(arguments, |shapes| view(shapes[0]));
        let values = copy_views(RowsOf::new(arguments.inputs[0]), &plans, arguments.rows, |view| view);
        vec![plans.shaped(values, arguments.rows, |view| &view.shape)]
    })
}

/// The values of the views of all rows; the column's own memory where that is all of them as they are.
pub(super) fn copy_views<P>(
    source: RowsOf<'_>,
    plans: &Plans<P>,
    rows: usize,
    view: impl Fn(&P) -> &View,
) -> Column {
    let is_whole =
        |row: usize| plans.get(row).is_some_and(|plan| view(plan).is_whole(source.range(row).len()));
    let num_plans = if matches!(plans, Plans::Same(_)) { 1 } else { rows };
    // A constant among rows is met once, and wanted in each.
    let is_each_row = source.column().rows() == rows;
    if is_each_row && (0..num_plans).all(is_whole) {
        return source.column().clone();
    }
    let whole = match plans {
        Plans::Same(plan) => Some(view(plan).of_rows(rows, source.step())),
        Plans::Each(_) => None,
    };
    let each = |row: usize| plans.get(row).map(|plan| (source.range(row).start, view(plan)));
    move_values(&[source.column()], &CopyViews { whole, each, rows })
}

struct CopyViews<E> {
    /// One view for all rows.
    whole: Option<View>,
    /// Else the view of each and where its row begins.
    each: E,
    rows: usize,
}

impl<'a, E: Fn(usize) -> Option<(usize, &'a View)>> Move for CopyViews<E> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let mut values = Vec::new();
        if let Some(whole) = &self.whole {
            whole.copy_into(inputs[0], &mut values);
            return values;
        }
        for (start, view) in (0..self.rows).filter_map(&self.each) {
            view.copy_into(&inputs[0][start..], &mut values);
        }
        values
    }
}
