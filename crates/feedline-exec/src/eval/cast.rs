//! Numbers as another type.

use feedline_data::DType;
use feedline_data::block::{Column, Tensor};
use feedline_plan::expr::Attribute;
use half::{bf16, f16};

use super::elementwise::{dispatch, like, unary};
use super::{Arguments, Value};

/// A number on its way from one type to another: integers exact, floats as double precision, which holds all of them.
#[derive(Clone, Copy)]
enum Between {
    Integer(i128),
    Float(f64),
}

impl Between {
    fn is_true(self) -> bool {
        match self {
            Between::Integer(value) => value != 0,
            Between::Float(value) => value != 0.0,
        }
    }
}

trait Castable: feedline_data::Native {
    fn leave(self) -> Between;
    /// Integers keep their low bits; floats lose the fraction, stop at the limits, and not-a-number is 0.
    fn enter(value: Between) -> Self;
}

macro_rules! integers {
    ($($rust:ty),*) => {$(
        impl Castable for $rust {
            fn leave(self) -> Between {
                Between::Integer(self.into())
            }
            fn enter(value: Between) -> $rust {
                match value {
                    Between::Integer(value) => value as $rust,
                    Between::Float(value) => value as $rust,
                }
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($rust:ty: $leave:expr, $from_integer:expr, $from_float:expr);* $(;)?) => {$(
        impl Castable for $rust {
            fn leave(self) -> Between {
                Between::Float($leave(self))
            }
            fn enter(value: Between) -> $rust {
                match value {
                    Between::Integer(value) => $from_integer(value),
                    Between::Float(value) => $from_float(value),
                }
            }
        }
    )*};
}

floats! {
    // Integers to half precision go through single precision, as TensorFlow's do.
    f16: f16::to_f64, |value| f16::from_f32(value as f32), f16::from_f64;
    bf16: bf16::to_f64, |value| bf16::from_f32(value as f32), |value| bf16::from_f32(value as f32);
    f32: f64::from, |value| value as f32, |value| value as f32;
    f64: std::convert::identity, |value| value as f64, std::convert::identity;
}

pub(super) fn cast(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let Attribute::DType(to) = *arguments.call.attribute("dtype") else {
        unreachable!("checked to be a dtype")
    };
    let from = arguments.inputs[0].dtype();
    vec![match (from, to) {
        (from, to) if from == to => arguments.inputs[0].clone(),
        // What pipelines cast most, in one instruction a value.
        (DType::UInt8, DType::Float32) => unary::<u8, f32>(arguments, f32::from),
        (DType::Int64, DType::Float32) => unary::<i64, f32>(arguments, |value| value as f32),
        (DType::Int64, DType::Int32) => unary::<i64, i32>(arguments, |value| value as i32),
        (DType::Int32, DType::Int64) => unary::<i32, i64>(arguments, i64::from),
        (DType::Float64, DType::Float32) => unary::<f64, f32>(arguments, |value| value as f32),
        (DType::Float32, DType::Float64) => unary::<f32, f64>(arguments, f64::from),
        (DType::Float32, DType::UInt8) => unary::<f32, u8>(arguments, |value| value as u8),
        (DType::Float32, DType::Float16) => unary::<f32, f16>(arguments, f16::from_f32),
        (DType::Float32, DType::BFloat16) => unary::<f32, bf16>(arguments, bf16::from_f32),
        (_, to) => {
            let cast = |column: &Column| cast_column(column, to);
            match arguments.inputs[0] {
                Value::Rows(column) => Value::Rows(cast(column)),
                Value::Constant(tensor) => Value::Constant(Tensor::of_row(&cast(tensor.as_column()), 0)),
            }
        }
    }]
}

/// A column of numbers as another type.
pub(super) fn cast_column(column: &Column, to: DType) -> Column {
    let between = leave_all(column);
    let count = between.len();
    if to == DType::Bool {
        let bools = between.iter().map(|value| u8::from(value.is_true())).collect();
        return like(column, Column::from_bools(vec![], count, bools));
    }
    let values = dispatch!(numbers to, To => {
        let values: Vec<To> = between.iter().map(|&value| To::enter(value)).collect();
        Column::from_vec(vec![], count, values)
    });
    like(column, values)
}

/// A column of numbers as float32.
pub(super) fn as_float32(column: &Column) -> Column {
    if column.dtype() == DType::Float32 { column.clone() } else { cast_column(column, DType::Float32) }
}

/// All values on their way. Twelve types leave and twelve enter: 24 loops instead of the 144 that going straight would
/// take to compile.
fn leave_all(column: &Column) -> Vec<Between> {
    match column.dtype() {
        DType::Bool => column.as_slice::<u8>().iter().map(|value| value.leave()).collect(),
        number => {
            dispatch!(numbers number, From => column.as_slice::<From>().iter().map(|value| value.leave()).collect())
        }
    }
}
