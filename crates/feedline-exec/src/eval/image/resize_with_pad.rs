//! Pixels at another size, with black beside what keeps its form.

use feedline_plan::expr::image::target_side;

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::given::GivenInts;
use super::scaling::{Scaling, scaled};
use super::{Dims, Failure};

pub(in super::super) fn resize_with_pad(arguments: &mut Arguments<'_>) -> Vec<Value> {
    // TensorFlow's own steps here, in single precision, whose roundings say whether the last row or column is the image's or
    // free; what is left free is counted before the sizes are rounded.
    let fitted = |image: &Dims, (height, width): (usize, usize)| {
        let ratio = (image.width as f32 / width as f32).max(image.height as f32 / height as f32);
        (image.height as f32 / ratio, image.width as f32 / ratio)
    };
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let [heights, widths] = ["target_height", "target_width"].map(|name| GivenInts::of(arguments, name));
        let target = |row: usize| {
            Ok::<_, Failure>((heights.checked(row, target_side)?, widths.checked(row, target_side)?))
        };
        let scaled = scaled(arguments, |row, image| {
            let (height, width) = target(row)?;
            let (rows, columns) = fitted(image, (height, width));
            let within = |fitted: f32, all: usize| (fitted.floor() as usize).clamp(1, all);
            Ok(Scaling::whole(image, (within(rows, height), within(columns, width))))
        });
        let rows = RowsOf::of_column(&scaled);
        let offset = |row: usize| {
            let (height, width) = target(row)?;
            let (fitted_height, fitted_width) = fitted(&Dims::of(source.shape(row))?, (height, width));
            let free = |all: usize, fitted: f32| (((all as f32 - fitted) / 2.0).floor().max(0.0)) as usize;
            let image = Dims::of(rows.shape(row))?;
            let (y, x) = (free(height, fitted_height), free(width, fitted_width));
            Ok((y.min(height - image.height), x.min(width - image.width), height, width))
        };
        vec![super::crop::padded(arguments, &rows, offset)]
    })
}
