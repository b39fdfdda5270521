//! Random values keyed by the element's id: normal distributions, integers, orders, classes.

use feedline_data::DType;
use feedline_data::block::{Column, mix};
use feedline_plan::expr::Attribute;

use super::arrays::{Entries, Taken, take};
use super::elementwise::dispatch;
use super::rows::{Plans, RowsOf, as_ints, places_column, plan_rows};
use super::unary::Float;
use super::{Arguments, Kernel, Value};
use crate::seed::{halves, philox};

/// The kernel of each random operation but `random_uniform`.
pub(super) const KERNELS: &[(&str, Kernel)] = &[
    ("random_normal", |arguments| normals(arguments, f64::INFINITY)),
    // TensorFlow's limit.
    ("random_truncated_normal", |arguments| normals(arguments, 2.0)),
    ("random_integers", random_integers),
    ("random_shuffle", random_shuffle),
    ("random_categorical", random_categorical),
];

/// Draws for elements: what comes out depends on the operation, the element, the number of the draw, and nothing else.
struct Draws {
    key: [u32; 2],
}

impl Draws {
    fn of(arguments: &Arguments<'_>) -> Draws {
        Draws { key: halves(mix(arguments.call.int("seed") as u64, arguments.call.place)) }
    }

    /// Two words for draw `index` of the element with that id, try number `attempt`.
    fn words(&self, id: u64, index: usize, attempt: u32) -> [u64; 2] {
        let [low, high] = halves(id);
        let words = philox([low, high, index as u32, attempt], self.key);
        [0, 2].map(|at| u64::from(words[at]) | u64::from(words[at + 1]) << 32)
    }

    /// A number below `count`. A word of 64 bits times the count: no number is more likely than another by more than 2^-32 of its share,
    /// for counts of 32 bits.
    fn below(&self, id: u64, index: usize, count: u64) -> u64 {
        ((u128::from(self.words(id, index, 0)[0]) * u128::from(count)) >> 64) as u64
    }

    /// A float in [0, 1).
    fn unit(word: u64) -> f64 {
        (word >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A value of the normal distribution (by Box and Muller), no further from 0 than `limit`.
    fn normal(&self, id: u64, index: usize, limit: f64) -> f64 {
        let mut attempt = 0;
        loop {
            let [one, two] = self.words(id, index, attempt).map(Draws::unit);
            let value = (-2.0 * (1.0 - one).ln()).sqrt() * (two * std::f64::consts::TAU).cos();
            if value.abs() <= limit {
                return value;
            }
            attempt += 1;
        }
    }
}

fn shape_of(arguments: &Arguments<'_>) -> Vec<usize> {
    let Attribute::Shape(shape) = arguments.call.attribute("shape") else {
        unreachable!("checked to be a shape")
    };
    shape.to_fixed().expect("the plan checked that the shape is known")
}

fn normals(arguments: &mut Arguments<'_>, limit: f64) -> Vec<Value> {
    let call = arguments.call;
    let (draws, shape) = (Draws::of(arguments), shape_of(arguments));
    let (mean, deviation) = (call.float("mean"), call.float("stddev"));
    let count: usize = shape.iter().product();
    let values = arguments
        .ids
        .iter()
        .flat_map(|id| (0..count).map(move |index| (id, index)))
        .map(|(id, index)| mean + deviation * draws.normal(id, index, limit));
    let column = dispatch!(floats call.dtype("dtype"), T =>
        Column::from_vec(shape, arguments.rows, values.map(T::narrow).collect()));
    vec![Value::Rows(column)]
}

fn random_integers(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (draws, shape) = (Draws::of(arguments), shape_of(arguments));
    let count: usize = shape.iter().product();
    let bounds = [0, 1].map(|index| RowsOf::new(arguments.inputs[index]));
    let is_wide = arguments.inputs[0].dtype() == DType::Int64;
    let ints = bounds.map(|of| as_ints(of.column()));
    let mut values = Vec::with_capacity(arguments.rows * count);
    for (row, id) in arguments.ids.iter().enumerate() {
        let of_row = |index: usize| match &ints[index][bounds[index].range(row)] {
            [value] => Some(*value),
            _ => None,
        };
        let range = of_row(0).zip(of_row(1)).filter(|(low, high)| low < high);
        let Some((low, high)) = range else {
            let reason = match of_row(0).zip(of_row(1)) {
                Some((low, high)) => format!("there is no number from minval {low} to before maxval {high}"),
                None => "minval and maxval are scalars".to_owned(),
            };
            arguments.fail(row, &reason);
            values.resize(values.len() + count, 0);
            continue;
        };
        let size = high.wrapping_sub(low) as u64;
        values.extend((0..count).map(|index| low.wrapping_add(draws.below(id, index, size) as i64)));
    }
    let rows = arguments.rows;
    let column = if is_wide {
        Column::from_vec(shape, rows, values)
    } else {
        Column::from_vec(shape, rows, values.into_iter().map(|value| value as i32).collect())
    };
    vec![Value::Rows(column)]
}

fn random_shuffle(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let draws = Draws::of(arguments);
    let of = RowsOf::new(arguments.inputs[0]);
    let mut plans = Vec::with_capacity(arguments.rows);
    for (row, id) in arguments.ids.iter().enumerate() {
        let shape = of.shape(row);
        let Some(&count) = shape.first() else {
            arguments.fail(row, "a scalar has no first dimension");
            plans.push(None);
            continue;
        };
        // Fisher and Yates: every order is as likely as the others.
        let mut places: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            places.swap(last, draws.below(id, last, last as u64 + 1) as usize);
        }
        plans.push(Some(Taken::along(shape, 0, Entries::List(places))));
    }
    vec![Value::Rows(take(arguments, &Plans::Each(plans), None))]
}

fn random_categorical(arguments: &mut Arguments<'_>) -> Vec<Value> {
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
