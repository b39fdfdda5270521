//! Other sizes, parts and directions of images.

use feedline_data::{DType, Shape, TensorSpec};

use super::{check_range, check_scale, constant, image_dims, image_of, integers, moved, moved_dims};
use crate::expr::image::{self, ResizeMethod, ResizeSize};
use crate::expr::infer::known::{counts, known_dims, shape_in};
use crate::expr::{Call, Expr, ExprKind};
use crate::{PlanError, Result};

/// Images with another height and width.
pub(super) fn sized(
    spec: &TensorSpec,
    dtype: DType,
    height: Option<usize>,
    width: Option<usize>,
) -> Result<Vec<TensorSpec>> {
    let Some(mut dims) = moved_dims(spec)? else {
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
    let dtype = scaled_dtype(spec, method)?;
    let known = match (size, height_and_width(spec)) {
        (ResizeSize::Exact { height, width }, _) => Some((*height, *width)),
        (size, (Some(height), Some(width))) => Some(size.of(height, width)),
        _ => None,
    };
    sized(spec, dtype, known.map(|known| known.0), known.map(|known| known.1))
}

/// What images are made of that are scaled.
fn scaled_dtype(spec: &TensorSpec, method: ResizeMethod) -> Result<DType> {
    image_dims(spec)?;
    Ok(if method == ResizeMethod::Nearest { spec.dtype } else { DType::Float32 })
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
    let method = ResizeMethod::of_call(call).map_err(PlanError::argument)?;
    let Some(size) = call.tensor_for("size") else {
        let sizes = call.ints("size").unwrap_or_default();
        return resized(call, &ResizeSize::of_call(call, &sizes).map_err(PlanError::argument)?, method);
    };
    if call.flag("fast_scale") {
        return Err(PlanError::argument(
            "fast_scale is for a size that is known when the plan is built, not for a tensor; leave it out",
        ));
    }
    let sides = sides_in(size, "size")?;
    if sides.as_ref().is_some_and(|sides| !matches!(sides.len(), 1 | 2)) {
        return Err(PlanError::spec(format!(
            "size is {}, it must be a height and a width, or the length of the shorter side",
            size.spec()
        )));
    }
    // One number is the shorter side, and two are the most there may be where proportions stay.
    let (height, width) = match sides.as_deref() {
        Some([height, width]) if !call.flag("preserve_aspect_ratio") => (*height, *width),
        _ => (None, None),
    };
    let spec = call.inputs[0].spec();
    sized(spec, scaled_dtype(spec, method)?, height, width)
}

/// The sides of images that the tensor called `name` says: as far as they are known, and their number is.
pub(super) fn sides_in(tensor: &Expr, name: &str) -> Result<Option<Vec<Option<usize>>>> {
    if tensor.spec().shape.rank() == Some(0) {
        counts(tensor, name, 0)?;
        return Ok(Some(vec![None]));
    }
    counts(tensor, name, 1)?;
    let Some(sides) = known_dims(tensor) else { return Ok(None) };
    let side = |side: Option<i64>| {
        side.map(|side| image::target_side(name, side)).transpose().map_err(PlanError::argument)
    };
    sides.into_iter().map(side).collect::<Result<_>>().map(Some)
}

pub(in crate::expr) fn resize_with_pad(call: &Call) -> Result<Vec<TensorSpec>> {
    let method = ResizeMethod::of_call(call).map_err(PlanError::argument)?;
    let (height, width) = (target_side(call, "target_height")?, target_side(call, "target_width")?);
    let spec = call.inputs[0].spec();
    sized(spec, scaled_dtype(spec, method)?, height, width)
}

pub(in crate::expr) fn resize_with_crop_or_pad(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (height, width) = (target_side(call, "target_height")?, target_side(call, "target_width")?);
    sized(spec, spec.dtype, height, width)
}

pub(in crate::expr) fn central_crop(call: &Call) -> Result<Vec<TensorSpec>> {
    let fraction = call.known_float("central_fraction")?;
    let fraction = fraction.map(image::central_fraction).transpose().map_err(PlanError::argument)?;
    let spec = call.inputs[0].spec();
    // All of anything, as in TensorFlow.
    if fraction == Some(1.0) {
        return Ok(vec![spec.clone()]);
    }
    let (height, width) = height_and_width(spec);
    let part = |size: Option<usize>| Some(image::central_part(size?, fraction?).1);
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
    let (height, width) = (target_side(call, "target_height")?, target_side(call, "target_width")?);
    let (known_height, known_width) = height_and_width(spec);
    for (name, side, size, target) in
        [("offset_height", "height", known_height, height), ("offset_width", "width", known_width, width)]
    {
        let Some(offset) = call.known_int(name)? else { continue };
        let offset = image::offset(name, offset).map_err(PlanError::argument)?;
        if let (Some(size), Some(target)) = (size, target)
            && size.saturating_add(offset) > target
        {
            return Err(PlanError::argument(format!(
                "{name} is {offset}: the image of shape {} does not fit into a {side} of {target}",
                spec.shape
            )));
        }
    }
    sized(spec, spec.dtype, height, width)
}

pub(in crate::expr) fn rot90(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (height, width) = height_and_width(spec);
    match call.known_int("k")? {
        Some(k) if k.rem_euclid(2) == 0 => moved(call),
        Some(_) => sized(spec, spec.dtype, width, height),
        None => random_rot90(call),
    }
}

pub(in crate::expr) fn random_rot90(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let (height, width) = height_and_width(spec);
    // A quarter exchanges them, half a turn does not.
    if height.is_some() && height == width { moved(call) } else { sized(spec, spec.dtype, None, None) }
}

pub(in crate::expr) fn apply_orientation(call: &Call) -> Result<Vec<TensorSpec>> {
    let spec = call.inputs[0].spec();
    let orientation = &call.inputs[1];
    check_integer("orientation", orientation)?;
    let (height, width) = height_and_width(spec);
    match constant(orientation).map(|tensor| integers(tensor)[0]) {
        Some(1..=4) => moved(call),
        Some(5..=8) => sized(spec, spec.dtype, width, height),
        Some(other) => Err(PlanError::argument(format!("orientation is {other}, it must be from 1 to 8"))),
        None if height.is_some() && height == width => moved(call),
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
    if let Some(size) = call.tensor_for("size") {
        let shape = shape_in(size, "size")?;
        if spec.shape.rank().zip(shape.rank()).is_some_and(|(own, cut)| own != cut) {
            return Err(PlanError::spec(format!("size {shape} cannot be cut from shape {}", spec.shape)));
        }
        let shape = match (shape.rank(), spec.shape.rank()) {
            (None, Some(rank)) => Shape::new(vec![None; rank]),
            _ => shape,
        };
        return Ok(vec![TensorSpec { shape, ..spec.clone() }]);
    }
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
    check_scale(call.floats("scale"))?;
    check_range("ratio", call.floats("ratio"), f64::INFINITY)?;
    let sizes = call.ints("size").unwrap_or_default();
    let size = ResizeSize::of_call(call, &sizes).map_err(PlanError::argument)?;
    resized(call, &size, ResizeMethod::of_call(call).map_err(PlanError::argument)?)
}

/// A height or width that images get, where it is known.
fn target_side(call: &Call, name: &str) -> Result<Option<usize>> {
    let side = call.known_int(name)?;
    side.map(|side| image::target_side(name, side)).transpose().map_err(PlanError::argument)
}
