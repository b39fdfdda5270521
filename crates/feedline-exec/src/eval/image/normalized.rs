//! Values shifted and scaled: by given means and deviations, or by the image's own.

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_image::Finish;
use feedline_plan::expr::Call;

use super::super::cast::as_float32;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::{Dims, Failure, each_row};

/// What a call of `normalize` does to a pixel.
pub(in super::super) fn finish_of(call: &Call) -> Finish {
    Finish::new(call.floats("mean"), call.floats("std"))
}

/// What `change` makes of the values of each row, as floats.
pub(super) fn each_image(
    arguments: &mut Arguments<'_>,
    change: impl Fn(Dims, &mut [f32]) -> Result<(), Failure>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let floats: Option<Column> =
            (source.column().dtype() != DType::UInt8).then(|| as_float32(source.column()));
        vec![each_row(arguments, |row, values| {
            let (image, begin, range) = (Dims::of(source.shape(row))?, values.len(), source.range(row));
            match &floats {
                Some(floats) => values.extend_from_slice(&floats.as_slice::<f32>()[range]),
                None => {
                    values
                        .extend(source.column().as_slice::<u8>()[range].iter().map(|&byte| f32::from(byte)));
                }
            }
            change(image, &mut values[begin..])?;
            Ok(source.shape(row).to_vec())
        })]
    })
}
