//! Values shifted and scaled: by given means and deviations, or by the image's own.

use feedline_data::DType;
use feedline_data::block::Column;
use feedline_image::Finish;
use feedline_plan::expr::Call;

use super::super::cast::as_float32;
use super::super::rows::{RowsOf, once_for_constants};
use super::super::{Arguments, Value};
use super::{Dims, Failure, each_row};

/// What a call of `normalize` does to a pixel.
pub(in super::super) fn finish_of(call: &Call) -> Finish {
    Finish::new(call.floats("mean"), call.floats("std"))
}

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

/// What `change` makes of the values of each row, as floats.
fn each_image(
    arguments: &mut Arguments<'_>,
    change: impl Fn(Dims, &mut [f32]) -> Result<(), Failure>,
) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let source = RowsOf::new(arguments.inputs[0]);
        let floats: Option<Column> =
            (source.column().dtype() != DType::UInt8).then(|| as_float32(source.column()));
        vec![each_row(arguments, |row, values| {
            let (image, begin, range) = (Dims::of(source.shape(row))?, values.len(), source.range(row));
            match &floats {
                Some(floats) => values.extend_from_slice(&floats.as_slice::<f32>()[range]),
                None => {
                    values
                        .extend(source.column().as_slice::<u8>()[range].iter().map(|&byte| f32::from(byte)));
                }
            }
            change(image, &mut values[begin..])?;
            Ok(source.shape(row).to_vec())
        })]
    })
}
