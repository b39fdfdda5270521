//! Operations of images: height × width × channels, the last three dimensions.

use feedline_data::block::Tensor;
use feedline_data::{DType, Shape, TensorSpec};

use super::wants;
use crate::expr::image::{ResizeMethod, ResizeSize};
use crate::expr::{Call, Expr, ExprKind};
use crate::{PlanError, Result};

type Dims = Vec<Option<usize>>;

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

fn one_of(name: &str, dtype: DType, allowed: &[DType]) -> Result<DType> {
    if allowed.contains(&dtype) {
        return Ok(dtype);
    }
    let allowed: Vec<&str> = allowed.iter().map(|dtype| dtype.name()).collect();
    Err(PlanError::argument(format!("{name} is {dtype}, it must be one of {}", allowed.join(", "))))
}

fn image_of(dtype: DType, dims: Dims) -> Vec<TensorSpec> {
    vec![TensorSpec::new(dtype, Shape::new(dims))]
}

pub(in crate::expr) fn decode_jpeg(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    let channels = channels(call, &[0, 1, 3])?;
    if !matches!(call.int("ratio"), 1 | 2 | 4 | 8) {
        return Err(PlanError::argument(format!("ratio is {}, it must be 1, 2, 4 or 8", call.int("ratio"))));
    }
    if !matches!(call.text("dct_method"), "" | "INTEGER_FAST" | "INTEGER_ACCURATE") {
        return Err(PlanError::argument(format!(
            "dct_method is '{}', it must be '', 'INTEGER_FAST' or 'INTEGER_ACCURATE'",
            call.text("dct_method")
        )));
    }
    Ok(image_of(DType::UInt8, vec![None, None, channels]))
}

