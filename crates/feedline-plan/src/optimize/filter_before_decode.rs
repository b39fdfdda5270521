//! Has a filter that needs no pixels run before images are decoded, wherever it is written:
//! `map(decode).filter(by the size in the header, or the label)` decodes only what passes.
//!
//! What is dropped is never decoded, so that it is damaged is no error. With the optimizer off that must be so, too, or there would be other
//! errors, and states that count them would be restored to other elements. So this says what such a plan means, and is always applied.
//! (In tf.data a damaged image is an error even if the filter behind it would have dropped it.)
//!
//! A function that decodes is cut in two where the predicate needs more of it than what comes in: what is computed before any image is
//! decoded (the record is parsed, the file read), and the rest. The filter stands between them, so nothing is computed twice. All errors
//! but those of decoding, and of what is computed with pixels, stay what they are. What passes is the same, in the same order; random
//! operations keep their places, and none of the steps saves anything of its own. Between the map that decodes and the filter there may be
//! others.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use feedline_data::Structure;

use super::Rule;
use super::composed::{FilteredMap, checked_first, failing_parts, filter_of, filtered_map};
use crate::expr::{Expr, ExprKind, ExprNode};
use crate::{Function, NodeKind, Plan, Result};

/// Has filters run before images are decoded.
#[derive(Debug)]
pub struct FilterBeforeDecode;

impl Rule for FilterBeforeDecode {
    fn name(&self) -> &'static str {
        "filter_before_decode"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let Some(FilteredMap { predicate, map, result, num_parallel_calls }) = filtered_map(plan) else {
            return Ok(None);
        };
        let input = &map.node().inputs[0];
        let results: Vec<Expr> = result.leaves().into_iter().cloned().collect();
        let mut pixels = Pixels::of_inputs(leaves_with_pixels(input, MAX_MAPS));
        if !results.iter().any(|result| pixels.are_in(result)) {
            return Ok(None);
        }
        let used = |leaf: usize| {
            predicate.any(&mut |node| matches!(node.kind, ExprKind::Input { leaf: other } if other == leaf))
        };
        if (0..results.len()).any(|leaf| used(leaf) && pixels.are_in(&results[leaf])) {
            return Ok(None);
        }
        let mut cut = Cut::default();
        results.iter().for_each(|result| cut.find(result, &mut pixels));
        let (filtered, rest) = if cut.is_at_inputs() || !pixels.are_computed_with(&results) {
            // Nothing to cut here, but an image is decoded in this map or before it. What little there is besides is computed twice.
            let mut predicate = [predicate.substitute(&results)?];
            checked_first(&mut predicate, failing_parts(&cut.values));
            let [predicate] = predicate;
            (filter_of(input, predicate, plan), result.clone())
        } else {
            let before = Structure::Tuple(cut.values.iter().cloned().map(Structure::Leaf).collect());
            let spec = before.map(|expr| expr.spec().clone());
            let kind = NodeKind::Map { function: Function::Traced(before), num_parallel_calls };
            let first =
                input.step(kind, spec, map.cardinality()).with_places(map.num_places()).numbered_as(map);
            let mut done = HashMap::new();
            let rest = results.iter().map(|result| cut.behind(result, &mut done));
            let rest = rest.collect::<Result<Vec<Expr>>>()?;
            let predicate = predicate.substitute(&rest)?;
            (filter_of(&first, predicate, plan), result.with_leaves(rest))
        };
        // There may be another map before it.
        let filtered = self.rewrite(&filtered)?.unwrap_or(filtered);
        let kind = NodeKind::Map { function: Function::Traced(rest), num_parallel_calls };
        Ok(Some(plan.with_kind(kind, vec![filtered]).numbered_as(map)))
    }
}

/// Maps before a filter that are looked through: more than people write between an image and its filter, and few enough that
/// plans of thousands of steps cost nothing.
const MAX_MAPS: usize = 8;

