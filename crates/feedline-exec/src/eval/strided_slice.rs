//! Parts of tensors by the rules of slices.

use feedline_plan::expr::{Attribute, Slice, expand_slices, place_of_index, taken_of_range};

use super::moves::View;
use super::view::views;
use super::{Arguments, Value};

pub(super) fn strided_slice(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let Attribute::Slices(slices) = arguments.call.attribute("slices") else {
        unreachable!("checked to be slices")
    };
    views(arguments, |shape| sliced(slices, shape))
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
