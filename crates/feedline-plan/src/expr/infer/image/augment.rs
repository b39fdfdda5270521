//! Augmentations of images.

use feedline_data::{DType, TensorSpec};

use super::geometry::sized;
use super::{check_channels, check_range, check_scale, check_word, same, wants};
use crate::expr::Call;
use crate::expr::image::{Interpolation, mask_size};
use crate::{PlanError, Result};

/// The same images, of bytes: what looks values up in a table.
pub(in crate::expr) fn bytes(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    if dtype != DType::UInt8 {
        return Err(PlanError::spec(format!("takes uint8, not {dtype}")).with_hint(
            "cast(round(image), uint8) for floats from 0 to 255, convert_image_dtype(image, uint8) for floats from 0 to 1",
        ));
    }
    same(call)
}

/// The same images, of bytes or floats: what moves or mixes values.
fn pixels(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    wants(dtype == DType::UInt8 || dtype.is_float(), dtype, "uint8 or floats")?;
    same(call)
}

fn finite(name: &str, value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    Err(PlanError::argument(format!("{name} is {value}, it must be a number")))
}

fn argument(name: &str, value: &[f64], wanted: &str) -> PlanError {
    PlanError::argument(format!("{name} is {value:?}, it must be {wanted}"))
}

pub(in crate::expr) fn solarize(call: &Call) -> Result<Vec<TensorSpec>> {
    finite("threshold", call.float("threshold"))?;
    bytes(call)
}

pub(in crate::expr) fn posterize(call: &Call) -> Result<Vec<TensorSpec>> {
    let bits = call.int("bits");
    if !(0..=8).contains(&bits) {
        return Err(PlanError::argument(format!("bits is {bits}, it must be from 0 to 8")));
    }
    bytes(call)
}

pub(in crate::expr) fn sharpness(call: &Call) -> Result<Vec<TensorSpec>> {
    let factor = call.float("sharpness_factor");
    if !factor.is_finite() || factor < 0.0 {
        return Err(PlanError::argument(format!("sharpness_factor is {factor}, it must not be negative")));
    }
    bytes(call)
}

/// Of what is done or not, how likely it is.
fn check_probability(call: &Call) -> Result<()> {
    let probability = call.float("p");
    if (0.0..=1.0).contains(&probability) {
        return Ok(());
    }
    Err(PlanError::argument(format!("p is {probability}, it must be from 0 to 1")))
}

pub(in crate::expr) fn random_bytes(call: &Call) -> Result<Vec<TensorSpec>> {
    check_probability(call)?;
    bytes(call)
}

pub(in crate::expr) fn random_solarize(call: &Call) -> Result<Vec<TensorSpec>> {
    check_probability(call)?;
    solarize(call)
}

pub(in crate::expr) fn random_posterize(call: &Call) -> Result<Vec<TensorSpec>> {
    check_probability(call)?;
    posterize(call)
}

pub(in crate::expr) fn random_sharpness(call: &Call) -> Result<Vec<TensorSpec>> {
    check_probability(call)?;
    sharpness(call)
}

/// No image is so large that more of it could be mixed.
const MAX_KERNEL_SIZE: i64 = 65_535;

/// A size that is odd, so that it has a middle.
fn check_kernel_size(call: &Call) -> Result<()> {
    let sizes = call.ints("kernel_size").unwrap_or_default();
    let is_good = |size: &i64| size % 2 == 1 && (1..=MAX_KERNEL_SIZE).contains(size);
    if matches!(sizes.len(), 1 | 2) && sizes.iter().all(is_good) {
        return Ok(());
    }
    Err(PlanError::argument(format!(
        "kernel_size is {sizes:?}, it must be odd and from 1 to {MAX_KERNEL_SIZE}, one number or a width and a height"
    )))
}

pub(in crate::expr) fn gaussian_blur(call: &Call) -> Result<Vec<TensorSpec>> {
    check_kernel_size(call)?;
    let sigma = call.floats("sigma");
    let is_good = |sigma: &f64| sigma.is_finite() && *sigma > 0.0;
    if !matches!(sigma.len(), 1 | 2) || !sigma.iter().all(is_good) {
        return Err(argument("sigma", sigma, "above 0, one number or one for x and one for y"));
    }
    pixels(call)
}

