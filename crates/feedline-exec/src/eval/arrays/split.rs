//! A tensor cut into parts.

use feedline_plan::expr::{Attribute, axis_index, split_sizes};

use super::entries::Entries;
use super::rearrange::parts;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn split(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let is_number = matches!(call.attribute("num_or_size_splits"), Attribute::Int(_));
    let splits = call.ints("num_or_size_splits").expect("the plan checked that there are some");
    let num_parts = if is_number { splits[0] as usize } else { splits.len() };
    let part = |part: usize, shape: &[usize]| {
        let axis = axis_index(call.int("axis"), shape.len())?;
        let sizes: Vec<usize> = split_sizes(is_number, &splits, Some(shape[axis]))?
            .into_iter()
            .map(|size| size.expect("the sizes of rows are known"))
            .collect();
        let start = sizes[..part].iter().sum::<usize>();
        Ok(Taken::along(shape, axis, Entries::Range(start..start + sizes[part])))
    };
    parts(arguments, num_parts, part)
}