/// Which leaves of the elements of `plan` are computed of pixels that maps right before decoded.
fn leaves_with_pixels(plan: &Plan, max_maps: usize) -> Vec<bool> {
    match &plan.node().kind {
        NodeKind::Map { function: Function::Traced(result), .. } if max_maps > 0 => {
            let inputs = leaves_with_pixels(&plan.node().inputs[0], max_maps - 1);
            let mut pixels = Pixels::of_inputs(inputs);
            result.leaves().into_iter().map(|leaf| pixels.are_in(leaf)).collect()
        }
        _ => vec![false; plan.spec().num_leaves()],
    }
}

/// What is computed of pixels.
struct Pixels {
    inputs: Vec<bool>,
    known: HashMap<*const ExprNode, bool>,
}

impl Pixels {
    fn of_inputs(inputs: Vec<bool>) -> Pixels {
        Pixels { inputs, known: HashMap::new() }
    }

    /// Whether an image is decoded for it, here or before.
    fn are_in(&mut self, expr: &Expr) -> bool {
        let key = Arc::as_ptr(expr.node());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let own = match &expr.node().kind {
            ExprKind::Input { leaf } => self.inputs[*leaf],
            ExprKind::Call(call) => call.any_inside(&mut |call| call.operation.decodes_image),
            _ => false,
        };
        let are_in = own || expr.inputs().iter().any(|input| self.are_in(input));
        self.known.insert(key, are_in);
        are_in
    }

    /// Whether one of `results` is more than handed on of what has pixels.
    fn are_computed_with(&mut self, results: &[Expr]) -> bool {
        let is_input = |expr: &Expr| matches!(expr.node().kind, ExprKind::Input { .. });
        results.iter().any(|result| !is_input(result) && self.are_in(result))
    }
}

/// Where a function is cut: the values that go across.
#[derive(Default)]
struct Cut {
    values: Vec<Expr>,
    /// The number of each among them, by its node and which output of it.
    numbers: HashMap<(*const ExprNode, usize), usize>,
    seen: HashSet<*const ExprNode>,
}

impl Cut {
    /// Adds what `expr` needs of before any image is decoded.
    fn find(&mut self, expr: &Expr, pixels: &mut Pixels) {
        let is_input = matches!(expr.node().kind, ExprKind::Input { .. });
        if is_input || !pixels.are_in(expr) {
            // What is the same for all elements goes across by itself.
            let is_same = matches!(
                expr.node().kind,
                ExprKind::Constant(_) | ExprKind::Captured { .. } | ExprKind::Outer { .. }
            );
            let key = (Arc::as_ptr(expr.node()), expr.output());
            if !is_same && !self.numbers.contains_key(&key) {
                self.numbers.insert(key, self.values.len());
                self.values.push(expr.clone());
            }
        } else if self.seen.insert(Arc::as_ptr(expr.node())) {
            expr.inputs().iter().for_each(|input| self.find(input, pixels));
        }
    }

    /// It, computed of what goes across.
    fn behind(&self, expr: &Expr, done: &mut HashMap<*const ExprNode, Vec<Expr>>) -> Result<Expr> {
        let key = Arc::as_ptr(expr.node());
        if let Some(&number) = self.numbers.get(&(key, expr.output())) {
            return Ok(Expr::input(number, expr.spec().clone()));
        }
        if !done.contains_key(&key) {
            let inputs = expr.inputs().iter().map(|input| self.behind(input, done));
            let outputs = expr.outputs_of(inputs.collect::<Result<Vec<Expr>>>()?)?;
            done.insert(key, outputs);
        }
        Ok(done[&key][expr.output()].clone())
    }

    /// Whether nothing is computed before it.
    fn is_at_inputs(&self) -> bool {
        self.values.iter().all(|value| matches!(value.node().kind, ExprKind::Input { .. }))
    }
}

#[cfg(test)]
mod tests {
    use feedline_data::block::Tensor;
    use feedline_data::{DType, Shape};

    use super::super::Optimizer;
    use super::super::tests::{declines, fires, ten};
    use super::*;
    use crate::expr::Feature;
    use crate::{NativeFunction, Symbolic, ops};

