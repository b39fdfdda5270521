//! Applying a function of one or two values to whole columns, with broadcasting.

use feedline_data::block::{Column, Tensor};
use feedline_data::{DType, Native};
use feedline_plan::expr::broadcast_shapes;

use super::rows::{Plans, RowsOf, plan_rows};
use super::walk::{Walk, broadcast_strides, with_outer};
use super::{Arguments, Value};

/// Picks the Rust type of a dtype: `dispatch!(dtype, T => body)`, over the types of a group.
macro_rules! dispatch {
    (numbers $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body; Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16,
            UInt32 u32, UInt64 u64, Float16 half::f16, BFloat16 half::bf16, Float32 f32, Float64 f64)
    };
    (signed $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body; Int8 i8, Int16 i16, Int32 i32, Int64 i64,
            Float16 half::f16, BFloat16 half::bf16, Float32 f32, Float64 f64)
    };
    (floats $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body;
            Float16 half::f16, BFloat16 half::bf16, Float32 f32, Float64 f64)
    };
    (widths $dtype:expr, $T:ident => $body:expr) => {
        match $dtype.width() {
            Some(1) => { type $T = u8; $body }
            Some(2) => { type $T = u16; $body }
            Some(4) => { type $T = u32; $body }
            Some(8) => { type $T = u64; $body }
            _ => unreachable!("numbers have 1, 2, 4 or 8 bytes"),
        }
    };
    (@match $dtype:expr, $T:ident => $body:expr; $($variant:ident $rust:ty),*) => {
        match $dtype {
            $(feedline_data::DType::$variant => {
                type $T = $rust;
                $body
            })*
            other => unreachable!("the plan lets no {other} come here"),
        }
    };
}
pub(super) use dispatch;

/// `function` of every value of the first input.
pub(super) fn unary<T: Native, U: Native>(arguments: &Arguments<'_>, function: impl Fn(T) -> U) -> Value {
    let apply = |column: &Column| {
        let values: Vec<U> = column.as_slice::<T>().iter().map(|&value| function(value)).collect();
        reshaped_like(column, values)
    };
    match arguments.inputs[0] {
        Value::Rows(column) => Value::Rows(apply(column)),
        Value::Constant(tensor) => Value::Constant(Tensor::of_row(&apply(tensor.as_column()), 0)),
    }
}

/// `function` of every pair of values of the first two inputs, broadcast. Rows whose shapes do not fit fail.
pub(super) fn binary<T: Native, U: Native>(
    arguments: &mut Arguments<'_>,
    function: impl Fn(T, T) -> U + Copy,
) -> Value {
    binary_rows(arguments, |_, a, b| function(a, b))
}

/// As [`binary`], for functions that want to know the row.
pub(super) fn binary_rows<T: Native, U: Native>(
    arguments: &mut Arguments<'_>,
    mut function: impl FnMut(usize, T, T) -> U,
) -> Value {
    let (one, two) = (arguments.inputs[0], arguments.inputs[1]);
    match (one, two) {
        // A number for every row, the most frequent case: `x / 255`.
        (Value::Rows(column), Value::Constant(tensor))
            if tensor.num_values() == 1 && fits_any(column, tensor) =>
        {
            let scalar = tensor.as_slice::<T>()[0];
            Value::Rows(by_row(column, |row, value| function(row, value, scalar)))
        }
        (Value::Constant(tensor), Value::Rows(column))
            if tensor.num_values() == 1 && fits_any(column, tensor) =>
        {
            let scalar = tensor.as_slice::<T>()[0];
            Value::Rows(by_row(column, |row, value| function(row, scalar, value)))
        }
        (Value::Rows(one), Value::Rows(two))
            if one.common_shape().is_some() && one.common_shape() == two.common_shape() =>
        {
            let others = two.as_slice::<T>();
            let mut index = 0;
            Value::Rows(by_row(one, |row, value| {
                let other = others[index];
                index += 1;
                function(row, value, other)
            }))
        }
        (Value::Constant(one), Value::Constant(two)) => {
            let shape =
                broadcast_shapes(one.shape(), two.shape()).expect("the plan checked the shapes of constants");
            let rank = shape.len();
            let steps = [broadcast_strides(one.shape(), rank), broadcast_strides(two.shape(), rank)];
            let (one, two) = (one.as_slice::<T>(), two.as_slice::<T>());
            let mut values = Vec::new();
            Walk::new(&shape, [&steps[0], &steps[1]])
                .for_each([0, 0], |[a, b]| values.push(function(0, one[a], two[b])));
            Value::Constant(Tensor::from_vec(shape, values))
        }
        _ => Value::Rows(broadcast_rows(arguments, (RowsOf::new(one), RowsOf::new(two)), function)),
    }
}

