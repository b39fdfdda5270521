//! Colours as grey.

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::colours::expect_channels;
use super::convert_image_dtype::{converted, to_unit};
use super::each_row;

pub(in super::super) fn rgb_to_grayscale(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let values = to_unit(source.column());
        let gray = each_row(arguments, |row, gray| {
            let mut shape = source.shape(row).to_vec();
            expect_channels(&shape, 3)?;
            let pixels = values[source.range(row)].as_chunks::<3>().0;
            gray.extend(pixels.iter().map(|[red, green, blue]| red * 0.2989 + green * 0.587 + blue * 0.114));
            *shape.last_mut().expect("three dimensions") = 1;
            Ok(shape)
        });
        vec![converted(&gray, source.column().dtype(), false)]
    })
}
