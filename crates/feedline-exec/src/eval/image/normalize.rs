//! Pixels less a mean, by a deviation.

use super::super::{Arguments, Value};
use super::normalized::{each_image, finish_of};

pub(in super::super) fn normalize(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let finish = finish_of(arguments.call);
    each_image(arguments, |image, values| {
        if finish.num_channels() > 1 && finish.num_channels() != image.channels {
            let message =
                format!("the image has {} channels, mean and std {}", image.channels, finish.num_channels());
            return Err(message.into());
        }
        finish.apply(values, image.channels);
        Ok(())
    })
}
