//! Takes the shape of a JPEG from its header where nothing else of the image is used: `filter(shape(decode_jpeg(x))[0] > 100)` looks at a
//! few hundred bytes of a file instead of decoding it. So it does beside crops, resizes and flips of the same image, which take only what they
//! need of it.
//!
//! That the pixels are damaged is no error then: they do not reach the output. With the optimizer off that must be so, too, or there would
//! be other errors, and states that count them would be restored to other elements. So this says what such a function means, and is always
//! applied. What is no JPEG, of which `decode_jpeg` takes some, is decoded as before.

use std::collections::HashMap;
use std::sync::Arc;

use super::Rule;
use super::calls::with_functions;
use crate::expr::catalogue::image::{DECODED_JPEG_SHAPE, operations};
use crate::expr::catalogue::operations::shape;
use crate::expr::{Expr, ExprKind, ExprNode, Operation};
use crate::{Plan, Result};

/// Has shapes of JPEGs read from their headers.
#[derive(Debug)]
pub struct ReadShapeFromHeader;

impl Rule for ReadShapeFromHeader {
    fn name(&self) -> &'static str {
        "read_shape_from_header"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        with_functions(plan, |exprs| {
            let mut uses = Uses::default();
            exprs.iter().for_each(|expr| uses.note(expr, For::All));
            uses.0.retain(|_, decoded| decoded.is_decoded && decoded.has_shapes && !decoded.is_whole);
            if uses.0.is_empty() {
                return Ok(None);
            }
            let mut done = HashMap::new();
            exprs.iter().map(|expr| rebuilt(expr, &uses, &mut done)).collect::<Result<_>>().map(Some)
        })
    }
}

/// Of each node, what it is used for.
#[derive(Default)]
struct Uses(HashMap<*const ExprNode, UsesOfNode>);

#[derive(Default)]
struct UsesOfNode {
    is_decoded: bool,
    /// Whether some that use it ask for its shape.
    has_shapes: bool,
    /// Whether some that use it may need all of it.
    is_whole: bool,
}

/// What something is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Shape,
    /// What can be computed along with decoding.
    Part,
    All,
}

impl Uses {
    fn note(&mut self, expr: &Expr, what_for: For) {
        let key = Arc::as_ptr(expr.node());
        let is_new = !self.0.contains_key(&key);
        let uses = self.0.entry(key).or_default();
        uses.has_shapes |= what_for == For::Shape;
        uses.is_whole |= what_for == For::All;
        if !is_new {
            return;
        }
        uses.is_decoded = is_call_of(expr, &operations::decode_jpeg);
        for (index, input) in expr.inputs().iter().enumerate() {
            let what_for = match &expr.node().kind {
                ExprKind::Call(_) if is_call_of(expr, &shape) => For::Shape,
                ExprKind::Call(call) if index == 0 && call.joins_decoding() => For::Part,
                _ => For::All,
            };
            self.note(input, what_for);
        }
    }
}

fn is_call_of(expr: &Expr, operation: &'static Operation) -> bool {
    matches!(&expr.node().kind, ExprKind::Call(call) if std::ptr::eq(call.operation, operation))
}

/// The same expression, with shapes of what is in `marked` taken from headers.
fn rebuilt(expr: &Expr, marked: &Uses, done: &mut HashMap<*const ExprNode, Vec<Expr>>) -> Result<Expr> {
    let key = Arc::as_ptr(expr.node());
    if !done.contains_key(&key) {
        let outputs = match &expr.node().kind {
            ExprKind::Call(call) if is_call_of(expr, &shape) && is_marked(&call.inputs[0], marked) => {
                let ExprKind::Call(decoding) = &call.inputs[0].node().kind else {
                    unreachable!("what is marked is a call")
                };
                let contents = rebuilt(&decoding.inputs[0], marked, done)?;
                let attributes = decoding.attributes.iter().chain(&call.attributes).cloned().collect();
                Expr::call_instead(decoding, &DECODED_JPEG_SHAPE, vec![contents], attributes)?
            }
            _ => {
                let inputs = expr.inputs().iter().map(|input| rebuilt(input, marked, done));
                expr.outputs_of(inputs.collect::<Result<_>>()?)?
            }
        };
        done.insert(key, outputs);
    }
    Ok(done[&key][expr.output()].clone())
}

