//! Decodes of an image only what is needed: where `decode_jpeg` or `decode_image` is followed by a crop, a resize, a flip or `normalize`, and by
//! nothing else, the two are computed in one pass.
//!
//! A JPEG is decoded from its beginning, but no further than the last row that is needed, and rows are transformed only where the
//! crop has them. The box of `crop_to_bounding_box` and the part of `slice` may be computed for each element, as those that
//! `sample_distorted_bounding_box` draws are; a size or a fraction that is computed is not known when the pass is planned, so that resize
//! stays apart. What follows is done to each row of pixels while it is in the cache and goes straight to its place in
//! the batch. Here the call is marked (it becomes `decode_jpeg_as_needed`; what `decode_image` finds to be no JPEG is decoded whole); the kernels find what they can join to it. The pixels
//! are the same, and so are the errors: damage below the crop is none without the rule either.

use std::collections::HashMap;
use std::sync::Arc;

use super::Rule;
use super::calls::with_functions;
use crate::expr::{Call, Expr, ExprKind, ExprNode};
use crate::{Plan, Result};

/// Has images decoded as far as they are needed.
#[derive(Debug)]
pub struct CropAndScaleInDecode;

impl Rule for CropAndScaleInDecode {
    fn name(&self) -> &'static str {
        "crop_and_scale_in_decode"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        with_functions(plan, |exprs| {
            let mut uses = Uses::default();
            exprs.iter().for_each(|expr| uses.count(expr, false));
            uses.0.retain(|_, uses| uses.is_decoded && uses.is_joined && uses.count == 1);
            if uses.0.is_empty() {
                return Ok(None);
            }
            let mut done = HashMap::new();
            exprs.iter().map(|expr| rebuilt(expr, &uses, &mut done)).collect::<Result<_>>().map(Some)
        })
    }
}

/// How often each node is used, and by what.
#[derive(Default)]
struct Uses(HashMap<*const ExprNode, UsesOfNode>);

#[derive(Default)]
struct UsesOfNode {
    count: usize,
    is_decoded: bool,
    /// Whether what used it last can be computed along with it.
    is_joined: bool,
}

impl Uses {
    fn count(&mut self, expr: &Expr, is_joined: bool) {
        let uses = self.0.entry(Arc::as_ptr(expr.node())).or_default();
        uses.count += 1;
        uses.is_joined = is_joined;
        if uses.count > 1 {
            return;
        }
        let call = call_of(expr);
        uses.is_decoded = call.is_some_and(Call::decodes_parts);
        // The result of a function within another is used by whatever uses it there.
        let joins = match &expr.node().kind {
            ExprKind::After { inputs } if inputs.len() == 1 => is_joined,
            _ => call.is_some_and(|call| call.joins_decoding() && is_known_in_time(call)),
        };
        for (index, input) in expr.inputs().iter().enumerate() {
            self.count(input, joins && index == 0);
        }
    }
}

/// Whether all that a call gets besides the image is known before the first element, or is which part it takes.
fn is_known_in_time(call: &Call) -> bool {
    call.takes_given_part()
        || call.inputs[1..].iter().all(|input| matches!(input.node().kind, ExprKind::Constant(_)))
}

fn call_of(expr: &Expr) -> Option<&Call> {
    match &expr.node().kind {
        ExprKind::Call(call) => Some(call),
        _ => None,
    }
}

/// The same expression, with the nodes of `marked` decoded as needed.
fn rebuilt(expr: &Expr, marked: &Uses, done: &mut HashMap<*const ExprNode, Vec<Expr>>) -> Result<Expr> {
    let key = Arc::as_ptr(expr.node());
    if !done.contains_key(&key) {
        let inputs =
            expr.inputs().iter().map(|input| rebuilt(input, marked, done)).collect::<Result<Vec<Expr>>>()?;
        let outputs = match &expr.node().kind {
            ExprKind::Call(call) if marked.0.contains_key(&key) => {
                Expr::call_instead(call, call.as_needed(), inputs, call.attributes.clone())?
            }
            _ => expr.outputs_of(inputs)?,
        };
        done.insert(key, outputs);
    }
    Ok(done[&key][expr.output()].clone())
}

