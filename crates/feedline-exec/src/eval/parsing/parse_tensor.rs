//! Records of `TensorProto` as tensors.

use feedline_data::DType;
use feedline_data::block::{Buffer, Column, StringsBuilder};
use feedline_formats::tensor_proto;

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};

pub(super) fn parse(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let dtype = arguments.call.dtype("out_type");
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let strings = source.column().strings().expect("the plan lets only strings come here");
        let mut rows = Vec::with_capacity(arguments.rows);
        for row in 0..arguments.rows {
            let read = if source.shape(row).is_empty() {
                tensor_proto::read(strings.get(source.range(row).start)).map_err(|error| error.reason())
            } else {
                Err(format!("takes one message, not messages of shape {:?}", source.shape(row)))
            };
            let read = read.and_then(|tensor| match tensor.dtype() {
                own if own == dtype => Ok(tensor),
                own => Err(format!("the message is a tensor of {own}, not of {dtype}")),
            });
            rows.push(match read {
                Ok(tensor) => tensor.as_column().clone(),
                Err(reason) => {
                    arguments.fail(row, &reason);
                    nothing(dtype)
                }
            });
        }
        vec![Column::concat(&rows)]
    })
}

/// A row of no values.
fn nothing(dtype: DType) -> Column {
    match dtype {
        DType::String => Column::from_strings(vec![0], 1, StringsBuilder::default().finish()),
        number => Column::from_buffer(number, vec![0], 1, Buffer::from_vec(Vec::<u64>::new())),
    }
}