/// `function` of every pair of values where shapes differ.
fn broadcast_rows<T: Native, U: Native>(
    arguments: &mut Arguments<'_>,
    (one, two): (RowsOf<'_>, RowsOf<'_>),
    mut function: impl FnMut(usize, T, T) -> U,
) -> Column {
    let rows = arguments.rows;
    let plans = plan_rows(arguments, |shapes| {
        broadcast_shapes(shapes[0], shapes[1])
            .ok_or_else(|| format!("shapes {:?} and {:?} do not fit together", shapes[0], shapes[1]))
    });
    let (left, right) = (one.column().as_slice::<T>(), two.column().as_slice::<T>());
    let mut values: Vec<U> = Vec::new();
    match &plans {
        Plans::Same(shape) => {
            // Rows are one more dimension, and the row's number one more thing to walk along.
            let whole = with_outer(rows, shape);
            values.reserve(whole.iter().product());
            let steps = |of: &RowsOf<'_>| {
                with_outer(of.step() as isize, &broadcast_strides(of.shape(0), shape.len()))
            };
            let row_steps = with_outer(1, &vec![0; shape.len()]);
            Walk::new(&whole, [&steps(&one), &steps(&two), &row_steps])
                .for_each([0, 0, 0], |[a, b, row]| values.push(function(row, left[a], right[b])));
        }
        Plans::Each(shapes) => {
            for (row, shape) in shapes.iter().enumerate() {
                let Some(shape) = shape else { continue };
                let steps = |of: &RowsOf<'_>| broadcast_strides(of.shape(row), shape.len());
                Walk::new(shape, [&steps(&one), &steps(&two)]).for_each(
                    [one.range(row).start, two.range(row).start],
                    |[a, b]| {
                        values.push(function(row, left[a], right[b]));
                    },
                );
            }
        }
    }
    plans.shaped(Column::from_vec(vec![], values.len(), values), rows, |shape| shape)
}

/// Makes bools of a value of 0s and 1s.
pub(super) fn as_bools(value: Value) -> Value {
    match value {
        Value::Rows(column) => Value::Rows(column.with_dtype(DType::Bool)),
        Value::Constant(tensor) => {
            Value::Constant(Tensor::of_row(&tensor.as_column().clone().with_dtype(DType::Bool), 0))
        }
    }
}

/// A one-value tensor leaves the shape of every row alone unless it has more dimensions than the row.
fn fits_any(column: &Column, tensor: &Tensor) -> bool {
    column.common_shape().map_or(tensor.shape().is_empty(), |shape| shape.len() >= tensor.shape().len())
}

/// `function` of every value with its row.
fn by_row<T: Native, U: Native>(column: &Column, mut function: impl FnMut(usize, T) -> U) -> Column {
    let source = column.as_slice::<T>();
    let mut values = Vec::with_capacity(source.len());
    if column.common_shape().is_some_and(<[usize]>::is_empty) {
        values.extend(source.iter().enumerate().map(|(row, &value)| function(row, value)));
    } else {
        for row in 0..column.rows() {
            values.extend(source[column.value_range(row..row + 1)].iter().map(|&value| function(row, value)));
        }
    }
    reshaped_like(column, values)
}

/// `values` with the row shapes of `column`.
pub(super) fn reshaped_like<U: Native>(column: &Column, values: Vec<U>) -> Column {
    if let Some(shape) = column.common_shape() {
        return Column::from_vec(shape.to_vec(), column.rows(), values);
    }
    let shapes = (0..column.rows()).map(|row| column.shape(row).to_vec()).collect();
    Column::from_vec(vec![], values.len(), values).with_shapes(shapes)
}