#[cfg(test)]
mod tests {
    use feedline_data::block::Tensor;
    use feedline_data::{DType, Structure};

    use super::super::tests::{declines, fires, ten};
    use super::super::{FuseMaps, Optimizer, ReadShapeFromHeader};
    use super::*;
    use crate::expr::{Attribute, Slice};
    use crate::{Symbolic, ops};

    fn files() -> Plan {
        let files = Tensor::from_strings(vec![2], ["", ""].iter().collect());
        Plan::from_tensor_slices(&Structure::Leaf(files)).expect("valid")
    }

    fn mapped(function: impl FnOnce(Symbolic) -> Symbolic) -> Plan {
        files().map(function, None).expect("valid")
    }

    fn decoded(bytes: Symbolic) -> Symbolic {
        ops::image::decode_jpeg(bytes, 3, 1, "")
    }

    fn numbers(values: [i32; 3]) -> Symbolic {
        Symbolic::from(Tensor::from_vec(vec![3], values.to_vec()))
    }

    #[test]
    fn crops_resizes_and_flips_take_what_they_need() {
        let functions: [fn(Symbolic) -> Symbolic; 6] = [
            |x| ops::image::central_crop(decoded(x), 0.5),
            |x| ops::image::resize(decoded(x), [8, 9], "bilinear", false, false, false) / 255.0,
            |x| ops::image::random_flip_left_right(decoded(x), 1),
            |x| ops::image::normalize(decoded(x), [1.0], [2.0]),
            |x| ops::slice(decoded(x), numbers([1, 2, 0]), numbers([3, 4, -1])),
            |x| decoded(x).slice((1..4, 2..)),
        ];
        for function in functions {
            let line = &fires(&CropAndScaleInDecode, &mapped(function))[1];
            assert!(line.contains("decode_jpeg_as_needed(x0"), "{line}");
        }
    }

    #[test]
    fn images_of_any_format_may_be_jpegs() {
        let any =
            |x, channels: i64, dtype, expands: bool| ops::image::decode_image(x, channels, dtype, expands);
        let cropped = |channels, dtype, expands| {
            mapped(move |x| ops::image::central_crop(any(x, channels, dtype, expands), 0.5))
        };
        for (channels, expands) in [(0, false), (1, false), (3, false), (3, true)] {
            let line = &fires(&CropAndScaleInDecode, &cropped(channels, DType::UInt8, expands))[1];
            assert!(line.contains("decode_image_as_needed(x0"), "{line}");
        }
        // A JPEG has no alpha, and values of another type are made of all of it.
        declines(&CropAndScaleInDecode, &cropped(4, DType::UInt8, false));
        declines(&CropAndScaleInDecode, &cropped(3, DType::UInt16, false));
        declines(&CropAndScaleInDecode, &cropped(3, DType::Float32, false));
        declines(&CropAndScaleInDecode, &mapped(|x| any(x, 3, DType::UInt8, false)));
    }

