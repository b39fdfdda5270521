//! Images from bytes, and bytes from images.

use feedline_data::{DType, Shape, TensorSpec};

use super::{check_channels, check_word, constant, image_dims, image_of, integers, one_of, wants};
use crate::expr::Call;
use crate::expr::image::jpeg_quality;
use crate::{PlanError, Result};

/// What TensorFlow's `dct_method` may be.
pub(super) const DCT_METHODS: &[&str] = &["", "INTEGER_FAST", "INTEGER_ACCURATE"];

fn encoded(call: &Call) -> Result<()> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::String, spec.dtype, "the bytes of an image, a string")?;
    if spec.shape.is_compatible_with(&Shape::scalar()) {
        return Ok(());
    }
    Err(PlanError::spec(format!("takes the bytes of one image, not shape {}", spec.shape))
        .with_hint("decode before batch: images of a batch have one size"))
}

/// How many channels come out, if that is known; `allowed` are the numbers that may be asked for.
fn channels(call: &Call, allowed: &[i64]) -> Result<Option<usize>> {
    let channels = call.int("channels");
    if !allowed.contains(&channels) {
        let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
        return Err(PlanError::argument(format!(
            "channels is {channels}, it must be one of {}",
            allowed.join(", ")
        )));
    }
    Ok((channels > 0).then_some(channels as usize))
}

pub(in crate::expr) fn decode_jpeg(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    let channels = jpeg_channels(call)?;
    Ok(image_of(DType::UInt8, vec![None, None, channels]))
}

/// The arguments of what decodes a JPEG; gives how many channels come out, if that is known.
fn jpeg_channels(call: &Call) -> Result<Option<usize>> {
    if !matches!(call.int("ratio"), 1 | 2 | 4 | 8) {
        return Err(PlanError::argument(format!("ratio is {}, it must be 1, 2, 4 or 8", call.int("ratio"))));
    }
    check_word(call, "dct_method", DCT_METHODS)?;
    channels(call, &[0, 1, 3])
}

pub(in crate::expr) fn decode_and_crop_jpeg(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    let channels = jpeg_channels(call)?;
    let window = call.inputs[1].spec();
    let is_index = matches!(window.dtype, DType::Int32 | DType::Int64);
    wants(is_index, window.dtype, "a window of int32 or int64")?;
    if !window.shape.is_compatible_with(&Shape::fixed(&[4])) {
        return Err(PlanError::spec(format!("crop_window has 4 numbers, not shape {}", window.shape))
            .with_hint("it is the first row, the first column, the height and the width"));
    }
    let (mut height, mut width) = (None, None);
    if let Some(window) = constant(&call.inputs[1]) {
        let numbers = integers(window);
        if let Some(bad) = numbers.iter().enumerate().find(|&(index, &n)| n < i64::from(index >= 2)) {
            return Err(PlanError::argument(format!("number {} of crop_window is {}", bad.0, bad.1)));
        }
        (height, width) = (Some(numbers[2] as usize), Some(numbers[3] as usize));
    }
    Ok(image_of(DType::UInt8, vec![height, width, channels]))
}

pub(in crate::expr) fn decode_png(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    let channels = channels(call, &[0, 1, 3, 4])?;
    let dtype = one_of("dtype", call.dtype("dtype"), &[DType::UInt8, DType::UInt16])?;
    Ok(image_of(dtype, vec![None, None, channels]))
}

pub(in crate::expr) fn decode_gif(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    Ok(image_of(DType::UInt8, vec![None, None, None, Some(3)]))
}

pub(in crate::expr) fn decode_bmp(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    Ok(image_of(DType::UInt8, vec![None, None, channels(call, &[0, 1, 3, 4])?]))
}

pub(in crate::expr) fn decode_webp(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    Ok(image_of(DType::UInt8, vec![None, None, None, channels(call, &[0, 3, 4])?]))
}

pub(in crate::expr) fn decode_image(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    let channels = channels(call, &[0, 1, 3, 4])?;
    let dtype = one_of("dtype", call.dtype("dtype"), &[DType::UInt8, DType::UInt16, DType::Float32])?;
    if call.flag("expand_animations") {
        return Ok(vec![TensorSpec::new(dtype, Shape::UNKNOWN)]);
    }
    Ok(image_of(dtype, vec![None, None, channels]))
}

pub(in crate::expr) fn extract_jpeg_shape(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    let dtype = one_of("output_type", call.dtype("output_type"), &[DType::Int32, DType::Int64])?;
    Ok(vec![TensorSpec::new(dtype, Shape::fixed(&[3]))])
}

/// What `shape` says of what `decode_jpeg` gives.
pub(in crate::expr) fn decoded_jpeg_shape(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    jpeg_channels(call)?;
    Ok(vec![TensorSpec::new(call.dtype("out_type"), Shape::fixed(&[3]))])
}

pub(in crate::expr) fn exif_orientation(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    Ok(vec![TensorSpec::scalar(DType::Int32)])
}

pub(in crate::expr) fn is_jpeg(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    wants(spec.dtype == DType::String, spec.dtype, "the bytes of images, strings")?;
    Ok(vec![TensorSpec { dtype: DType::Bool, ..spec.clone() }])
}

pub(in crate::expr) fn encode_jpeg(call: &Call) -> Result<Vec<TensorSpec>> {
    jpeg_quality("quality", call.int("quality")).map_err(PlanError::argument)?;
    check_word(call, "format", &["", "grayscale", "rgb"])?;
    check_word(call, "density_unit", &["in", "cm"])?;
    for name in ["x_density", "y_density"] {
        if u16::try_from(call.int(name)).is_err() {
            let message = format!("{name} is {}, it must be from 0 to 65535", call.int(name));
            return Err(PlanError::argument(message));
        }
    }
    let xmp_bytes = call.text("xmp_metadata").len();
    if xmp_bytes > MAX_XMP_BYTES {
        return Err(PlanError::argument(format!(
            "xmp_metadata has {xmp_bytes} bytes, a JPEG takes {MAX_XMP_BYTES} of it"
        )));
    }
    let channels: &[usize] = match call.text("format") {
        "grayscale" => &[1],
        "rgb" => &[3],
        _ => &[1, 3],
    };
    encode(call, &[DType::UInt8], channels)
}

pub(in crate::expr) fn encode_png(call: &Call) -> Result<Vec<TensorSpec>> {
    if !(-1..=9).contains(&call.int("compression")) {
        return Err(PlanError::argument(format!(
            "compression is {}, it must be from -1 to 9",
            call.int("compression")
        )));
    }
    let spec = call.inputs[0].spec();
    one_of("the image's type", spec.dtype, &[DType::UInt8, DType::UInt16])?;
    check_channels(spec, &[1, 2, 3, 4])?;
    let outer = image_dims(spec)?.map(|dims| dims[..dims.len() - 3].to_vec());
    Ok(vec![TensorSpec::new(DType::String, outer.map_or(Shape::UNKNOWN, Shape::new))])
}

/// The most that fits into one segment behind the name of its kind.
const MAX_XMP_BYTES: usize = 65_533 - 29;

fn encode(call: &Call, dtypes: &[DType], channels: &[usize]) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    one_of("the image's type", spec.dtype, dtypes)?;
    let any = Shape::new(vec![None, None, None]);
    if !spec.shape.is_compatible_with(&any) {
        return Err(PlanError::spec(format!(
            "takes one image of three dimensions, not shape {}",
            spec.shape
        )));
    }
    check_channels(spec, channels)?;
    Ok(vec![TensorSpec::scalar(DType::String)])
}
