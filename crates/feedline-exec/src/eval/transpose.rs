//! Dimensions in another order.

use feedline_plan::expr::permutation;

use super::moves::View;
use super::view::views;
use super::{Arguments, Value};

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
