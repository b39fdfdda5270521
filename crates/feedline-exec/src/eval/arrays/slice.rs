//! A part of each dimension, from places that are computed.

use feedline_plan::expr::slice_size;

use super::entries::Entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn slice(arguments: &mut Arguments<'_>) -> Vec<Value> {
    by_ints(arguments, &[1, 2], None, |shapes, ints| {
        let (shape, begin, size) = (shapes[0], ints[0], ints[1]);
        if shapes[1] != [shape.len()] || shapes[2] != [shape.len()] {
            let (begin, size) = (shapes[1], shapes[2]);
            return Err(format!(
                "begin and size have shapes {begin:?} and {size:?} for a tensor of shape {shape:?}"
            ));
        }
        let mut entries = Vec::with_capacity(shape.len());
        for ((&dim, &begin), &size) in shape.iter().zip(begin).zip(size) {
            let size = slice_size(begin, size, dim)?;
            let begin = begin as usize;
            entries.push(Entries::Range(begin..begin + size));
        }
        Ok(Taken::of(shape, entries))
    })
}
