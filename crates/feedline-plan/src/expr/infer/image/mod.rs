//! Operations of images: height × width × channels, the last three dimensions.

mod augment;
mod boxes;
mod colours;
mod files;
mod geometry;

use feedline_data::block::Tensor;
use feedline_data::{DType, Shape, TensorSpec};

use super::literals::constant;
use super::wants;
use crate::expr::Call;
use crate::{PlanError, Result};

pub(in crate::expr) use augment::{
    affine, auto_augment, bytes, cutmix, gaussian_blur, mixup, posterize, rand_augment, random_affine,
    random_bytes, random_cutout, random_erasing, random_gaussian_blur, random_posterize, random_rotation,
    random_sharpness, random_solarize, rotate, sharpness, solarize, trivial_augment_wide,
};
pub(in crate::expr) use boxes::{crop_and_resize, sample_distorted_bounding_box};
pub(in crate::expr) use colours::{
    brightness, contrast, convert_dtype, float_colours, from_gray, gamma, hue, jpeg_quality, normalize,
    random_delta, random_factor, random_hue, random_jpeg_quality, random_saturation, saturation, standardize,
    to_gray,
};
pub(in crate::expr) use files::{
    decode_and_crop_jpeg, decode_bmp, decode_gif, decode_image, decode_jpeg, decode_png, decode_webp,
    decoded_jpeg_shape, encode_jpeg, encode_png, exif_orientation, extract_jpeg_shape, is_jpeg,
};
pub(in crate::expr) use geometry::{
    apply_orientation, central_crop, crop_to_bounding_box, pad_to_bounding_box, random_crop,
    random_resized_crop, random_rot90, resize, resize_with_crop_or_pad, resize_with_pad, rot90,
};

type Dims = Vec<Option<usize>>;

fn image_of(dtype: DType, dims: Dims) -> Vec<TensorSpec> {
    vec![TensorSpec::new(dtype, Shape::new(dims))]
}

fn one_of(name: &str, dtype: DType, allowed: &[DType]) -> Result<DType> {
    if allowed.contains(&dtype) {
        return Ok(dtype);
    }
    let allowed: Vec<&str> = allowed.iter().map(|dtype| dtype.name()).collect();
    Err(PlanError::argument(format!("{name} is {dtype}, it must be one of {}", allowed.join(", "))))
}

/// The dimensions of images that are computed with, if their number is known: at least three.
fn image_dims(spec: &TensorSpec) -> Result<Option<Dims>> {
    wants(spec.dtype.is_numeric(), spec.dtype, "an image, which is made of numbers")?;
    moved_dims(spec)
}

/// As [`image_dims`], of images whose pixels are only moved: masks of bools, too.
fn moved_dims(spec: &TensorSpec) -> Result<Option<Dims>> {
    let has_pixels = spec.dtype.is_numeric() || spec.dtype == DType::Bool;
    wants(has_pixels, spec.dtype, "an image, which is made of numbers or bools")?;
    match spec.shape.dims() {
        Some(dims) if dims.len() < 3 => {
            Err(PlanError::spec(format!("takes height, width and channels, not shape {}", spec.shape))
                .with_hint("expand_dims(…, -1) gives a gray image its channel"))
        }
        dims => Ok(dims.map(<[_]>::to_vec)),
    }
}

fn check_channels(spec: &TensorSpec, allowed: &[usize]) -> Result<()> {
    let channels = spec.shape.dims().and_then(|dims| dims.last().copied().flatten());
    if channels.is_none_or(|channels| allowed.contains(&channels)) {
        return Ok(());
    }
    let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
    let allowed = allowed.join(", ");
    Err(PlanError::spec(format!("takes {allowed} channels, the last dimension, not shape {}", spec.shape)))
}

fn check_word(call: &Call, name: &str, allowed: &[&str]) -> Result<()> {
    let word = call.text(name);
    if allowed.contains(&word) {
        return Ok(());
    }
    let allowed: Vec<String> = allowed.iter().map(|word| format!("'{word}'")).collect();
    Err(PlanError::argument(format!("{name} is '{word}', it must be one of {}", allowed.join(", "))))
}

fn integers(tensor: &Tensor) -> Vec<i64> {
    match tensor.dtype() {
        DType::Int32 => tensor.as_slice::<i32>().iter().map(|&number| number.into()).collect(),
        _ => tensor.as_slice::<i64>().to_vec(),
    }
}

/// Two numbers, the first above 0 and the second not below it.
fn check_range(name: &str, range: &[f64], most: f64) -> Result<()> {
    match *range {
        [low, high] if 0.0 < low && low <= high && high <= most => Ok(()),
        _ => {
            let limit = if most.is_finite() { format!(" and at most {most}") } else { String::new() };
            Err(PlanError::argument(format!(
                "{name} is {range:?}, it must be two numbers above 0{limit}, the smaller first"
            )))
        }
    }
}

/// A part of something, from and to: two numbers from 0 to 1, the smaller first.
fn check_scale(scale: &[f64]) -> Result<()> {
    match *scale {
        [low, high] if 0.0 <= low && low <= high && 0.0 < high && high <= 1.0 => Ok(()),
        _ => Err(PlanError::argument(format!(
            "scale is {scale:?}, it must be two numbers from 0 to 1, the smaller first"
        ))),
    }
}

/// The same images, changed.
pub(in crate::expr) fn same(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    image_dims(spec)?;
    Ok(vec![spec.clone()])
}

/// The same images, their pixels in another order.
pub(in crate::expr) fn moved(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    moved_dims(spec)?;
    Ok(vec![spec.clone()])
}
