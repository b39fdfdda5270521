//! Tensors as records of `TensorProto`.

use feedline_data::block::{Column, StringsBuilder, Tensor};
use feedline_formats::tensor_proto;

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

pub(super) fn serialize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let column = RowsOf::new(arguments.inputs[0]).column();
        let mut messages = StringsBuilder::with_capacity(column.rows(), column.byte_size());
        (0..column.rows()).for_each(|row| messages.push(&tensor_proto::write(&Tensor::of_row(column, row))));
        vec![Column::from_strings(vec![], messages.len(), messages.finish())]
    })
}
