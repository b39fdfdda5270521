//! Classes, as likely as they are said to be.

use super::draws::Draws;
use crate::eval::elementwise::dispatch;
use crate::eval::rows::{RowsOf, places_column, plan_rows};
use crate::eval::unary::Float;
use crate::eval::{Arguments, Value};

pub(super) fn random_categorical(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let draws = Draws::of(arguments);
    let (num_samples, dtype) = (arguments.call.int("num_samples") as usize, arguments.call.dtype("dtype"));
    let plans = plan_rows(arguments, |shapes| match shapes[0] {
        [outer, classes] if *classes > 0 || *outer == 0 => Ok(vec![*outer, num_samples]),
        other => Err(format!("logits has two dimensions, the second not empty, not shape {other:?}")),
    });
    let logits = RowsOf::new(arguments.inputs[0]);
    let wide: Vec<f64> = dispatch!(floats logits.column().dtype(), T =>
        logits.column().as_slice::<T>().iter().map(|value| value.widen()).collect());
    let mut classes = Vec::new();
    for (row, id) in arguments.ids.iter().enumerate() {
        let Some(shape) = plans.get(row) else { continue };
        let own = &wide[logits.range(row)];
        for outer in 0..shape[0] {
            let num_classes = own.len() / shape[0];
            let parts = parts_of(&own[outer * num_classes..(outer + 1) * num_classes]);
            classes.extend((0..num_samples).map(|sample| {
                let at = Draws::unit(draws.words(id, outer * num_samples + sample, 0)[0]);
                let total = parts.last().copied().unwrap_or(0.0);
                parts.partition_point(|&part| part <= at * total).min(num_classes - 1)
            }));
        }
    }
    vec![Value::Rows(plans.shaped(places_column(dtype, classes), arguments.rows, |shape| shape))]
}

/// Where each class ends, on a line as long as all are probable together.
fn parts_of(logits: &[f64]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts = logits.iter().scan(0.0, |end, logit| {
        *end += (logit - most).exp();
        Some(*end)
    });
    parts.collect()
}