fn is_marked(expr: &Expr, marked: &Uses) -> bool {
    marked.0.contains_key(&Arc::as_ptr(expr.node()))
}

#[cfg(test)]
mod tests {
    use feedline_data::block::Tensor;
    use feedline_data::{DType, Structure};

    use super::super::Optimizer;
    use super::super::tests::{declines, fires, ten};
    use super::*;
    use crate::{Symbolic, ops};

    fn files() -> Plan {
        let files = Tensor::from_strings(vec![2], ["", ""].iter().collect());
        Plan::from_tensor_slices(&Structure::Leaf(files)).expect("valid")
    }

    fn shape_of(image: &Symbolic) -> Symbolic {
        ops::shape(image, DType::Int32)
    }

    fn decoded(bytes: Symbolic) -> Symbolic {
        ops::image::decode_jpeg(bytes, 3, 1, "")
    }

    fn is_large(bytes: Symbolic) -> Symbolic {
        let image = decoded(bytes);
        ops::logical_and(shape_of(&image).index(0).gt(9), shape_of(&image).index(1).gt(9))
    }

    #[test]
    fn shapes_alone_need_the_header_alone() {
        let filtered = files().filter(is_large).expect("valid");
        let line = &fires(&ReadShapeFromHeader, &filtered)[1];
        assert!(line.contains("image.decoded_jpeg_shape(x0, channels=3"), "{line}");
        assert!(!line.contains("decode_jpeg("), "{line}");
        let mapped = files().map(|x| shape_of(&decoded(x)), None).expect("valid");
        fires(&ReadShapeFromHeader, &mapped);
        let nested = ten().flat_map(|_| files().filter(is_large)).expect("valid");
        let lines = fires(&ReadShapeFromHeader, &nested);
        assert!(lines.iter().any(|line| line.contains("decoded_jpeg_shape")), "{lines:?}");
    }

    #[test]
    fn shapes_beside_crops_leave_the_image_to_them() {
        let beside = |bytes| {
            let image = decoded(bytes);
            Symbolic::from((ops::image::central_crop(&image, 0.5), shape_of(&image)))
        };
        let mapped = files().map(beside, None).expect("valid");
        let line = &fires(&ReadShapeFromHeader, &mapped)[1];
        assert!(line.contains("decoded_jpeg_shape") && line.contains("central_crop"), "{line}");
        // The crop is then all that uses the image.
        let plan = Optimizer::new().optimize(&mapped).expect("rules do not fail").plan;
        assert!(plan.lines()[1].contains("decode_jpeg_as_needed"), "{:?}", plan.lines());
    }

    #[test]
    fn it_is_applied_with_the_optimizer_off() {
        let filtered = files().filter(is_large).expect("valid");
        let plan = Optimizer::new().switched(false).optimize(&filtered).expect("rules do not fail").plan;
        assert!(plan.lines()[1].contains("decoded_jpeg_shape"), "{:?}", plan.lines());
    }

    #[test]
    fn pixels_that_are_used_are_decoded() {
        let both = |bytes| {
            let image = decoded(bytes);
            Symbolic::from((shape_of(&image), image))
        };
        declines(&ReadShapeFromHeader, &files().map(both, None).expect("valid"));
        let checked = |bytes: Symbolic| {
            let image = decoded(bytes);
            shape_of(&image).after([ops::assert_greater(ops::cast(image, DType::Float32), 0, "")])
        };
        declines(&ReadShapeFromHeader, &files().map(checked, None).expect("valid"));
        let scaled = |x| shape_of(&ops::image::central_crop(decoded(x), 0.5));
        declines(&ReadShapeFromHeader, &files().map(scaled, None).expect("valid"));
        let png = |x| shape_of(&ops::image::decode_png(x, 3, DType::UInt8));
        declines(&ReadShapeFromHeader, &files().map(png, None).expect("valid"));
        // A map of its own asks for the image.
        let two = files().map(decoded, None).expect("valid").map(|x| shape_of(&x), None).expect("valid");
        declines(&ReadShapeFromHeader, &two);
        let running = Optimizer::new().optimize(&two).expect("rules do not fail").plan.lines().join(" ");
        assert!(!running.contains("decoded_jpeg_shape"), "{running}");
    }
}