    /// Pairs of the bytes of an image and a label.
    fn images() -> Plan {
        let bytes = Structure::Leaf(Tensor::from_strings(vec![2], ["", ""].iter().collect()));
        let labels = Structure::Leaf(Tensor::from_vec(vec![2], vec![1_i64, 2]));
        Plan::from_tensor_slices(&Structure::Tuple(vec![bytes, labels])).expect("valid")
    }

    fn mapped(plan: &Plan, function: impl FnOnce(Symbolic) -> Symbolic) -> Plan {
        plan.map(function, None).expect("valid")
    }

    fn filtered(plan: &Plan, predicate: impl FnOnce(Symbolic) -> Symbolic) -> Plan {
        plan.filter(predicate).expect("valid")
    }

    fn decoded(bytes: Symbolic) -> Symbolic {
        ops::image::decode_jpeg(bytes, 3, 1, "")
    }

    /// The image, its bytes, its label.
    fn keeping(pair: &Symbolic) -> Symbolic {
        Symbolic::from((decoded(pair.at(0)), pair.at(0), pair.at(1)))
    }

    fn is_high(bytes: Symbolic) -> Symbolic {
        ops::image::extract_jpeg_shape(bytes, DType::Int32).index(0).gt(100)
    }

    fn names(lines: &[String]) -> Vec<&str> {
        lines.iter().map(|line| line.trim().split('(').next().unwrap_or_default()).collect()
    }

    #[test]
    fn a_filter_of_what_comes_in_goes_first() {
        let decode = mapped(&images(), |pair| keeping(&pair));
        let by_header = fires(&FilterBeforeDecode, &filtered(&decode, |x| is_high(x.at(1))));
        assert_eq!(names(&by_header)[1..], ["filter", "map"]);
        assert!(by_header[1].contains("image.extract_jpeg_shape(x0, "), "{by_header:?}");
        let by_label = fires(&FilterBeforeDecode, &filtered(&decode, |x| x.at(2).gt(1)));
        assert_eq!(by_label[1], "filter(greater(x1, 1))");
        // A draw keeps its place in the plan, and so its value.
        let drawn = filtered(&decode, |_| ops::random_uniform(Shape::scalar(), 1).lt(0.5));
        let lines = fires(&FilterBeforeDecode, &drawn);
        assert!(names(&lines)[1..] == ["filter", "map"] && lines[1].contains("place=1"), "{lines:?}");
    }

    #[test]
    fn it_is_on_without_the_optimizer_and_off_by_name() {
        let plan = filtered(&mapped(&images(), |pair| keeping(&pair)), |x| is_high(x.at(1)));
        let steps = |optimizer: Optimizer| {
            let optimized = optimizer.switched(false).optimize(&plan).expect("valid").plan;
            names(&optimized.lines())[1].to_owned()
        };
        assert_eq!(steps(Optimizer::new()), "filter");
        assert_eq!(steps(Optimizer::new().without("filter_before_decode").expect("a rule")), "map");
        let error = Optimizer::new().without("drop_kept_order").expect_err("always on").to_string();
        assert!(error.contains("cannot be switched off"), "{error}");
    }

    #[test]
    fn a_function_is_cut_before_what_decodes() {
        let records = Structure::Leaf(Tensor::from_strings(vec![2], ["", ""].iter().collect()));
        let records = Plan::from_tensor_slices(&records).expect("valid");
        let parse = |record: Symbolic| {
            let features = [
                ("image", Feature::fixed_len(&[], DType::String)),
                ("label", Feature::fixed_len(&[], DType::Int64)),
            ];
            let example = ops::parse_single_example(record, features);
            Symbolic::from((decoded(example.get("image")), example.get("image"), example.get("label") + 1))
        };
        let plan = filtered(&mapped(&records, parse), |x| is_high(x.at(1)));
        let lines = fires(&FilterBeforeDecode, &plan);
        assert_eq!(names(&lines)[1..], ["map", "filter", "map"]);
        assert!(lines[1].contains("parse_single_example") && !lines[1].contains("decode"), "{lines:?}");
        assert!(lines[2].contains("extract_jpeg_shape(x0"), "{lines:?}");
        assert_eq!(lines[3], "map((image.decode_jpeg(x0, channels=3, ratio=1, dct_method=''), x0, x1))");
    }

