//! Swaps a batch and a map that computes value by value: `batch(n).map(f)` becomes `map(f).batch(n)`.
//!
//! tf.data's guide has functions mapped over batches, since there every call costs; here a call is one of a block of rows anyway, and results of
//! a map right before a batch are computed into their place in it, in memory that is used again (`fuse_map_and_batch`). Behind the batch, every batch is
//! fresh memory, once for what is collected and once for each operation. (50,000 images of 32×32×3 bytes in memory, shuffled, to floats, in batches of 128, from Python,
//! 2 cores: 614,000 a second as written, 1,640,000 with the map first; `bench/everyday.py`.)
//! Of small rows it is no gain, and a loss for some: 2 million scalars compared with a number, in batches of 1,024, came 0.69 times as fast, rows of 100 bytes, shuffled, 0.90
//! times, of 784 floats 0.69 times. So it is for rows whose results are large.
//!
//! It is for functions of which each row of the result is the same of the row as of the batch, and that cannot fail: operations of numbers that go by value,
//! whose tensors all have the batch's dimension first, and constants that have none such. All rows have one known shape, so that the batch cannot
//! fail either. Nothing random: rows have other ids than batches. A map saves nothing, so states are the same.

use std::collections::HashMap;
use std::sync::Arc;

use feedline_data::block::Tensor;
use feedline_data::{ElementSpec, TensorSpec};

use super::Rule;
use crate::expr::{Call, Expr, ExprKind, ExprNode};
use crate::{Function, NodeKind, Plan, Result};

/// From so many bytes of results a row on it pays: between the 3 KiB that lost and the 12 KiB that gained (above).
const LARGE_ROW_BYTES: usize = 8 << 10;

/// Swaps a batch and a map that computes value by value.
#[derive(Debug)]
pub struct MapBeforeBatch;

impl Rule for MapBeforeBatch {
    fn name(&self) -> &'static str {
        "map_before_batch"
    }

    fn rewrite(&self, plan: &Plan) -> Result<Option<Plan>> {
        let NodeKind::Map { function: Function::Traced(result), num_parallel_calls } = &plan.node().kind
        else {
            return Ok(None);
        };
        let batch = &plan.node().inputs[0];
        let NodeKind::Batch { batch_size, drop_remainder } = batch.node().kind else { return Ok(None) };
        let input = &batch.node().inputs[0];
        if !are_rows_alike(input.spec()) {
            return Ok(None);
        }
        let rows: Vec<TensorSpec> = input.spec().leaves().into_iter().cloned().collect();
        let mut by_row = ByRow { rows: &rows, known: HashMap::new() };
        let mut leaves = Vec::new();
        for leaf in result.leaves() {
            match by_row.row_of(leaf)? {
                Some(row) => leaves.push(row),
                None => return Ok(None),
            }
        }
        let result = result.with_leaves(leaves);
        let spec = result.map(|leaf| leaf.spec().clone());
        let row_bytes =
            spec.leaves().iter().fold(0_usize, |sum, leaf| sum.saturating_add(leaf.byte_size().unwrap_or(0)));
        if row_bytes < LARGE_ROW_BYTES {
            return Ok(None);
        }
        let kind =
            NodeKind::Map { function: Function::Traced(result), num_parallel_calls: *num_parallel_calls };
        // There may be another batch before it.
        let map = input.step(kind, spec, input.cardinality()).numbered_as(plan);
        let map = self.rewrite(&map)?.unwrap_or(map);
        let swapped =
            map.batch(batch_size, drop_remainder)?.with_places(plan.num_places()).numbered_as(batch);
        Ok((swapped.spec() == plan.spec()).then_some(swapped))
    }
}

/// Whether all rows are plain tensors of one known shape each.
fn are_rows_alike(spec: &ElementSpec) -> bool {
    let is_plain = |spec: &&TensorSpec| spec.shape.to_fixed().is_some();
    !spec.has_composite() && spec.leaves().iter().all(is_plain)
}

