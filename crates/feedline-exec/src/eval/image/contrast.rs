//! `adjust_contrast`, and `random_contrast`.

use super::super::{Arguments, Value};
use super::adjust::each_adjusted;
use super::given::GivenFloat;
use super::{Dims, random};

pub(in super::super) fn adjust_contrast(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let factors = GivenFloat::of(arguments, "contrast_factor");
    each_adjusted(arguments, true, |row, image, values| {
        stretch(image, values, factors.one(row)? as f32);
        Ok(())
    })
}

pub(in super::super) fn random_contrast(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (call, ids) = (arguments.call, arguments.ids);
    each_adjusted(arguments, true, |row, image, values| {
        let word = random::words(call, ids.get(row), 0)[0];
        stretch(image, values, random::uniform(word, call.float("lower"), call.float("upper")) as f32);
        Ok(())
    })
}

/// The distance of each value from the mean of its channel in its image, times a factor.
fn stretch(image: Dims, values: &mut [f32], factor: f32) {
    let channels = image.channels.max(1);
    for one in values.chunks_exact_mut(image.len().max(1)) {
        for channel in 0..channels {
            let places = || one.iter().skip(channel).step_by(channels);
            let mean = (places().map(|&value| f64::from(value)).sum::<f64>() / places().len() as f64) as f32;
            one.iter_mut()
                .skip(channel)
                .step_by(channels)
                .for_each(|value| *value = (*value - mean) * factor + mean);
        }
    }
}
