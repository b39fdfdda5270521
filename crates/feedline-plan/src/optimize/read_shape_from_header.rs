//! Takes the shape of a JPEG from its header where nothing else of the image is used: `filter(shape(decode_jpeg(x))[0] > 100)` looks at a
//! few hundred bytes of a file instead of decoding it.
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
use crate::expr::{Call, Expr, ExprKind, ExprNode, Operation};
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
            exprs.iter().for_each(|expr| uses.note(expr, false));
            uses.0.retain(|_, decoded| decoded.is_decoded && decoded.is_for_shapes);
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

struct UsesOfNode {
    is_decoded: bool,
    /// Whether all that use it ask for its shape.
    is_for_shapes: bool,
}

impl Uses {
    fn note(&mut self, expr: &Expr, is_for_shape: bool) {
        let key = Arc::as_ptr(expr.node());
        if let Some(known) = self.0.get_mut(&key) {
            known.is_for_shapes &= is_for_shape;
            return;
        }
        let is_decoded = is_call_of(expr, &operations::decode_jpeg);
        self.0.insert(key, UsesOfNode { is_decoded, is_for_shapes: is_for_shape });
        let is_shape = is_call_of(expr, &shape);
        expr.inputs().iter().for_each(|input| self.note(input, is_shape));
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
                let Call { inputs, attributes, .. } = decoding;
                let contents = rebuilt(&inputs[0], marked, done)?;
                let attributes = attributes.iter().chain(&call.attributes).cloned().collect();
                Expr::call_at(&DECODED_JPEG_SHAPE, vec![contents], attributes, 0)?
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
