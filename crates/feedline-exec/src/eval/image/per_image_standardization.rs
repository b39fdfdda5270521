//! Pixels less the mean of their image, by its deviation.

use super::super::{Arguments, Value};
use super::normalized::each_image;

pub(in super::super) fn per_image_standardization(arguments: &mut Arguments<'_>) -> Vec<Value> {
    each_image(arguments, |image, values| {
        for one in values.chunks_exact_mut(image.len().max(1)) {
            let count = one.len() as f64;
            let mean = sum_of(one, |value| value) / count;
            let variance = sum_of(one, |value| (value - mean).powi(2)) / count;
            let deviation = variance.sqrt().max(1.0 / count.sqrt()) as f32;
            one.iter_mut().for_each(|value| *value = (*value - mean as f32) / deviation);
        }
        Ok(())
    })
}

/// The sum of `term` of each value, in eight sums side by side: in one, each addition would wait for the one before it.
fn sum_of(values: &[f32], term: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights.iter().map(|eight| &eight[..]).chain([rest]) {
        sums.iter_mut().zip(eight).for_each(|(sum, &value)| *sum += term(f64::from(value)));
    }
    sums.iter().sum()
}