    #[test]
    fn nested_datasets_and_joined_maps_are_reached() {
        let inner = |_| Ok(mapped(|x| ops::image::central_crop(decoded(x), 0.5)));
        let lines = fires(&CropAndScaleInDecode, &ten().flat_map(inner).expect("valid"));
        assert!(lines.iter().any(|line| line.contains("as_needed")), "{lines:?}");
        let two = mapped(decoded).map(|x| ops::image::central_crop(x, 0.5), None).expect("valid");
        let rules: [&'static dyn Rule; 2] = [&FuseMaps, &CropAndScaleInDecode];
        let lines = Optimizer::with_rules(&rules).optimize(&two).expect("rules do not fail").plan.lines();
        assert!(lines[1].contains("as_needed"), "{lines:?}");
    }

    /// What TensorFlow trains classifiers of photos with.
    #[test]
    fn a_part_that_is_drawn_for_each_image_is_taken_in_decoding() {
        let drawn = |x: Symbolic, take: fn(Symbolic, &Symbolic, &Symbolic) -> Symbolic| {
            let image = decoded(x);
            let shape = ops::shape(&image, feedline_data::DType::Int32);
            let boxes = ops::zeros(feedline_data::Shape::fixed(&[1, 0, 4]), feedline_data::DType::Float32);
            let part = ops::image::sample_distorted_bounding_box(
                shape,
                boxes,
                1,
                0.1,
                [0.75, 1.33],
                [0.05, 1.0],
                100,
                true,
            );
            take(image, &part.at(0), &part.at(1))
        };
        let takes: [fn(Symbolic, &Symbolic, &Symbolic) -> Symbolic; 2] = [
            |image, begin, size| ops::slice(image, begin, size),
            |image, begin, size| {
                ops::image::crop_to_bounding_box(
                    image,
                    begin.index(0),
                    begin.index(1),
                    size.index(0),
                    size.index(1),
                )
            },
        ];
        for take in takes {
            let rules: [&'static dyn Rule; 2] = [&ReadShapeFromHeader, &CropAndScaleInDecode];
            let plan = mapped(|x| drawn(x, take));
            let lines =
                Optimizer::with_rules(&rules).optimize(&plan).expect("rules do not fail").plan.lines();
            assert!(lines[1].contains("as_needed"), "{lines:?}");
        }
    }

    #[test]
    fn slices_that_are_no_parts_of_images_stay() {
        declines(&CropAndScaleInDecode, &mapped(|x| decoded(x).slice((.., .., 0))));
        declines(&CropAndScaleInDecode, &mapped(|x| decoded(x).slice(3)));
        declines(&CropAndScaleInDecode, &mapped(|x| decoded(x).slice((Slice::ALL.by(2), 1..3))));
        declines(&CropAndScaleInDecode, &mapped(|x| decoded(x).slice((.., .., ..2))));
    }

    #[test]
    fn what_is_needed_whole_stays() {
        declines(&CropAndScaleInDecode, &mapped(decoded));
        declines(&CropAndScaleInDecode, &mapped(|x| ops::reduce_mean(decoded(x), Attribute::None, false)));
        let twice = |x| {
            let image = decoded(x);
            Symbolic::from((
                ops::image::central_crop(&image, 0.5),
                ops::reduce_max(image, Attribute::None, false),
            ))
        };
        declines(&CropAndScaleInDecode, &mapped(twice));
        let computed = |x: Symbolic| {
            let height =
                ops::floordiv(ops::image::extract_jpeg_shape(&x, feedline_data::DType::Int32).index(0), 2);
            ops::image::crop_to_bounding_box(decoded(x), 0, 0, height, 9)
        };
        fires(&CropAndScaleInDecode, &mapped(computed));
        let sized = |x: Symbolic| {
            let half = ops::floordiv(ops::image::extract_jpeg_shape(&x, feedline_data::DType::Int32), 2);
            ops::image::resize(decoded(x), half.slice(..2), "bilinear", false, false, false)
        };
        declines(&CropAndScaleInDecode, &mapped(sized));
        fires(&CropAndScaleInDecode, &mapped(|x| ops::image::crop_to_bounding_box(decoded(x), 0, 0, 9, 9)));
        let scaled = |x| ops::image::central_crop(ops::image::decode_jpeg(x, 3, 2, ""), 0.5);
        declines(&CropAndScaleInDecode, &mapped(scaled));
        let png =
            |x| ops::image::central_crop(ops::image::decode_png(x, 3, feedline_data::DType::UInt8), 0.5);
        declines(&CropAndScaleInDecode, &mapped(png));
    }
}
