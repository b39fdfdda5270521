//! Values of normal distributions: `random_normal` and `random_truncated_normal`.

use feedline_data::block::Column;

use super::draws::{Draws, shape_of};
use crate::eval::elementwise::dispatch;
use crate::eval::unary::Float;
use crate::eval::{Arguments, Value};

pub(super) fn normals(arguments: &mut Arguments<'_>, limit: f64) -> Vec<Value> {
    let call = arguments.call;
    let (draws, shape) = (Draws::of(arguments), shape_of(arguments));
    let (mean, deviation) = (call.float("mean"), call.float("stddev"));
    let count: usize = shape.iter().product();
    let values = arguments
        .ids
        .iter()
        .flat_map(|id| (0..count).map(move |index| (id, index)))
        .map(|(id, index)| mean + deviation * draws.normal(id, index, limit));
    let column = dispatch!(floats call.dtype("dtype"), T =>
        Column::from_vec(shape, arguments.rows, values.map(T::narrow).collect()));
    vec![Value::Rows(column)]
}
