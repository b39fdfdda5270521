//! Zeros and ones of a shape, and of that of a tensor.

use feedline_data::block::Tensor;
use feedline_plan::expr::Attribute;

use super::marked::marked;
use crate::eval::elementwise::{as_value, like};
use crate::eval::rows::RowsOf;
use crate::eval::{Arguments, Value};

pub(super) fn zeros(arguments: &mut Arguments<'_>) -> Vec<Value> {
    constant(arguments, |_| false)
}

pub(super) fn ones(arguments: &mut Arguments<'_>) -> Vec<Value> {
    constant(arguments, |_| true)
}

pub(super) fn constant(arguments: &Arguments<'_>, is_one: impl Fn(usize) -> bool) -> Vec<Value> {
    let Attribute::Shape(shape) = arguments.call.attribute("shape") else {
        unreachable!("checked to be a shape")
    };
    let shape = shape.to_fixed().expect("the plan checked that the shape is known");
    let values = marked(arguments.call.dtype("dtype"), shape.iter().product(), is_one);
    vec![Value::Constant(Tensor::of_row(&values.with_rows_of(1, shape), 0))]
}

pub(super) fn zeros_like(arguments: &mut Arguments<'_>) -> Vec<Value> {
    all_like(arguments, false)
}

pub(super) fn ones_like(arguments: &mut Arguments<'_>) -> Vec<Value> {
    all_like(arguments, true)
}

pub(super) fn all_like(arguments: &Arguments<'_>, is_one: bool) -> Vec<Value> {
    let input = arguments.inputs[0];
    let column = RowsOf::new(input).column();
    let values = marked(column.dtype(), column.num_values(), |_| is_one);
    vec![as_value(like(column, values), matches!(input, Value::Constant(_)))]
}
