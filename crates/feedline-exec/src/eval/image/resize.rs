//! Pixels at another size.

use feedline_plan::expr::image::ResizeSize;

use super::super::rows::once_for_constants;
use super::super::{Arguments, Value};
use super::given::GivenInts;
use super::scaling::{Scaling, scaled};

pub(in super::super) fn resize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    once_for_constants(arguments, |arguments| {
        let sizes = GivenInts::of(arguments, "size");
        vec![scaled(arguments, |row, image| {
            let size = ResizeSize::of_call(call, &sizes.all(row))?;
            Ok(Scaling::whole(image, size.of(image.height, image.width)))
        })]
    })
}
