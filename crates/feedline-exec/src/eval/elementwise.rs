//! Applying a function of one or two values to whole columns, with broadcasting.

use feedline_data::block::{Column, Tensor};
use feedline_data::{DType, Native};
use feedline_plan::expr::broadcast_shapes;

use super::moves::View;
use super::rows::{Plans, RowsOf, plan_rows};
use super::view::copy_views;
use super::walk::broadcast_strides;
use super::{Arguments, Value};

/// Picks the Rust type of a dtype: `dispatch!(dtype, T => body)`, over the types of a group.
macro_rules! dispatch {
    (numbers $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body; Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16,
            UInt32 u32, UInt64 u64, Float16 half::f16, BFloat16 half::bf16, Float32 f32, Float64 f64)
    };
    (integers $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body; Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16,
            UInt32 u32, UInt64 u64)
    };
    (signed $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body; Int8 i8, Int16 i16, Int32 i32, Int64 i64,
            Float16 half::f16, BFloat16 half::bf16, Float32 f32, Float64 f64)
    };
    (floats $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body;
            Float16 half::f16, BFloat16 half::bf16, Float32 f32, Float64 f64)
    };
    (counted $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body; Int32 i32, Int64 i64, Float32 f32, Float64 f64)
    };
    (read $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body; Int32 i32, Int64 i64, UInt32 u32, UInt64 u64, Float32 f32, Float64 f64)
    };
    (images $dtype:expr, $T:ident => $body:expr) => {
        dispatch!(@match $dtype, $T => $body; UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Int8 i8, Int16 i16,
            Int32 i32, Int64 i64, Float16 half::f16, BFloat16 half::bf16, Float32 f32, Float64 f64)
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
    let input = arguments.inputs[0];
    let column = RowsOf::new(input).column();
    let values: Vec<U> = column.as_slice::<T>().iter().map(|&value| function(value)).collect();
    as_value(
        like(column, Column::from_vec(vec![], values.len(), values)),
        matches!(input, Value::Constant(_)),
    )
}

/// `function` of every pair of values of the first two inputs, broadcast. Rows whose shapes do not fit fail.
pub(super) fn binary<T: Native, U: Native>(
    arguments: &mut Arguments<'_>,
    function: impl Fn(T, T) -> U,
) -> Value {
    Aligned::new(arguments).apply(function)
}

/// Two inputs brought to one shape.
///
/// Stretching is moving, which is compiled for four widths; what is compiled for every operation and type are two plain
/// loops. A stretched tensor costs a copy, and the loop over both then runs at the speed of memory.
pub(super) struct Aligned {
    left: Column,
    /// As many values as `left`, or one for all.
    right: Column,
    shapes: Shapes,
    is_constant: bool,
    rows: usize,
}

/// The shapes of what comes of two inputs.
enum Shapes {
    /// Those of the left one.
    Left,
    Planned(Plans<Stretched>),
}

/// The common shape of two rows, and each of them as a view of that shape.
struct Stretched {
    shape: Vec<usize>,
    left: View,
    right: View,
}

impl Aligned {
    /// The first two inputs. Rows whose shapes do not fit fail.
    pub(super) fn new(arguments: &mut Arguments<'_>) -> Aligned {
        let (one, two) = (arguments.inputs[0], arguments.inputs[1]);
        let (left, right) = (RowsOf::new(one), RowsOf::new(two));
        let are_constants = [one, two].map(|value| matches!(value, Value::Constant(_)));
        let is_constant = are_constants == [true; 2];
        let rows = if is_constant { 1 } else { arguments.rows };
        // A number for every row, the most frequent case (`x / 255`), and pairs that lie as they are needed.
        let is_number = are_constants[1] && right.column().num_values() == 1;
        let is_one_shape = are_constants[0] == are_constants[1]
            && left.column().common_shape().is_some()
            && left.column().common_shape() == right.column().common_shape();
        if is_one_shape || (is_number && fits_any(left.column(), right.shape(0))) {
            let (left, right) = (left.column().clone(), right.column().clone());
            return Aligned { left, right, shapes: Shapes::Left, is_constant, rows };
        }
        let plans = plan_rows(arguments, |shapes| {
            let shape = broadcast_shapes(shapes[0], shapes[1])
                .ok_or_else(|| format!("shapes {:?} and {:?} do not fit together", shapes[0], shapes[1]))?;
            let view = |of: &[usize]| View {
                offset: 0,
                shape: shape.clone(),
                strides: broadcast_strides(of, shape.len()),
            };
            Ok(Stretched { left: view(shapes[0]), right: view(shapes[1]), shape })
        });
        Aligned {
            left: copy_views(left, &plans, rows, |plan| &plan.left),
            right: copy_views(right, &plans, rows, |plan| &plan.right),
            shapes: Shapes::Planned(plans),
            is_constant,
            rows,
        }
    }

    /// The left values, row after row, and the right ones: as many, or one for all.
    pub(super) fn columns(&self) -> (&Column, &Column) {
        (&self.left, &self.right)
    }

    /// `function` of every pair.
    pub(super) fn apply<T: Native, U: Native>(self, function: impl Fn(T, T) -> U) -> Value {
        let (left, right) = (self.left.as_slice::<T>(), self.right.as_slice::<T>());
        let values: Vec<U> = match right {
            &[number] => left.iter().map(|&value| function(value, number)).collect(),
            _ => left.iter().zip(right).map(|(&a, &b)| function(a, b)).collect(),
        };
        self.with_values(Column::from_vec(vec![], values.len(), values))
    }

    /// The values made of all pairs, as rows.
    pub(super) fn with_values(&self, values: Column) -> Value {
        let column = match &self.shapes {
            Shapes::Left => like(&self.left, values),
            Shapes::Planned(plans) => plans.shaped(values, self.rows, |plan| &plan.shape),
        };
        as_value(column, self.is_constant)
    }

    /// The rows that have a pair whose right value is one of `bad`, given by their places among the right values.
    pub(super) fn rows_of(&self, arguments: &Arguments<'_>, bad: &[usize]) -> Vec<usize> {
        if bad.is_empty() || self.left.num_values() == 0 {
            return Vec::new();
        }
        let places = match &self.shapes {
            Shapes::Left => self.left.clone(),
            Shapes::Planned(plans) => plans.shaped(self.left.clone(), self.rows, |plan| &plan.shape),
        };
        let is_bad = |row: usize| {
            let own = places.value_range(row..row + 1);
            match self.right.num_values() {
                1 => !own.is_empty(),
                _ => bad
                    .get(bad.partition_point(|&place| place < own.start))
                    .is_some_and(|place| own.contains(place)),
            }
        };
        // Constants fail every row or none.
        if self.is_constant {
            return (0..arguments.rows).filter(|_| is_bad(0)).collect();
        }
        (0..self.rows).filter(|&row| is_bad(row)).collect()
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

/// A number of `shape` leaves the shape of every row alone unless it has more dimensions than the row.
fn fits_any(column: &Column, shape: &[usize]) -> bool {
    column.common_shape().map_or(shape.is_empty(), |own| own.len() >= shape.len())
}

/// `values`, one a row, with the row shapes of `column`.
pub(super) fn like(column: &Column, values: Column) -> Column {
    match column.common_shape() {
        Some(shape) => values.with_rows_of(column.rows(), shape.to_vec()),
        None => values.with_shapes((0..column.rows()).map(|row| column.shape(row).to_vec()).collect()),
    }
}

pub(super) fn as_value(column: Column, is_constant: bool) -> Value {
    if is_constant { Value::Constant(Tensor::of_row(&column, 0)) } else { Value::Rows(column) }
}
