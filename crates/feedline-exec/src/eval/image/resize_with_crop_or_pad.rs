//! The middle of images, or black around them.

use feedline_plan::expr::image::target_side;

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::crop::{padded, part};
use super::given::GivenInts;
use super::views::each_view;
use super::{Dims, Failure};

pub(in super::super) fn resize_with_crop_or_pad(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let [heights, widths] = ["target_height", "target_width"].map(|name| GivenInts::of(arguments, name));
        let target = |row: usize| {
            Ok::<_, Failure>((heights.checked(row, target_side)?, widths.checked(row, target_side)?))
        };
        let cropped = each_view(arguments, |row, shape| {
            let image = Dims::of(shape)?;
            let (height, width) = target(row)?;
            let (rows, columns) = (image.height.min(height), image.width.min(width));
            let (y, x) = ((image.height - rows) / 2, (image.width - columns) / 2);
            Ok(vec![part(shape, y, x, rows, columns)?])
        });
        let source = RowsOf::of_column(&cropped);
        vec![padded(arguments, &source, |row| {
            let image = Dims::of(source.shape(row))?;
            let (height, width) = target(row)?;
            Ok(((height - image.height) / 2, (width - image.width) / 2, height, width))
        })]
    })
}
