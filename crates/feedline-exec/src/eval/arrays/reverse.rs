//! Dimensions backwards.

use feedline_plan::expr::axes_mask;

use super::entries::Entries;
use super::rearrange::by_ints;
use super::take::Taken;
use crate::eval::{Arguments, Value};

pub(super) fn reverse(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let axes = arguments.call.ints("axis");
    by_ints(arguments, &[], None, |shapes, _| {
        let is_reversed = axes_mask(axes.as_deref(), shapes[0].len())?;
        let entries = shapes[0].iter().zip(is_reversed).map(|(&dim, is_reversed)| {
            if is_reversed { Entries::Reversed { dim } } else { Entries::Range(0..dim) }
        });
        Ok(Taken::of(shapes[0], entries.collect()))
    })
}
