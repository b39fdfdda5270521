//! Images changed as floats.

use super::super::{Arguments, Value};
use super::convert_image_dtype::{from_unit, to_unit};
use super::{Dims, Failure};

/// What `change` makes of the values of row `row`, floats from 0 to 1, back in the image's type.
pub(super) fn each_adjusted(
    arguments: &mut Arguments<'_>,
    saturate: bool,
    change: impl Fn(usize, Dims, &mut [f32]) -> Result<(), Failure>,
) -> Vec<Value> {
    // A random change of a constant is another one for each row.
    let rows = arguments.inputs[0].to_rows(arguments.rows);
    let mut values = to_unit(&rows);
    for row in 0..arguments.rows {
        let range = rows.value_range(row..row + 1);
        let changed = Dims::of(rows.shape(row)).and_then(|image| change(row, image, &mut values[range]));
        if let Err(failure) = changed {
            failure.tell(arguments, row);
        }
    }
    vec![Value::Rows(from_unit(values, &rows, saturate))]
}

/// What `change` makes of every pixel.
pub(super) fn each_colour(
    image: Dims,
    values: &mut [f32],
    change: impl Fn([f32; 3]) -> [f32; 3],
) -> Result<(), Failure> {
    if image.channels != 3 {
        return Err(format!("takes 3 channels, not {}", image.channels).into());
    }
    values.as_chunks_mut::<3>().0.iter_mut().for_each(|pixel| *pixel = change(*pixel));
    Ok(())
}
