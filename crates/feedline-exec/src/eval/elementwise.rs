//! Applying a function of one or two values to whole columns, with broadcasting.

use feedline_data::block::{Column, Tensor};
use feedline_data::{DType, Native};
use feedline_plan::expr::broadcast_shapes;

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
    let rows = arguments.rows;
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
            let mut values = Vec::new();
            broadcast_into(one.as_slice(), one.shape(), two.as_slice(), two.shape(), &shape, |a, b| {
                values.push(function(0, a, b));
            });
            Value::Constant(Tensor::from_vec(shape, values))
        }
        _ => {
            let (one, two) = (RowsOf::new(one), RowsOf::new(two));
            let mut values: Vec<U> = Vec::new();
            let mut shapes = Vec::with_capacity(rows);
            let mut misfits = Vec::new();
            for row in 0..rows {
                let ((a, a_shape), (b, b_shape)) = (one.row::<T>(row), two.row::<T>(row));
                let shape = broadcast_shapes(a_shape, b_shape).unwrap_or_else(|| {
                    misfits.push((row, format!("shapes {a_shape:?} and {b_shape:?} do not fit together")));
                    vec![0]
                });
                if misfits.last().is_none_or(|(bad, _)| *bad != row) {
                    broadcast_into(a, a_shape, b, b_shape, &shape, |a, b| values.push(function(row, a, b)));
                }
                shapes.push(shape);
            }
            for (row, message) in misfits {
                arguments.fail(row, &message);
            }
            Value::Rows(Column::from_vec(vec![], values.len(), values).with_shapes(shapes))
        }
    }
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

/// The rows of a value, the only row of a constant for each.
struct RowsOf<'a> {
    column: &'a Column,
    is_constant: bool,
}

impl<'a> RowsOf<'a> {
    fn new(value: &'a Value) -> RowsOf<'a> {
        match value {
            Value::Rows(column) => RowsOf { column, is_constant: false },
            Value::Constant(tensor) => RowsOf { column: tensor.as_column(), is_constant: true },
        }
    }

    fn row<T: Native>(&self, row: usize) -> (&'a [T], &'a [usize]) {
        let row = if self.is_constant { 0 } else { row };
        (&self.column.as_slice()[self.column.value_range(row..row + 1)], self.column.shape(row))
    }
}

/// Calls `emit` for every pair of values of two tensors broadcast to `shape`, in row-major order.
fn broadcast_into<T: Copy>(
    one: &[T],
    one_shape: &[usize],
    two: &[T],
    two_shape: &[usize],
    shape: &[usize],
    mut emit: impl FnMut(T, T),
) {
    let (one_strides, two_strides) = (strides(one_shape, shape.len()), strides(two_shape, shape.len()));
    let total: usize = shape.iter().product();
    let mut at = vec![0; shape.len()];
    let (mut a, mut b) = (0, 0);
    for _ in 0..total {
        emit(one[a], two[b]);
        for dim in (0..shape.len()).rev() {
            at[dim] += 1;
            a += one_strides[dim];
            b += two_strides[dim];
            if at[dim] < shape[dim] {
                break;
            }
            at[dim] = 0;
            a -= one_strides[dim] * shape[dim];
            b -= two_strides[dim] * shape[dim];
        }
    }
}

/// How far one step in each of `rank` dimensions moves; 0 where the dimension is stretched or missing.
fn strides(shape: &[usize], rank: usize) -> Vec<usize> {
    let mut strides = vec![0; rank];
    let mut step = 1;
    for (index, &dim) in shape.iter().enumerate().rev() {
        strides[rank - shape.len() + index] = if dim == 1 { 0 } else { step };
        step *= dim;
    }
    strides
}