pub(in crate::expr) fn random_gaussian_blur(call: &Call) -> Result<Vec<TensorSpec>> {
    check_kernel_size(call)?;
    check_range("sigma", call.floats("sigma"), f64::MAX)?;
    pixels(call)
}

/// How pixels are moved: `interpolation`, `fill` and, where it has one, `center`.
fn check_moving(call: &Call, has_center: bool) -> Result<()> {
    Interpolation::of_call(call).map_err(PlanError::argument)?;
    check_values(call, "fill")?;
    let center = if has_center { call.floats("center") } else { &[] };
    if !matches!(center.len(), 0 | 2) || center.iter().any(|value| !value.is_finite()) {
        return Err(argument("center", center, "x and y, or none for the middle"));
    }
    Ok(())
}

/// What pixels become: one number, or one for each channel, that the image can hold.
fn check_values(call: &Call, name: &str) -> Result<()> {
    let (values, spec) = (call.floats(name), call.inputs[0].spec());
    let is_bytes = spec.dtype == DType::UInt8;
    let fits = |value: &f64| value.is_finite() && (!is_bytes || (0.0..=255.0).contains(value));
    if values.is_empty() || !values.iter().all(fits) {
        let limits = if is_bytes { ", from 0 to 255" } else { "" };
        return Err(argument(name, values, &format!("one number or one for each channel{limits}")));
    }
    if values.len() > 1 { check_channels(spec, &[values.len()]) } else { Ok(()) }
}

pub(in crate::expr) fn affine(call: &Call) -> Result<Vec<TensorSpec>> {
    finite("angle", call.float("angle"))?;
    let scale = call.float("scale");
    if !scale.is_finite() || scale <= 0.0 {
        return Err(PlanError::argument(format!("scale is {scale}, it must be above 0")));
    }
    for (name, lengths) in [("translate", &[2_usize][..]), ("shear", &[1, 2])] {
        let values = call.floats(name);
        if !lengths.contains(&values.len()) || values.iter().any(|value| !value.is_finite()) {
            return Err(argument(name, values, "numbers for x and y"));
        }
    }
    check_moving(call, true)?;
    pixels(call)
}

pub(in crate::expr) fn rotate(call: &Call) -> Result<Vec<TensorSpec>> {
    finite("angle", call.float("angle"))?;
    check_moving(call, true)?;
    let spec = call.inputs[0].spec();
    let specs = pixels(call)?;
    // How large it gets is found by the same steps as the pixels, in one place, which is not here.
    if call.flag("expand") { sized(spec, spec.dtype, None, None) } else { Ok(specs) }
}

fn check_degrees(call: &Call, name: &str, lengths: &[usize]) -> Result<()> {
    let values = call.floats(name);
    let is_range = |pair: &[f64]| pair[0].is_finite() && pair[1].is_finite() && pair[0] <= pair[1];
    if lengths.contains(&values.len()) && values.chunks(2).all(is_range) {
        return Ok(());
    }
    Err(argument(name, values, "degrees from and to, the smaller first"))
}

pub(in crate::expr) fn random_affine(call: &Call) -> Result<Vec<TensorSpec>> {
    check_degrees(call, "degrees", &[2])?;
    check_degrees(call, "shear", &[0, 2, 4])?;
    let translate = call.floats("translate");
    if !matches!(translate.len(), 0 | 2) || translate.iter().any(|part| !(0.0..=1.0).contains(part)) {
        return Err(argument("translate", translate, "parts of width and height from 0 to 1, or none"));
    }
    if !call.floats("scale").is_empty() {
        check_range("scale", call.floats("scale"), f64::MAX)?;
    }
    check_moving(call, true)?;
    pixels(call)
}

pub(in crate::expr) fn random_rotation(call: &Call) -> Result<Vec<TensorSpec>> {
    check_degrees(call, "degrees", &[2])?;
    check_moving(call, true)?;
    let spec = call.inputs[0].spec();
    let specs = pixels(call)?;
    if call.flag("expand") { sized(spec, spec.dtype, None, None) } else { Ok(specs) }
}

