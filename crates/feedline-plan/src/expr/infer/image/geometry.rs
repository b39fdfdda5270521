//! Other sizes, parts and directions of images.

use feedline_data::{DType, Shape, TensorSpec};

use super::{check_range, constant, image_dims, image_of, integers, same};
use crate::expr::image::{ResizeMethod, ResizeSize};
use crate::expr::{Call, Expr, ExprKind};
use crate::{PlanError, Result};

/// Images with another height and width.
pub(super) fn sized(
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

/// `fast_scale` is for what can be decoded at a part of its size: only then is it the same whatever the optimizer does.
fn check_fast_scale(call: &Call) -> Result<()> {
    let is_decoded = match &call.inputs[0].node().kind {
        ExprKind::Call(before) => {
            before.operation.name.starts_with("image.decode_jpeg") && before.int("ratio") == 1
        }
        _ => false,
    };
    if call.flag("fast_scale") && !is_decoded {
        return Err(PlanError::argument(
            "fast_scale is for images that decode_jpeg, with ratio 1, gives right here, in the same function; elsewhere leave it out",
        ));
    }
    Ok(())
}

pub(in crate::expr) fn resize(call: &Call) -> Result<Vec<TensorSpec>> {
    check_fast_scale(call)?;
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
        check_integer(name, input)?;
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

pub(in crate::expr) fn rot90(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (height, width) = height_and_width(spec);
    if call.int("k").rem_euclid(2) == 0 { same(call) } else { sized(spec, spec.dtype, width, height) }
}

pub(in crate::expr) fn random_rot90(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (height, width) = height_and_width(spec);
    // A quarter exchanges them, half a turn does not.
    if height.is_some() && height == width { same(call) } else { sized(spec, spec.dtype, None, None) }
}

pub(in crate::expr) fn apply_orientation(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let orientation = &call.inputs[1];
    check_integer("orientation", orientation)?;
    let (height, width) = height_and_width(spec);
    match constant(orientation).map(|tensor| integers(tensor)[0]) {
        Some(1..=4) => same(call),
        Some(5..=8) => sized(spec, spec.dtype, width, height),
        Some(other) => Err(PlanError::argument(format!("orientation is {other}, it must be from 1 to 8"))),
        None if height.is_some() && height == width => same(call),
        None => sized(spec, spec.dtype, None, None),
    }
}

/// One whole number for each element.
fn check_integer(name: &str, input: &Expr) -> Result<()> {
    let spec = input.spec();
    if matches!(spec.dtype, DType::Int32 | DType::Int64) && spec.shape.is_compatible_with(&Shape::scalar()) {
        return Ok(());
    }
    Err(PlanError::spec(format!("{name} is one number of int32 or int64, not {spec}")))
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
    check_fast_scale(call)?;
    check_range("scale", call.floats("scale"), 1.0)?;
    check_range("ratio", call.floats("ratio"), f64::INFINITY)?;
    let size = ResizeSize::of_call(call).map_err(PlanError::argument)?;
    if !matches!(size, ResizeSize::Exact { .. }) {
        return Err(PlanError::argument("size must be a height and a width"));
    }
    resized(call, &size, ResizeMethod::of_call(call).map_err(PlanError::argument)?)
}

fn positive(call: &Call, name: &str) -> Result<usize> {
    match usize::try_from(call.int(name)) {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(PlanError::argument(format!("{name} is {}, it must be above 0", call.int(name)))),
    }
}