/// What is computed of a batch, as it is computed of one of its rows.
struct ByRow<'a> {
    /// The leaves of a row.
    rows: &'a [TensorSpec],
    /// Calls that were made again, by where they lie in memory.
    known: HashMap<*const ExprNode, Option<Expr>>,
}

impl ByRow<'_> {
    /// `None` if it is not computed row by row.
    fn row_of(&mut self, expr: &Expr) -> Result<Option<Expr>> {
        match &expr.node().kind {
            ExprKind::Input { leaf } => Ok(self.rows.get(*leaf).map(|row| Expr::input(*leaf, row.clone()))),
            ExprKind::Call(call) => {
                let key = Arc::as_ptr(expr.node());
                if let Some(known) = self.known.get(&key) {
                    return Ok(known.clone());
                }
                let row = self.row_of_call(call, expr.spec())?;
                self.known.insert(key, row.clone());
                Ok(row)
            }
            _ => Ok(None),
        }
    }

    fn row_of_call(&mut self, call: &Call, spec: &TensorSpec) -> Result<Option<Expr>> {
        let operation = call.operation;
        let goes_by_value =
            operation.is_by_value && !operation.can_fail && !operation.is_random && !operation.any_size;
        let (Some(rank), true) = (spec.shape.rank().filter(|_| spec.dtype.width().is_some()), goes_by_value)
        else {
            return Ok(None);
        };
        // Strings are put into a batch without a copy, and what is computed of them is computed faster there.
        if call.inputs.iter().any(|input| input.spec().dtype.width().is_none()) {
            return Ok(None);
        }
        let mut inputs = Vec::with_capacity(call.inputs.len());
        for input in &call.inputs {
            let row = match &input.node().kind {
                ExprKind::Constant(constant) => without_batch(constant, rank).map(Expr::constant),
                // Tensors of fewer dimensions would be stretched along the batch's.
                _ if input.spec().shape.rank() == Some(rank) => self.row_of(input)?,
                _ => None,
            };
            match row {
                Some(row) => inputs.push(row),
                None => return Ok(None),
            }
        }
        if inputs.iter().all(|input| matches!(input.node().kind, ExprKind::Constant(_))) {
            return Ok(None); // the same for every batch, whatever its size
        }
        let outputs = Expr::call_instead(call, operation, inputs, call.attributes.clone())?;
        Ok(<[Expr; 1]>::try_from(outputs).ok().map(|[output]| output))
    }
}