pub(in crate::expr) fn random_erasing(call: &Call) -> Result<Vec<TensorSpec>> {
    check_probability(call)?;
    check_scale(call.floats("scale"))?;
    check_range("ratio", call.floats("ratio"), f64::MAX)?;
    if !call.floats("value").is_empty() {
        check_values(call, "value")?;
    } else if !call.inputs[0].spec().dtype.is_float() {
        return Err(PlanError::argument("value is noise, which only floats can hold")
            .with_hint("give a value, or erase behind normalize"));
    }
    pixels(call)
}

pub(in crate::expr) fn random_cutout(call: &Call) -> Result<Vec<TensorSpec>> {
    mask_size(call).map_err(PlanError::argument)?;
    check_values(call, "value")?;
    pixels(call)
}

/// What recipes take: bytes, gray or of three colours.
fn recipe(call: &Call) -> Result<Vec<TensorSpec>> {
    check_channels(call.inputs[0].spec(), &[1, 3])?;
    let specs = bytes(call)?;
    check_moving(call, false)?;
    Ok(specs)
}

fn check_bins(call: &Call) -> Result<()> {
    let bins = call.int("num_magnitude_bins");
    if (2..=1 << 16).contains(&bins) {
        return Ok(());
    }
    Err(PlanError::argument(format!("num_magnitude_bins is {bins}, it must be at least 2")))
}

pub(in crate::expr) fn rand_augment(call: &Call) -> Result<Vec<TensorSpec>> {
    check_bins(call)?;
    let (count, magnitude, bins) =
        (call.int("num_ops"), call.int("magnitude"), call.int("num_magnitude_bins"));
    if !(0..=100).contains(&count) {
        return Err(PlanError::argument(format!("num_ops is {count}, it must be from 0 to 100")));
    }
    if !(0..bins).contains(&magnitude) {
        return Err(PlanError::argument(format!(
            "magnitude is {magnitude}, it must be from 0 to below num_magnitude_bins, which is {bins}"
        )));
    }
    recipe(call)
}

pub(in crate::expr) fn trivial_augment_wide(call: &Call) -> Result<Vec<TensorSpec>> {
    check_bins(call)?;
    recipe(call)
}

pub(in crate::expr) fn auto_augment(call: &Call) -> Result<Vec<TensorSpec>> {
    recipe(call)
}

/// Batches of images and labels.
fn batches(call: &Call) -> Result<Vec<TensorSpec>> {
    let [images, labels] = &call.inputs[..] else { unreachable!("the number of tensors is checked") };
    let (images, labels) = (images.spec(), labels.spec());
    if images.shape.dims().is_some_and(|dims| dims.len() != 4) {
        return Err(PlanError::spec(format!(
            "takes a batch, of four dimensions: images of three, not shape {}",
            images.shape
        ))
        .with_hint("it belongs into a map behind batch"));
    }
    let is_rows = labels.shape.dims().is_none_or(|dims| dims.len() == 2);
    if !labels.dtype.is_float() || !is_rows {
        return Err(PlanError::spec(format!(
            "takes labels that can be mixed: a row of floats for each image, not {labels}"
        ))
        .with_hint("one_hot(labels, num_classes) makes them"));
    }
    let alpha = call.float("alpha");
    if !alpha.is_finite() || alpha <= 0.0 {
        return Err(PlanError::argument(format!("alpha is {alpha}, it must be above 0")));
    }
    let first = |spec: &TensorSpec| spec.shape.dims().and_then(|dims| dims[0]);
    if let (Some(images), Some(labels)) = (first(images), first(labels))
        && images != labels
    {
        return Err(PlanError::spec(format!("there are {images} images and {labels} labels")));
    }
    Ok(vec![images.clone(), labels.clone()])
}

pub(in crate::expr) fn mixup(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    if !dtype.is_float() {
        return Err(PlanError::spec(format!("takes images of floats, not {dtype}"))
            .with_hint("normalize, or cast(images, float32), comes first"));
    }
    batches(call)
}

pub(in crate::expr) fn cutmix(call: &Call) -> Result<Vec<TensorSpec>> {
    let dtype = call.inputs[0].spec().dtype;
    wants(dtype == DType::UInt8 || dtype.is_float(), dtype, "images of uint8 or floats")?;
    check_word(call, "layout", &["NHWC", "NCHW"])?;
    batches(call)
}
