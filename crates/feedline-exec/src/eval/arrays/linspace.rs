//! Tensors evenly spaced between two.

use std::ops::{Add, Div, Mul, Sub};

use feedline_data::block::Column;
use feedline_plan::expr::{Attribute, axis_index, broadcast_shapes, dims_of_ints, within_limit};

use crate::eval::elementwise::dispatch;
use crate::eval::moves::View;
use crate::eval::rows::{RowsOf, admits_planned, bytes_of, once_for_constants, plan_rows_by};
use crate::eval::unary::Float;
use crate::eval::walk::broadcast_strides;
use crate::eval::{Arguments, Value};

pub(super) fn linspace(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let (num, axis) = (arguments.call.attribute("num"), arguments.call.int("axis"));
    let (given, fixed) = match num {
        Attribute::Input(index) => (vec![*index], 0),
        _ => (vec![], arguments.call.int("num")),
    };
    once_for_constants(arguments, |arguments| {
        let mut plans = plan_rows_by(arguments, &given, |shapes, ints| {
            let num = match ints {
                [[num]] => *num,
                [] => fixed,
                other => return Err(format!("num is {other:?}, it must be one number")),
            };
            Spaced::between(shapes[0], shapes[1], dims_of_ints("num", &[num])?[0], axis)
        });
        let (starts, stops) = (RowsOf::new(arguments.inputs[0]), RowsOf::new(arguments.inputs[1]));
        let dtype = starts.column().dtype();
        if !admits_planned(arguments, &mut plans, |spaced| bytes_of(dtype, spaced.shape.iter().product())) {
            return Vec::new();
        }
        let values = dispatch!(floats dtype, T => {
            let mut values: Vec<T> = Vec::new();
            for row in 0..arguments.rows {
                let Some(spaced) = plans.get(row) else { continue };
                let start = &starts.column().as_slice::<T>()[starts.range(row)];
                let stop = &stops.column().as_slice::<T>()[stops.range(row)];
                spaced.add_values(start, stop, &mut values);
            }
            Column::from_vec(vec![], values.len(), values)
        });
        vec![plans.shaped(values, arguments.rows, |spaced| &spaced.shape)]
    })
}

/// Tensors evenly spaced between two, stacked along a dimension.
struct Spaced {
    shape: Vec<usize>,
    axis: usize,
    /// The two ends, in their common shape.
    ends: [View; 2],
}

impl Spaced {
    fn between(start: &[usize], stop: &[usize], num: usize, axis: i64) -> Result<Spaced, String> {
        let ends = broadcast_shapes(start, stop)
            .ok_or_else(|| format!("start and stop, of shapes {start:?} and {stop:?}, do not broadcast"))?;
        let axis = axis_index(axis, ends.len() + 1)?;
        let mut shape = ends.clone();
        shape.insert(axis, num);
        within_limit(&shape)?;
        let ends = [start, stop].map(|own| View {
            offset: 0,
            shape: ends.clone(),
            strides: broadcast_strides(own, ends.len()),
        });
        Ok(Spaced { shape, axis, ends })
    }

    fn add_values<T>(&self, start: &[T], stop: &[T], values: &mut Vec<T>)
    where
        T: Float + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>,
    {
        let (num, inner) = (self.shape[self.axis], self.shape[self.axis + 1..].iter().product::<usize>());
        values.reserve(self.shape.iter().product());
        let [starts, stops] = [(0, start), (1, stop)].map(|(end, source)| {
            let mut whole = Vec::new();
            self.ends[end].copy_into(source, &mut whole);
            whole
        });
        let steps = T::narrow(num.max(2) as f64 - 1.0);
        let deltas: Vec<T> =
            starts.iter().zip(&stops).map(|(&start, &stop)| (stop - start) / steps).collect();
        let at = |start: T, delta: T, place: usize| start + delta * T::narrow(place as f64);
        for first in (0..starts.len()).step_by(inner.max(1)) {
            let run = first..first + inner;
            if let ([start], [delta]) = (&starts[run.clone()], &deltas[run.clone()]) {
                values.extend((0..num).map(|place| at(*start, *delta, place)));
            } else {
                for place in 0..num {
                    let pairs = starts[run.clone()].iter().zip(&deltas[run.clone()]);
                    values.extend(pairs.map(|(&start, &delta)| at(start, delta, place)));
                }
            }
            if num > 1 {
                // Exactly there, whatever the steps add up to.
                let last = values.len() - inner;
                values[last..].copy_from_slice(&stops[run]);
            }
        }
    }
}