    #[test]
    fn it_passes_maps_that_compute_with_pixels() {
        let plan = mapped(&images(), |pair| keeping(&pair));
        let plan = mapped(&plan, |x| {
            let image = ops::cast(x.at(0), DType::Float32) / 255.0;
            Symbolic::from((ops::check_numerics(image, "image"), x.at(2) * 2))
        });
        let lines = fires(&FilterBeforeDecode, &filtered(&plan, |x| x.at(1).gt(2)));
        assert_eq!(names(&lines)[1..], ["filter", "map", "map", "map"]);
        assert_eq!(lines[1], "filter(greater(multiply(x1, 2), 2))");
        // What fails beside the pixels fails as before.
        let plan = mapped(&images(), |pair| keeping(&pair));
        let plan = mapped(&plan, |x| Symbolic::from((x.at(0), ops::floordiv(4, x.at(2)), x.at(2))));
        let lines = fires(&FilterBeforeDecode, &filtered(&plan, |x| x.at(2).gt(2)));
        assert_eq!(lines[1], "filter(after([floordiv(4, x1)], greater(x1, 2)))");
    }

    #[test]
    fn nested_datasets_are_reached_and_functions_inside_functions_are_seen() {
        let inner = |x: Symbolic| {
            let decode = mapped(&images(), |pair| keeping(&pair));
            Ok(filtered(&decode, |image| image.at(2).gt(x)))
        };
        let lines = fires(&FilterBeforeDecode, &ten().flat_map(inner).expect("valid"));
        assert!(lines.iter().any(|line| line.trim() == "filter(greater(x1, outer0))"), "{lines:?}");
        let chosen = |pair: Symbolic| {
            let image = ops::cond(pair.at(1).gt(1), || decoded(pair.at(0)), || decoded(pair.at(0)));
            Symbolic::from((image, pair.at(1)))
        };
        let lines = fires(&FilterBeforeDecode, &filtered(&mapped(&images(), chosen), |x| x.at(1).gt(1)));
        // The choice is made before.
        assert_eq!(names(&lines)[1..], ["map", "filter", "map"]);
    }

    #[test]
    fn it_declines_where_pixels_are_needed_or_nothing_is_decoded() {
        let decode = mapped(&images(), |pair| keeping(&pair));
        let of_pixels =
            |x: Symbolic| ops::reduce_max(ops::cast(x.at(0), DType::Int32), None::<i64>, false).gt(9);
        declines(&FilterBeforeDecode, &filtered(&decode, of_pixels));
        declines(&FilterBeforeDecode, &filtered(&mapped(&images(), |x| x.at(1) + 1), |x| x.gt(1)));
        // Steps that count what they get stand where they stand.
        declines(&FilterBeforeDecode, &filtered(&decode.take(Some(1)), |x| x.at(2).gt(1)));
        let native = NativeFunction {
            name: "same".to_owned(),
            output: images().spec().clone(),
            call: Arc::new(Ok),
            runtime: None,
        };
        let native = images().map_native(native, None).expect("valid");
        declines(&FilterBeforeDecode, &filtered(&native, |x| x.at(1).gt(1)));
    }

    #[test]
    fn it_holds_with_the_optimizer_off() {
        let decode = mapped(&images(), |pair| keeping(&pair));
        let plan = filtered(&decode, |x| x.at(2).gt(1));
        let optimized = Optimizer::new().switched(false).optimize(&plan).expect("rules do not fail");
        assert_eq!(names(&optimized.plan.lines())[1..], ["filter", "map"]);
        assert_eq!(optimized.changes.len(), 1);
    }
}
