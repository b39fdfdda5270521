//! Pixels of each row as bytes.

use feedline_data::block::{Column, StringsBuilder};

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::{Dims, Failure};

/// What `bytes` makes of each image of each row.
pub(super) fn encode(
    arguments: &mut Arguments<'_>,
    bytes: impl Fn(Dims, &[u8]) -> Result<Vec<u8>, Failure>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let width = source.column().dtype().width().expect("images are made of numbers");
        let all = source.column().buffer().expect("numbers lie in a buffer");
        let mut strings = StringsBuilder::default();
        let mut shapes = Vec::with_capacity(arguments.rows);
        for row in 0..arguments.rows {
            let (range, shape) = (source.range(row), source.shape(row));
            let images = &all.as_bytes()[range.start * width..range.end * width];
            let encoded = Dims::of(shape).and_then(|dims| {
                if dims.count == 1 {
                    return Ok(vec![bytes(dims, images)?]);
                }
                // A batch of images without pixels is refused by its first; one of none is none.
                let one = |index: usize| &images[index * dims.len() * width..][..dims.len() * width];
                (0..dims.count).map(|index| bytes(dims, one(index))).collect()
            });
            match encoded {
                Ok(encoded) => {
                    encoded.iter().for_each(|encoded| strings.push(encoded));
                    shapes.push(shape[..shape.len() - 3].to_vec());
                }
                Err(failure) => {
                    failure.tell(arguments, row);
                    shapes.push(vec![0]);
                }
            }
        }
        let strings = strings.finish();
        vec![Column::from_strings(vec![], strings.len(), strings).with_shapes(shapes)]
    })
}
