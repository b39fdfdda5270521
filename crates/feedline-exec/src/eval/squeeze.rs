//! Dimensions of size 1 that go.

use feedline_plan::expr::squeezed_mask;

use super::moves::View;
use super::view::views;
use super::{Arguments, Value};

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