/// A constant that stands beside batches of `rank` dimensions, as it stands beside their rows; `None` if it differs from row to row.
fn without_batch(constant: &Tensor, rank: usize) -> Option<Tensor> {
    match constant.shape() {
        shape if shape.len() < rank => Some(constant.clone()),
        [1, row @ ..] if row.len() + 1 == rank => {
            let buffer = constant.as_column().buffer()?.clone();
            Some(Tensor::from_buffer(constant.dtype(), row.to_vec(), buffer))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use feedline_data::{DType, Shape, Structure};

    use super::super::tests::{declines, fires};
    use super::*;
    use crate::{Symbolic, ops};

    /// Tensors of so many numbers, which make a row's results as large as the rule asks for.
    const LENGTH: usize = LARGE_ROW_BYTES / 4;

    /// Pairs of numbers and a label, in batches of 4.
    fn batches() -> Plan {
        let pixels = Tensor::from_vec(vec![6, LENGTH], vec![0_u8; 6 * LENGTH]);
        let labels = Tensor::from_vec(vec![6], vec![1_i64; 6]);
        let tensors = Structure::Tuple(vec![Structure::Leaf(pixels), Structure::Leaf(labels)]);
        Plan::from_tensor_slices(&tensors).expect("valid").batch(4, false).expect("valid")
    }

    fn rows(length: usize) -> Plan {
        let rows = Tensor::from_vec(vec![10, length], vec![0_f32; 10 * length]);
        Plan::from_tensor_slices(&Structure::Leaf(rows)).expect("valid")
    }

    fn mapped(plan: &Plan, function: impl FnOnce(Symbolic) -> Symbolic) -> Plan {
        plan.map(function, None).expect("valid")
    }

    #[test]
    fn a_map_of_values_goes_before_the_batch() {
        let plan = rows(LENGTH).batch(4, true).expect("valid");
        let plan = mapped(&plan, |x| x + 1).with_parallel_calls(Some(2)).expect("valid");
        let lines = fires(&MapBeforeBatch, &plan);
        assert_eq!(lines[1..], ["map(add(x0, 1), num_parallel_calls=2)", "batch(4, drop_remainder=true)"]);
        // Several, one after the other, and of batches of batches.
        let plan = rows(LENGTH).batch(4, false).expect("valid").batch(2, false).expect("valid");
        declines(&MapBeforeBatch, &mapped(&plan, |x| x + 1)); // batches of batches may differ in size
        let plan = rows(LENGTH).batch(5, true).expect("valid").batch(2, false).expect("valid");
        let lines = fires(&MapBeforeBatch, &mapped(&mapped(&plan, |x| x + 1), |x| x * 2));
        assert_eq!(
            lines[1..],
            ["map(add(x0, 1))", "map(multiply(x0, 2))", "batch(5, drop_remainder=true)", "batch(2)"]
        );
    }

    #[test]
    fn it_stays_where_results_are_small() {
        let behind_a_batch = |length| mapped(&rows(length).batch(4, true).expect("valid"), |x| x + 1);
        fires(&MapBeforeBatch, &behind_a_batch(LENGTH));
        declines(&MapBeforeBatch, &behind_a_batch(LENGTH - 1));
    }

    #[test]
    fn what_passes_by_stays_beside_it_and_constants_are_those_of_a_row() {
        let scaled = |shape: &[usize]| {
            let mean = Tensor::from_vec(shape.to_vec(), vec![1_f32; LENGTH]);
            mapped(&batches(), |x| {
                let floats = ops::cast(x.at(0), DType::Float32);
                Symbolic::from((floats.clone() / 255.0 - Symbolic::from(mean) + floats, x.at(1)))
            })
        };
        let lines = fires(&MapBeforeBatch, &scaled(&[LENGTH]));
        assert!(lines[1].starts_with("map(") && lines[2] == "batch(4)", "{lines:?}");
        // One for the whole batch is one for each row.
        assert_eq!(fires(&MapBeforeBatch, &scaled(&[1, LENGTH])), lines);
    }

    #[test]
    fn it_stays_where_rows_are_not_computed_alone() {
        let floats = |x: &Symbolic| ops::cast(x.at(0), DType::Float32);
        let stays = |function: &dyn Fn(Symbolic) -> Symbolic| {
            declines(&MapBeforeBatch, &mapped(&batches(), |x| Symbolic::from((floats(&x), function(x)))));
        };
        // Tensors that are not all of the batch, or not by its rows.
        stays(&|x| floats(&x) + ops::expand_dims(ops::cast(x.at(1), DType::Float32), 1));
        stays(&|x| ops::reduce_sum(ops::cast(x.at(0), DType::Int64), None::<i64>, false));
        let two_rows = Tensor::from_vec(vec![2, 1, 1], vec![1_f32, 2.0]);
        let pairs = rows(LENGTH).batch(2, true).expect("valid").batch(2, true).expect("valid");
        declines(&MapBeforeBatch, &mapped(&pairs, |x| x + Symbolic::from(two_rows)));
        // The same for every batch, what can fail, what is drawn.
        stays(&|_| Symbolic::from(1));
        stays(&|x| ops::floordiv(x.at(1), 3));
        stays(&|x| ops::cast(ops::random_uniform(Shape::scalar(), 1), DType::Int64) + x.at(1));
        // No batch, and rows that may not fit into one.
        declines(&MapBeforeBatch, &mapped(&rows(LENGTH), |x| x + 1));
        let lists = rows(LENGTH).batch(3, false).expect("valid").batch(2, false).expect("valid");
        declines(&MapBeforeBatch, &mapped(&lists, |x| x + 1));
    }
}
