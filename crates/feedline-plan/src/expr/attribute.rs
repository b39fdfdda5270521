//! The arguments of an operation that are not tensors.

use feedline_data::{DType, Shape};
use serde::{Deserialize, Serialize};

use super::{Body, CarriedPlan, Features, Slice};

/// An argument that is known when the plan is built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Attribute {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// A word.
    Text(String),
    /// A type.
    DType(DType),
    /// A shape, parts of which may be unknown.
    Shape(Shape),
    /// Several integers.
    Ints(Vec<i64>),
    /// Several floats.
    Floats(Vec<f64>),
    /// Parts of dimensions, as between the brackets of `x[…]`.
    Slices(Vec<Slice>),
    /// What to read of a record.
    Features(Features),
    /// Functions that the call computes with.
    #[serde(skip)]
    Functions(Vec<Body>),
    /// A dataset whose one element the call is.
    #[serde(skip)]
    Dataset(CarriedPlan),
    /// No value of the plan, but a tensor that is computed for every element: that number of the call's. For arguments whose kind
    /// takes either.
    Input(usize),
    /// Not given, where that means something of its own (`axis=None`).
    None,
}

impl std::fmt::Display for Attribute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Attribute::Int(value) => write!(f, "{value}"),
            Attribute::Float(value) => write!(f, "{value}"),
            Attribute::Bool(value) => write!(f, "{value}"),
            Attribute::Text(value) => write!(f, "'{value}'"),
            Attribute::DType(value) => write!(f, "{value}"),
            Attribute::Shape(value) => write!(f, "{value}"),
            Attribute::Ints(values) => write!(f, "{values:?}"),
            Attribute::Floats(values) => write!(f, "{values:?}"),
            Attribute::Slices(slices) => {
                let slices: Vec<String> = slices.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", slices.join(", "))
            }
            Attribute::Features(features) => write!(f, "{features}"),
            Attribute::Functions(bodies) => {
                let bodies: Vec<String> = bodies.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", bodies.join(", "))
            }
            Attribute::Dataset(_) => f.write_str("a dataset"),
            Attribute::Input(index) => write!(f, "tensor {index}"),
            Attribute::None => f.write_str("none"),
        }
    }
}

macro_rules! from {
    ($($rust:ty => $variant:ident),* $(,)?) => {
        $(impl From<$rust> for Attribute {
            fn from(value: $rust) -> Attribute {
                Attribute::$variant(value.into())
            }
        })*
    };
}

from! {
    i64 => Int, i32 => Int, u32 => Int, f64 => Float, f32 => Float, bool => Bool, &str => Text, String => Text,
    DType => DType, Shape => Shape, Vec<i64> => Ints, &[i64] => Ints, Vec<f64> => Floats, &[f64] => Floats, Vec<Slice> => Slices, Features => Features,
    Vec<Body> => Functions,
}

impl<const N: usize> From<[i64; N]> for Attribute {
    fn from(values: [i64; N]) -> Attribute {
        Attribute::Ints(values.to_vec())
    }
}

impl<const N: usize> From<[f64; N]> for Attribute {
    fn from(values: [f64; N]) -> Attribute {
        Attribute::Floats(values.to_vec())
    }
}

impl<T: Into<Attribute>> From<Option<T>> for Attribute {
    fn from(value: Option<T>) -> Attribute {
        value.map_or(Attribute::None, Into::into)
    }
}
