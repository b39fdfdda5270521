//! Tensors made of a shape and a number or two.

use std::ops::{Add, Div, Mul, Sub};

use feedline_data::block::{Column, Strings, Tensor};
use feedline_data::{DType, Native};
use feedline_plan::expr::{
    Attribute, axis_index, broadcast_shapes, dims_of_ints, range_size, range_size_of_floats, within_limit,
};

use crate::eval::elementwise::{as_value, dispatch, like};
use crate::eval::moves::{Move, View, move_values};
use crate::eval::rows::{
    Plans, RowsOf, admits_planned, bytes_of, once_for_constants, plan_rows, plan_rows_by,
};
use crate::eval::unary::Float;
use crate::eval::walk::broadcast_strides;
use crate::eval::{Arguments, Value};

pub(super) fn zeros(arguments: &mut Arguments<'_>) -> Vec<Value> {
    constant(arguments, |_| false)
}

pub(super) fn ones(arguments: &mut Arguments<'_>) -> Vec<Value> {
    constant(arguments, |_| true)
}

pub(super) fn eye(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let call = arguments.call;
    let rows = call.int("num_rows") as usize;
    let columns = call.ints("num_columns").map_or(rows, |columns| columns[0] as usize);
    let values = marked(call.dtype("dtype"), rows * columns, |at| at / columns == at % columns);
    vec![Value::Constant(Tensor::of_row(&values.with_rows_of(1, vec![rows, columns]), 0))]
}

fn constant(arguments: &Arguments<'_>, is_one: impl Fn(usize) -> bool) -> Vec<Value> {
    let Attribute::Shape(shape) = arguments.call.attribute("shape") else {
        unreachable!("checked to be a shape")
    };
    let shape = shape.to_fixed().expect("the plan checked that the shape is known");
    let values = marked(arguments.call.dtype("dtype"), shape.iter().product(), is_one);
    vec![Value::Constant(Tensor::of_row(&values.with_rows_of(1, shape), 0))]
}

pub(super) fn zeros_like(arguments: &mut Arguments<'_>) -> Vec<Value> {
    all_like(arguments, false)
}

pub(super) fn ones_like(arguments: &mut Arguments<'_>) -> Vec<Value> {
    all_like(arguments, true)
}

fn all_like(arguments: &Arguments<'_>, is_one: bool) -> Vec<Value> {
    let input = arguments.inputs[0];
    let column = RowsOf::new(input).column();
    let values = marked(column.dtype(), column.num_values(), |_| is_one);
    vec![as_value(like(column, values), matches!(input, Value::Constant(_)))]
}

/// So many ones and zeros.
fn marked(dtype: DType, count: usize, is_one: impl Fn(usize) -> bool) -> Column {
    if dtype == DType::String {
        return Column::from_strings(vec![], count, std::iter::repeat_n("", count).collect::<Strings>());
    }
    let one = match dtype {
        DType::Bool => Tensor::scalar(1_u8),
        number => {
            feedline_plan::expr::number_tensor(&Attribute::Int(1), number).expect("every number has a one")
        }
    };
    dispatch!(widths dtype, Word => {
        let one = one.as_column().buffer().expect("numbers lie in a buffer").as_slice::<Word>()[0];
        let values: Vec<Word> = (0..count).map(|at| if is_one(at) { one } else { 0 }).collect();
        Column::from_vec(vec![], count, values).with_dtype(dtype)
    })
}

pub(super) fn fill(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let mut plans = plan_rows_by(arguments, &[0], |shapes, ints| {
            if shapes[0].len() != 1 || !shapes[1].is_empty() {
                return Err(format!("dims and value have shapes {:?} and {:?}", shapes[0], shapes[1]));
            }
            dims_of_ints("dims", ints[0])
        });
        let dtype = arguments.inputs[1].dtype();
        if !admits_planned(arguments, &mut plans, |shape| bytes_of(dtype, shape.iter().product())) {
            return Vec::new();
        }
        let value = RowsOf::new(arguments.inputs[1]);
        let values = move_values(&[value.column()], &Fill { plans: &plans, value, rows: arguments.rows });
        vec![plans.shaped(values, arguments.rows, |shape| shape)]
    })
}