pub(in crate::expr) fn decode_and_crop_jpeg(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    let channels = channels(call, &[0, 1, 3])?;
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
    Ok(image_of(DType::UInt8, vec![None, None, channels(call, &[0, 3, 4])?]))
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

pub(in crate::expr) fn is_jpeg(call: &Call) -> Result<Vec<TensorSpec>> {
    encoded(call)?;
    Ok(vec![TensorSpec::scalar(DType::Bool)])
}

pub(in crate::expr) fn encode_jpeg(call: &Call) -> Result<Vec<TensorSpec>> {
    check_jpeg_quality("quality", call.int("quality"))?;
    encode(call, &[DType::UInt8], &[1, 3])
}

pub(in crate::expr) fn encode_png(call: &Call) -> Result<Vec<TensorSpec>> {
    if !(-1..=9).contains(&call.int("compression")) {
        return Err(PlanError::argument(format!(
            "compression is {}, it must be from -1 to 9",
            call.int("compression")
        )));
    }
    encode(call, &[DType::UInt8, DType::UInt16], &[1, 2, 3, 4])
}

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

/// The dimensions of images, if their number is known: at least three.
fn image_dims(spec: &TensorSpec) -> Result<Option<Dims>> {
    wants(spec.dtype.is_numeric(), spec.dtype, "an image, which is made of numbers")?;
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

/// Images with another height and width.
fn sized(
    spec: &TensorSpec,
    dtype: DType,
    height: Option<usize>,
    width: Option<usize>,
) -> Result<Vec<TensorSpec>> {
    let Some(mut dims) = image_dims(spec)? else {
        return Ok(vec![TensorSpec::new(dtype, Shape::UNKNOWN)]);
    };
    let rank = dims.len();
    (dims[rank - 3], dims[rank - 2]) = (height, width);
    Ok(image_of(dtype, dims))
}

/// Height and width, where they are known.
fn height_and_width(spec: &TensorSpec) -> (Option<usize>, Option<usize>) {
    match spec.shape.dims() {
        Some([.., height, width, _]) => (*height, *width),
        _ => (None, None),
    }
}

fn resized(call: &Call, size: &ResizeSize, method: ResizeMethod) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let dtype = if method == ResizeMethod::Nearest { spec.dtype } else { DType::Float32 };
    let known = match (size, height_and_width(spec)) {
        (ResizeSize::Exact { height, width }, _) => Some((*height, *width)),
        (size, (Some(height), Some(width))) => Some(size.of(height, width)),
        _ => None,
    };
    sized(spec, dtype, known.map(|known| known.0), known.map(|known| known.1))
}

pub(in crate::expr) fn resize(call: &Call) -> Result<Vec<TensorSpec>> {
    let size = ResizeSize::of_call(call).map_err(PlanError::argument)?;
    resized(call, &size, ResizeMethod::of_call(call).map_err(PlanError::argument)?)
}

pub(in crate::expr) fn resize_with_pad(call: &Call) -> Result<Vec<TensorSpec>> {
    let method = ResizeMethod::of_call(call).map_err(PlanError::argument)?;
    let (height, width) = (positive(call, "target_height")?, positive(call, "target_width")?);
    resized(call, &ResizeSize::Exact { height, width }, method)
}

pub(in crate::expr) fn resize_with_crop_or_pad(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (height, width) = (positive(call, "target_height")?, positive(call, "target_width")?);
    sized(spec, spec.dtype, Some(height), Some(width))
}

pub(in crate::expr) fn central_crop(call: &Call) -> Result<Vec<TensorSpec>> {
    let fraction = call.float("central_fraction");
    if !(fraction > 0.0 && fraction <= 1.0) {
        return Err(PlanError::argument(format!(
            "central_fraction is {fraction}, it must be above 0 and at most 1"
        )));
    }
    let spec = call.inputs[0].spec();
    let (height, width) = height_and_width(spec);
    let part = |size: Option<usize>| size.map(|size| crate::expr::image::central_part(size, fraction).1);
    sized(spec, spec.dtype, part(height), part(width))
}

pub(in crate::expr) fn crop_to_bounding_box(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let mut known = [None; 4];
    let names = ["offset_height", "offset_width", "target_height", "target_width"];
    for ((known, input), name) in known.iter_mut().zip(&call.inputs[1..]).zip(names) {
        let dtype = input.spec().dtype;
        if !matches!(dtype, DType::Int32 | DType::Int64)
            || !input.spec().shape.is_compatible_with(&Shape::scalar())
        {
            return Err(PlanError::spec(format!(
                "{name} is one number of int32 or int64, not {}",
                input.spec()
            )));
        }
        if let Some(number) = constant(input).map(|tensor| integers(tensor)[0]) {
            let smallest = i64::from(name.starts_with("target"));
            if number < smallest {
                return Err(PlanError::argument(format!(
                    "{name} is {number}, it must be at least {smallest}"
                )));
            }
            *known = Some(number as usize);
        }
    }
    let (height, width) = height_and_width(spec);
    for (size, offset, part, name) in
        [(height, known[0], known[2], "height"), (width, known[1], known[3], "width")]
    {
        if let (Some(size), Some(offset), Some(part)) = (size, offset, part)
            && offset.saturating_add(part) > size
        {
            let end = offset.saturating_add(part);
            return Err(PlanError::argument(format!("the box ends at {name} {end}, the image at {size}")));
        }
    }
    sized(spec, spec.dtype, known[2], known[3])
}

pub(in crate::expr) fn pad_to_bounding_box(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (height, width) = (positive(call, "target_height")?, positive(call, "target_width")?);
    let (known_height, known_width) = height_and_width(spec);
    for (name, size, target) in
        [("offset_height", known_height, height), ("offset_width", known_width, width)]
    {
        let offset = call.int(name);
        if offset < 0 {
            return Err(PlanError::argument(format!("{name} is {offset}, it must not be negative")));
        }
        if size.is_some_and(|size| size.saturating_add(offset as usize) > target) {
            return Err(PlanError::argument(format!(
                "{name} is {offset}: the image of shape {} does not fit into {height} x {width}",
                spec.shape
            )));
        }
    }
    sized(spec, spec.dtype, Some(height), Some(width))
}

/// The same images, changed.
pub(in crate::expr) fn same(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    image_dims(spec)?;
    Ok(vec![spec.clone()])
}

/// The same images of values that can be computed with.
pub(in crate::expr) fn same_number(call: &Call) -> Result<Vec<TensorSpec>> {
    adjustable(call.inputs[0].spec().dtype)?;
    same(call)
}

/// The same images, of three colours.
pub(in crate::expr) fn same_colours(call: &Call) -> Result<Vec<TensorSpec>> {
    check_channels(call.inputs[0].spec(), &[3])?;
    if call.operation.name == "image.adjust_hue" && !(-1.0..=1.0).contains(&call.float("delta")) {
        return Err(PlanError::argument(format!(
            "delta is {}, it must be from -1 to 1",
            call.float("delta")
        )));
    }
    same_number(call)
}

pub(in crate::expr) fn rot90(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (height, width) = height_and_width(spec);
    if call.int("k").rem_euclid(2) == 0 { same(call) } else { sized(spec, spec.dtype, width, height) }
}

pub(in crate::expr) fn random_crop(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let size = call.ints("size").unwrap_or_default();
    let sizes: Vec<usize> = size.iter().map(|&size| usize::try_from(size).unwrap_or(usize::MAX)).collect();
    if size.is_empty() || size.iter().any(|&size| size < 0) {
        return Err(PlanError::argument(format!("size is {size:?}, it must say how long each dimension is")));
    }
    let Some(dims) = spec.shape.dims() else {
        return Ok(vec![TensorSpec { shape: Shape::fixed(&sizes), ..spec.clone() }]);
    };
    let fits = dims.len() == sizes.len()
        && dims.iter().zip(&sizes).all(|(dim, size)| dim.is_none_or(|dim| dim >= *size));
    if !fits {
        return Err(PlanError::argument(format!("size {sizes:?} cannot be cut from shape {}", spec.shape)));
    }
    Ok(vec![TensorSpec { shape: Shape::fixed(&sizes), ..spec.clone() }])
}

pub(in crate::expr) fn random_resized_crop(call: &Call) -> Result<Vec<TensorSpec>> {
    for (name, limit) in [("scale", 1.0), ("ratio", f64::INFINITY)] {
        match *call.floats(name) {
            [low, high] if 0.0 < low && low <= high && high <= limit => {}
            ref other => {
                let message =
                    format!("{name} is {other:?}, it must be two numbers above 0, the smaller first");
                return Err(PlanError::argument(message));
            }
        }
    }
    let size = ResizeSize::of_call(call).map_err(PlanError::argument)?;
    if !matches!(size, ResizeSize::Exact { .. }) {
        return Err(PlanError::argument("size must be a height and a width"));
    }
    resized(call, &size, ResizeMethod::of_call(call).map_err(PlanError::argument)?)
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
    if std.iter().any(|std| !(*std > 0.0)) {
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
    if dtype != DType::Float32 {
        return Err(PlanError::spec(format!("takes float32 from 0 to 1, not {dtype}"))
            .with_hint("convert_image_dtype(…, float32) makes it so"));
    }
    same_colours(call)
}

pub(in crate::expr) fn gamma(call: &Call) -> Result<Vec<TensorSpec>> {
    let gamma = call.float("gamma");
    if gamma.is_nan() || gamma < 0.0 {
        return Err(PlanError::argument(format!("gamma is {gamma}, it must not be negative")));
    }
    same_number(call)
}

pub(in crate::expr) fn jpeg_quality(call: &Call) -> Result<Vec<TensorSpec>> {
    check_jpeg_quality("jpeg_quality", call.int("jpeg_quality"))?;
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

pub(in crate::expr) fn random_saturation(call: &Call) -> Result<Vec<TensorSpec>> {
    check_channels(call.inputs[0].spec(), &[3])?;
    random_factor(call)
}

/// Types with a scale of their own: integers have their largest value, floats 1.
fn adjustable(dtype: DType) -> Result<()> {
    use DType::{Float16, Float32, Float64, Int8, Int16, Int32, UInt8, UInt16};
    let known = matches!(dtype, UInt8 | UInt16 | Int8 | Int16 | Int32 | Float16 | Float32 | Float64);
    wants(known, dtype, "uint8, uint16, int8, int16, int32, float16, float32 or float64")
}

fn check_jpeg_quality(name: &str, quality: i64) -> Result<()> {
    if (0..=100).contains(&quality) {
        return Ok(());
    }
    Err(PlanError::argument(format!("{name} is {quality}, it must be from 0 to 100")))
}

fn positive(call: &Call, name: &str) -> Result<usize> {
    match usize::try_from(call.int(name)) {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(PlanError::argument(format!("{name} is {}, it must be above 0", call.int(name)))),
    }
}

/// The tensor an expression is, where it is the same for all elements.
fn constant(expr: &Expr) -> Option<&Tensor> {
    match &expr.node().kind {
        ExprKind::Constant(tensor) => Some(tensor),
        _ => None,
    }
}

fn integers(tensor: &Tensor) -> Vec<i64> {
    match tensor.dtype() {
        DType::Int32 => tensor.as_slice::<i32>().iter().map(|&number| number.into()).collect(),
        _ => tensor.as_slice::<i64>().to_vec(),
    }
}
