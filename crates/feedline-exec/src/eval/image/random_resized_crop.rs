//! A part that is drawn, at a size that is given.

use super::super::{Arguments, Value};
use super::random;
use super::scaling::{Scaling, scaled, size_of};

pub(in super::super) fn random_resized_crop(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let size = size_of(call);
    let column = scaled(arguments, |row, image| {
        let part = random::resized_crop(call, ids.get(row), image.height, image.width);
        let (to_height, to_width) = size.of(image.height, image.width);
        Ok(Scaling {
            y: part.y as usize,
            x: part.x as usize,
            height: part.height as usize,
            width: part.width as usize,
            to_height,
            to_width,
        })
    });
    vec![Value::Rows(column)]
}
