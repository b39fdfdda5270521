//! Parts of images that boxes say: rows of `y1, x1, y2, x2`, from 0 to 1.

use feedline_data::{DType, Shape, TensorSpec};

use super::super::literals::check_indices;
use super::geometry::sides_in;
use super::{check_range, image_of, wants};
use crate::expr::image::{BoxMethod, crop_size};
use crate::expr::{Call, Expr};
use crate::{PlanError, Result};

fn check_shape(name: &str, input: &Expr, dims: &[Option<usize>], what: &str) -> Result<()> {
    let spec = input.spec();
    if spec.shape.is_compatible_with(&Shape::new(dims.to_vec())) {
        return Ok(());
    }
    Err(PlanError::spec(format!("{name} is {what}, not shape {}", spec.shape)))
}

pub(in crate::expr) fn crop_and_resize(call: &Call) -> Result<Vec<TensorSpec>> {
    let [image, boxes, indices, ..] = &call.inputs[..] else {
        unreachable!("the number of tensors is checked")
    };
    wants(image.spec().dtype.is_numeric(), image.spec().dtype, "images, which are made of numbers")?;
    check_shape("image", image, &[None; 4], "a batch of images: number, height, width and channels")?;
    wants(boxes.spec().dtype == DType::Float32, boxes.spec().dtype, "boxes of float32")?;
    check_shape("boxes", boxes, &[None, Some(4)], "a row of y1, x1, y2, x2 for each part")?;
    let is_index = matches!(indices.spec().dtype, DType::Int32 | DType::Int64);
    wants(is_index, indices.spec().dtype, "box_indices of int32 or int64")?;
    check_shape("box_indices", indices, &[None], "a number for each part")?;
    let (height, width) = if let Some(size) = call.tensor_for("crop_size") {
        match sides_in(size, "crop_size")?.as_deref() {
            None => (None, None),
            Some([height, width]) => (*height, *width),
            Some(_) => return Err(PlanError::spec("crop_size must be a height and a width")),
        }
    } else {
        let sides = call.ints("crop_size").unwrap_or_default();
        let (height, width) = crop_size(&sides).map_err(PlanError::argument)?;
        (Some(height), Some(width))
    };
    BoxMethod::of_call(call).map_err(PlanError::argument)?;
    if !call.float("extrapolation_value").is_finite() {
        return Err(PlanError::argument("extrapolation_value must be a number"));
    }
    let first = |expr: &Expr| expr.spec().shape.dims().and_then(|dims| dims.first().copied().flatten());
    let (num_boxes, num_indices) = (first(boxes), first(indices));
    if let (Some(boxes), Some(indices)) = (num_boxes, num_indices)
        && boxes != indices
    {
        return Err(PlanError::spec(format!("there are {boxes} boxes and {indices} box_indices")));
    }
    check_indices("box_indices", indices, first(image))?;
    let channels = image.spec().shape.dims().and_then(|dims| dims.last().copied().flatten());
    Ok(image_of(DType::Float32, vec![num_boxes.or(num_indices), height, width, channels]))
}

pub(in crate::expr) fn sample_distorted_bounding_box(call: &Call) -> Result<Vec<TensorSpec>> {
    let [size, boxes] = &call.inputs[..] else { unreachable!("the number of tensors is checked") };
    let dtype = size.spec().dtype;
    wants(matches!(dtype, DType::Int32 | DType::Int64), dtype, "an image_size of int32 or int64")?;
    check_shape("image_size", size, &[Some(3)], "height, width and channels")?;
    wants(boxes.spec().dtype == DType::Float32, boxes.spec().dtype, "bounding_boxes of float32")?;
    check_shape("bounding_boxes", boxes, &[Some(1), None, Some(4)], "one x number x 4")?;
    let covered = call.float("min_object_covered");
    if !(0.0..=1.0).contains(&covered) {
        return Err(PlanError::argument(format!("min_object_covered is {covered}, it must be from 0 to 1")));
    }
    check_range("aspect_ratio_range", call.floats("aspect_ratio_range"), f64::INFINITY)?;
    check_range("area_range", call.floats("area_range"), 1.0)?;
    if !(1..=i64::from(u32::MAX)).contains(&call.int("max_attempts")) {
        return Err(PlanError::argument(format!(
            "max_attempts is {}, it must be at least 1",
            call.int("max_attempts")
        )));
    }
    let three = TensorSpec::new(dtype, Shape::fixed(&[3]));
    Ok(vec![three.clone(), three, TensorSpec::new(DType::Float32, Shape::fixed(&[1, 1, 4]))])
}