struct Fill<'a> {
    plans: &'a Plans<Vec<usize>>,
    value: RowsOf<'a>,
    rows: usize,
}

impl Move for Fill<'_> {
    fn run<W: Native>(&self, inputs: &[&[W]], _: W) -> Vec<W> {
        let mut values = Vec::new();
        for row in 0..self.rows {
            let Some(shape) = self.plans.get(row) else { continue };
            let value = inputs[0][self.value.range(row).start];
            values.resize(values.len() + shape.iter().product::<usize>(), value);
        }
        values
    }
}

/// Numbers that can be counted with.
trait Counted: Native {
    /// How many there are from one to before another.
    fn count(start: Self, limit: Self, delta: Self) -> Result<usize, String>;
    /// Number `index` of them.
    fn at(start: Self, delta: Self, index: usize) -> Self;
}

macro_rules! counted {
    (integers $($rust:ty),*) => {$(
        impl Counted for $rust {
            fn count(start: $rust, limit: $rust, delta: $rust) -> Result<usize, String> {
                let wide = |value: $rust| i64::try_from(value).map_err(|_| format!("{value} is too large to count with"));
                range_size(wide(start)?, wide(limit)?, wide(delta)?)
            }
            fn at(start: $rust, delta: $rust, index: usize) -> $rust {
                start.wrapping_add(delta.wrapping_mul(index as $rust))
            }
        }
    )*};
    (floats $($rust:ty),*) => {$(
        impl Counted for $rust {
            fn count(start: $rust, limit: $rust, delta: $rust) -> Result<usize, String> {
                range_size_of_floats(start.widen(), limit.widen(), delta.widen())
            }
            // Not one after the other, as TensorFlow does not: errors do not add up.
            fn at(start: $rust, delta: $rust, index: usize) -> $rust {
                start + delta * <$rust>::narrow(index as f64)
            }
        }
    )*};
}

counted!(integers i8, i16, i32, i64, u8, u16, u32, u64);
counted!(floats half::f16, half::bf16, f32, f64);

pub(super) fn range(arguments: &mut Arguments<'_>) -> Vec<Value> {
    once_for_constants(arguments, |arguments| {
        let inputs = [0, 1, 2].map(|index| RowsOf::new(arguments.inputs[index]));
        let shapes = plan_rows(arguments, |shapes| {
            let all_are_scalars = shapes.iter().all(|shape| shape.is_empty());
            if all_are_scalars { Ok(()) } else { Err("start, limit and delta are scalars".to_owned()) }
        });
        let dtype = arguments.inputs[0].dtype();
        dispatch!(numbers dtype, T => {
            let columns = inputs.map(|of| of.column().as_slice::<T>());
            let mut values: Vec<T> = Vec::new();
            let mut counts = Vec::with_capacity(arguments.rows);
            for row in 0..arguments.rows {
                let is_open = shapes.get(row).is_some() && !arguments.failures.contains_key(&row);
                counts.push(vec![0]);
                if !is_open {
                    continue;
                }
                let [start, limit, delta] =
                    std::array::from_fn(|index| columns[index][inputs[index].range(row).start]);
                let count = T::count(start, limit, delta).unwrap_or_else(|reason| {
                    arguments.fail(row, &reason);
                    0
                });
                if !arguments.admits(row, bytes_of(dtype, values.len() + count)) {
                    return Vec::new();
                }
                if !arguments.failures.contains_key(&row) {
                    counts[row] = vec![count];
                    values.extend((0..count).map(|index| T::at(start, delta, index)));
                }
            }
            vec![Column::from_vec(vec![], values.len(), values).with_shapes(counts)]
        })
    })
}

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
