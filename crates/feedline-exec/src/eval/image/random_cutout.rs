//! Squares that are drawn.

use feedline_plan::expr::image::mask_size;

use super::super::{Arguments, Value};
use super::erase::erased;
use super::random::below;

pub(in super::super) fn random_cutout(arguments: &mut Arguments<'_>) -> Vec<Value> {
    erased(arguments, |call, height, width, draw| {
        let (rows, columns) = mask_size(call).expect("the plan checked the size");
        let drawn = draw(0);
        let part = |word: u32, len: usize, size: usize| {
            let middle = below(word, size);
            middle.saturating_sub(len / 2)..(middle + len.div_ceil(2)).min(size)
        };
        Some((part(drawn[0], rows, height), part(drawn[1], columns, width)))
    })
}
