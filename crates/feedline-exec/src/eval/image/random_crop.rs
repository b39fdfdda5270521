//! A part of images that is drawn.

use super::super::moves::View;
use super::super::{Arguments, Value};
use super::given::GivenInts;
use super::random;
use super::views::each_view;

pub(in super::super) fn random_crop(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    let sizes = GivenInts::of(arguments, "size");
    let column = each_view(arguments, |row, shape| {
        let part = random::random_part(call, ids.get(row), shape, &sizes.all(row))?;
        let mut view = View::whole(shape);
        view.offset =
            part.starts.iter().zip(&view.strides).map(|(start, stride)| start * *stride as usize).sum();
        view.shape = part.sizes;
        Ok(vec![view])
    });
    vec![Value::Rows(column)]
}
