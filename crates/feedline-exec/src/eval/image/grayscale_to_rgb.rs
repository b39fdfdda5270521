//! Grey as colours.

use feedline_data::block::Column;

use super::super::elementwise::dispatch;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::colours::expect_channels;
use super::each_row;

pub(in super::super) fn grayscale_to_rgb(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let dtype = source.column().dtype();
        let column: Column = dispatch!(widths dtype, Word => {
            let words = source.column().buffer().expect("numbers lie in a buffer").as_slice::<Word>();
            each_row(arguments, |row, values| {
                let mut shape = source.shape(row).to_vec();
                expect_channels(&shape, 1)?;
                words[source.range(row)].iter().for_each(|&word| values.extend([word; 3]));
                *shape.last_mut().expect("three dimensions") = 3;
                Ok(shape)
            })
        });
        vec![column.with_dtype(dtype)]
    })
}
