//! Images in another type: the largest integer of a type is 1.0 as a float.

use feedline_data::DType;
use feedline_data::block::{Column, Tensor};
use half::{bf16, f16};

use super::super::cast::as_float32;
use super::super::elementwise::{dispatch, like};
use super::super::{Arguments, Value};

/// Types that images have.
trait Scaled: feedline_data::Native {
    /// Its largest value; `None`: a float.
    const LARGEST: Option<i128>;
    /// Of any type of 64 bits, with room for products.
    fn to_integer(self) -> i128;
    /// What of an integer fits; the low bits of others.
    fn of_integer(value: i128) -> Self;
    fn to_double(self) -> f64;
    /// Without the fraction; stops at the limits.
    fn of_double(value: f64) -> Self;
}

macro_rules! scaled {
    ($($rust:ty),*) => {$(
        impl Scaled for $rust {
            const LARGEST: Option<i128> = Some(<$rust>::MAX as i128);
            fn to_integer(self) -> i128 {
                self.into()
            }
            fn of_integer(value: i128) -> Self {
                value as $rust
            }
            #[allow(clippy::cast_lossless, reason = "it is not, of 64 bits")]
            fn to_double(self) -> f64 {
                self as f64
            }
            fn of_double(value: f64) -> Self {
                value as $rust
            }
        }
    )*};
    (floats $($rust:ty: $to:expr, $of:expr);*) => {$(
        impl Scaled for $rust {
            const LARGEST: Option<i128> = None;
            fn to_integer(self) -> i128 {
                $to(self) as i128
            }
            fn of_integer(value: i128) -> Self {
                $of(value as f64)
            }
            fn to_double(self) -> f64 {
                $to(self)
            }
            fn of_double(value: f64) -> Self {
                $of(value)
            }
        }
    )*};
}

scaled!(u8, u16, u32, u64, i8, i16, i32, i64);
scaled!(floats f16: f16::to_f64, f16::from_f64; bf16: bf16::to_f64, |value| bf16::from_f32(value as f32); f32: f64::from, |value| value as f32;
    f64: std::convert::identity, std::convert::identity);

pub(in super::super) fn convert_image_dtype(arguments: &mut Arguments<'_>) -> Vec<Value> {
    let to = arguments.call.dtype("dtype");
    let saturate = arguments.call.flag("saturate");
    vec![match arguments.inputs[0] {
        Value::Rows(column) => Value::Rows(converted(column, to, saturate)),
        Value::Constant(tensor) => {
            Value::Constant(Tensor::of_row(&converted(tensor.as_column(), to, saturate), 0))
        }
    }]
}

/// A column of images as another type.
pub(super) fn converted(column: &Column, to: DType, saturate: bool) -> Column {
    if column.dtype() == to {
        return column.clone();
    }
    dispatch!(images column.dtype(), From => dispatch!(images to, To => {
        let values: Vec<To> =
            column.as_slice::<From>().iter().map(|&value| convert::<From, To>(value, saturate)).collect();
        like(column, Column::from_vec(vec![], values.len(), values))
    }))
}

/// As TensorFlow converts: integers by whole factors, integers and floats by the largest integer.
fn convert<From: Scaled, To: Scaled>(value: From, saturate: bool) -> To {
    match (From::LARGEST, To::LARGEST) {
        (Some(from), Some(to)) if from > to => {
            let scaled = value.to_integer().div_euclid((from + 1) / (to + 1));
            To::of_integer(if saturate { scaled.clamp(smallest::<To>(), to) } else { scaled })
        }
        (Some(from), Some(to)) => {
            let value =
                if saturate { value.to_integer().clamp(smallest::<To>(), to) } else { value.to_integer() };
            To::of_integer(To::of_integer(value).to_integer() * ((to + 1) / (from + 1)))
        }
        // In the precision of the float, so that results are TensorFlow's.
        (Some(from), None) if size_of::<To>() == 8 => To::of_double(value.to_double() * (1.0 / from as f64)),
        (Some(from), None) => {
            let (value, scale) = (value.to_double() as f32, 1.0 / from as f64);
            halved::<To>(value, scale).unwrap_or_else(|| To::of_double(f64::from(value * scale as f32)))
        }
        (None, Some(to)) => {
            let scale = to as f64 + 0.5;
            let is_double = size_of::<From>() == 8;
            let scaled = if is_double {
                value.to_double() * scale
            } else {
                f64::from(value.to_double() as f32 * scale as f32)
            };
            // Of 32 bits and more the largest integer is no float; where it is asked for that nothing overflows, TensorFlow stops at the
            // float before it.
            let stops_below = saturate && !is_double && scaled >= to as f64;
            To::of_double(if stops_below { float_within(to) } else { scaled })
        }
        (None, None) => To::of_double(value.to_double()),
    }
}

/// An integer as a half float, with each step rounded to half precision as TensorFlow does it. `None` of other floats, and where that is too
/// narrow: where the integer or its part of the whole would not be a number any more.
fn halved<To: Scaled>(value: f32, scale: f64) -> Option<To> {
    if size_of::<To>() != 2 {
        return None;
    }
    let [value, scale] = [f64::from(value), scale].map(|number| To::of_double(number).to_double() as f32);
    (value.is_finite() && scale > 0.0).then(|| To::of_double(f64::from(value * scale)))
}

/// The largest number of single precision that is no larger than the largest integer of a type.
fn float_within(largest: i128) -> f64 {
    let float = largest as f32;
    f64::from(if float as i128 > largest { float.next_down() } else { float })
}

fn smallest<T: Scaled>() -> i128 {
    T::of_double(f64::MIN).to_integer()
}

/// The values as floats from 0 to 1, for computing with.
pub(super) fn to_unit(column: &Column) -> Vec<f32> {
    match column.dtype() {
        DType::Float32 => column.as_slice::<f32>().to_vec(),
        float if float.is_float() => as_float32(column).as_slice::<f32>().to_vec(),
        _ => converted(column, DType::Float32, false).as_slice::<f32>().to_vec(),
    }
}

/// Floats from 0 to 1 in the type and shapes of `column`.
pub(super) fn from_unit(values: Vec<f32>, column: &Column, saturate: bool) -> Column {
    converted(&like(column, Column::from_vec(vec![], values.len(), values)), column.dtype(), saturate)
}
