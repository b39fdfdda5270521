//! A part of images that is given.

use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::crop::part;
use super::decode::integers;
use super::views::each_view;

pub(in super::super) fn crop_to_bounding_box(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let numbers: Vec<RowsOf<'_>> =
            arguments.inputs[1..].iter().map(|&value| RowsOf::new(value)).collect();
        vec![each_view(arguments, |row, shape| {
            let mut places = [0; 4];
            for (place, numbers) in places.iter_mut().zip(&numbers) {
                let number = integers(numbers, row).first().copied().unwrap_or(-1);
                *place = usize::try_from(number)
                    .map_err(|_| format!("{number} is no row, column, height or width of a part"))?;
            }
            let [y, x, height, width] = places;
            Ok(vec![part(shape, y, x, height, width)?])
        })]
    })
}
