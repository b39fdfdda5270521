//! Colours and values of images.

use feedline_data::{DType, TensorSpec};

use super::files::DCT_METHODS;
use super::{check_channels, check_word, image_dims, image_of, same, wants};
use crate::expr::{Call, image};
use crate::{PlanError, Result};

/// The same images of values that can be computed with.
pub(in crate::expr) fn same_number(call: &Call) -> Result<Vec<TensorSpec>> {
    adjustable(call.inputs[0].spec().dtype)?;
    same(call)
}

/// The same images, of three colours.
pub(in crate::expr) fn same_colours(call: &Call) -> Result<Vec<TensorSpec>> {
    check_channels(call.inputs[0].spec(), &[3])?;
    same_number(call)
}

/// The same images with a number added: of floats from 0 to 1.
pub(in crate::expr) fn brightness(call: &Call) -> Result<Vec<TensorSpec>> {
    call.known_float("delta")?;
    same_number(call)
}

pub(in crate::expr) fn contrast(call: &Call) -> Result<Vec<TensorSpec>> {
    call.known_float("contrast_factor")?;
    same_number(call)
}

pub(in crate::expr) fn saturation(call: &Call) -> Result<Vec<TensorSpec>> {
    call.known_float("saturation_factor")?;
    same_colours(call)
}

pub(in crate::expr) fn hue(call: &Call) -> Result<Vec<TensorSpec>> {
    call.known_float("delta")?.map(image::hue_delta).transpose().map_err(PlanError::argument)?;
    same_colours(call)
}

pub(in crate::expr) fn convert_dtype(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let to = call.dtype("dtype");
    for dtype in [spec.dtype, to] {
        adjustable(dtype)?;
    }
    Ok(vec![TensorSpec { dtype: to, ..spec.clone() }])
}

pub(in crate::expr) fn normalize(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    image_dims(spec)?;
    let (mean, std) = (call.floats("mean"), call.floats("std"));
    if std.iter().any(|std| !std.is_finite() || *std <= 0.0) {
        return Err(PlanError::argument(format!("std is {std:?}, it must be above 0")));
    }
    if mean.len() != std.len() || mean.is_empty() {
        return Err(PlanError::argument(format!("mean has {} values, std {}", mean.len(), std.len())));
    }
    if mean.len() > 1 {
        check_channels(spec, &[mean.len()])?;
    }
    if spec.dtype == DType::UInt8 && std.iter().all(|std| *std < 1.0) {
        return Err(PlanError::argument(format!(
            "std {std:?} is that of values from 0 to 1, the image has 0 to 255"
        ))
        .with_hint("convert_image_dtype(…, float32) first, or give mean and std times 255"));
    }
    Ok(vec![TensorSpec { dtype: DType::Float32, ..spec.clone() }])
}

pub(in crate::expr) fn standardize(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = &same_number(call)?[0];
    Ok(vec![TensorSpec { dtype: DType::Float32, ..spec.clone() }])
}

fn with_channels(call: &Call, from: usize, to: usize) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    check_channels(spec, &[from])?;
    let Some(mut dims) = image_dims(spec)? else { return Ok(vec![spec.clone()]) };
    *dims.last_mut().expect("at least three") = Some(to);
    Ok(image_of(spec.dtype, dims))
}

pub(in crate::expr) fn to_gray(call: &Call) -> Result<Vec<TensorSpec>> {
    adjustable(call.inputs[0].spec().dtype)?;
    with_channels(call, 3, 1)
}

pub(in crate::expr) fn from_gray(call: &Call) -> Result<Vec<TensorSpec>> {
    with_channels(call, 1, 3)
}

pub(in crate::expr) fn float_colours(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    if !dtype.is_float() {
        return Err(PlanError::spec(format!("takes floats from 0 to 1, not {dtype}"))
            .with_hint("convert_image_dtype(…, float32) makes it so"));
    }
    same_colours(call)
}

pub(in crate::expr) fn gamma(call: &Call) -> Result<Vec<TensorSpec>> {
    call.known_float("gamma")?.map(image::gamma).transpose().map_err(PlanError::argument)?;
    call.known_float("gain")?;
    same_number(call)
}

pub(in crate::expr) fn jpeg_quality(call: &Call) -> Result<Vec<TensorSpec>> {
    if let Some(quality) = call.known_int("jpeg_quality")? {
        image::jpeg_quality("jpeg_quality", quality).map_err(PlanError::argument)?;
    }
    check_word(call, "dct_method", DCT_METHODS)?;
    check_channels(call.inputs[0].spec(), &[1, 3])?;
    same_number(call)
}

pub(in crate::expr) fn random_delta(call: &Call) -> Result<Vec<TensorSpec>> {
    let max = call.float("max_delta");
    if max.is_nan() || max < 0.0 {
        return Err(PlanError::argument(format!("max_delta is {max}, it must not be negative")));
    }
    same_number(call)
}

pub(in crate::expr) fn random_hue(call: &Call) -> Result<Vec<TensorSpec>> {
    if call.float("max_delta") > 0.5 {
        return Err(PlanError::argument(format!(
            "max_delta is {}, it must be at most 0.5",
            call.float("max_delta")
        )));
    }
    check_channels(call.inputs[0].spec(), &[3])?;
    random_delta(call)
}

pub(in crate::expr) fn random_factor(call: &Call) -> Result<Vec<TensorSpec>> {
    let (lower, upper) = (call.float("lower"), call.float("upper"));
    if !(0.0 <= lower && lower <= upper) {
        let message =
            format!("lower is {lower}, upper {upper}: the lower must not be negative, nor above the upper");
        return Err(PlanError::argument(message));
    }
    same_number(call)
}

pub(in crate::expr) fn random_jpeg_quality(call: &Call) -> Result<Vec<TensorSpec>> {
    let (least, most) = (call.int("min_jpeg_quality"), call.int("max_jpeg_quality"));
    for (name, quality) in [("min_jpeg_quality", least), ("max_jpeg_quality", most)] {
        image::jpeg_quality(name, quality).map_err(PlanError::argument)?;
    }
    if least > most {
        return Err(PlanError::argument(format!(
            "min_jpeg_quality is {least}, it must not be above max_jpeg_quality, which is {most}"
        )));
    }
    check_channels(call.inputs[0].spec(), &[1, 3])?;
    same_number(call)
}

pub(in crate::expr) fn random_saturation(call: &Call) -> Result<Vec<TensorSpec>> {
    check_channels(call.inputs[0].spec(), &[3])?;
    random_factor(call)
}

/// Types with a scale of their own: integers have their largest value, floats 1.
fn adjustable(dtype: DType) -> Result<()> {
    wants(dtype.is_numeric(), dtype, "numbers")
}
