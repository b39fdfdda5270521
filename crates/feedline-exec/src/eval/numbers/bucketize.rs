//! Which of the buckets between boundaries values are in.

use feedline_data::DType;
use feedline_data::block::Column;

use crate::eval::elementwise::{as_value, like};
use crate::eval::rows::RowsOf;
use crate::eval::{Arguments, Value};

pub(super) fn bucketize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    // TensorFlow's boundaries are float32, whatever they are compared with.
    let boundaries: Vec<f64> =
        arguments.call.floats("boundaries").iter().map(|&limit| f64::from(limit as f32)).collect();
    let input = arguments.inputs[0];
    let column = RowsOf::new(input).column();
    let bucket = |value: f64| boundaries.partition_point(|&limit| value.is_nan() || limit <= value) as i32;
    let buckets: Vec<i32> = match column.dtype() {
        DType::Int32 => column.as_slice::<i32>().iter().map(|&value| bucket(value.into())).collect(),
        DType::Int64 => column.as_slice::<i64>().iter().map(|&value| bucket(value as f64)).collect(),
        DType::Float32 => column.as_slice::<f32>().iter().map(|&value| bucket(value.into())).collect(),
        DType::Float64 => column.as_slice::<f64>().iter().map(|&value| bucket(value)).collect(),
        other => unreachable!("the plan lets no {other} come here"),
    };
    let buckets = Column::from_vec(vec![], buckets.len(), buckets);
    vec![as_value(like(column, buckets), matches!(input, Value::Constant(_)))]
}
