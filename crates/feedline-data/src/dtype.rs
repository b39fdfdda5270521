//! The type of a single value.

use std::fmt;

use bytemuck::Pod;
use half::{bf16, f16};
use serde::{Deserialize, Serialize};

/// The type of a single value, with TensorFlow's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DType {
    /// True or false, one byte.
    Bool,
    /// 8-bit signed integer.
    Int8,
    /// 16-bit signed integer.
    Int16,
    /// 32-bit signed integer.
    Int32,
    /// 64-bit signed integer.
    Int64,
    /// 8-bit unsigned integer.
    UInt8,
    /// 16-bit unsigned integer.
    UInt16,
    /// 32-bit unsigned integer.
    UInt32,
    /// 64-bit unsigned integer.
    UInt64,
    /// 16-bit IEEE float.
    Float16,
    /// The upper half of a 32-bit IEEE float.
    BFloat16,
    /// 32-bit IEEE float.
    Float32,
    /// 64-bit IEEE float.
    Float64,
    /// A byte string of any length; TensorFlow calls it `string`, and so do we.
    String,
}

impl DType {
    /// Every type there is.
    pub const ALL: [DType; 14] = [
        DType::Bool,
        DType::Int8,
        DType::Int16,
        DType::Int32,
        DType::Int64,
        DType::UInt8,
        DType::UInt16,
        DType::UInt32,
        DType::UInt64,
        DType::Float16,
        DType::BFloat16,
        DType::Float32,
        DType::Float64,
        DType::String,
    ];

    /// The three types a `tf.train.Example` can hold.
    pub const IN_EXAMPLES: [DType; 3] = [DType::Float32, DType::Int64, DType::String];

    /// The name users type and errors print, e.g. `float32`, `int64`, `string`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::Int8 => "int8",
            DType::Int16 => "int16",
            DType::Int32 => "int32",
            DType::Int64 => "int64",
            DType::UInt8 => "uint8",
            DType::UInt16 => "uint16",
            DType::UInt32 => "uint32",
            DType::UInt64 => "uint64",
            DType::Float16 => "float16",
            DType::BFloat16 => "bfloat16",
            DType::Float32 => "float32",
            DType::Float64 => "float64",
            DType::String => "string",
        }
    }

    /// The dtype called `name`, also under the names people use for it in other tools.
    pub fn from_name(name: &str) -> Option<DType> {
        Some(match name {
            "float" => DType::Float32,
            "double" => DType::Float64,
            "half" => DType::Float16,
            "int" => DType::Int64,
            "bytes" | "str" => DType::String,
            _ => return DType::ALL.into_iter().find(|dtype| dtype.name() == name),
        })
    }

    /// Bytes of one value; `None` for strings, whose values differ.
    pub const fn width(self) -> Option<usize> {
        Some(match self {
            DType::Bool | DType::Int8 | DType::UInt8 => 1,
            DType::Int16 | DType::UInt16 | DType::Float16 | DType::BFloat16 => 2,
            DType::Int32 | DType::UInt32 | DType::Float32 => 4,
            DType::Int64 | DType::UInt64 | DType::Float64 => 8,
            DType::String => return None,
        })
    }

    /// Whether it is a float of any width.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64)
    }

    /// Whether it is an integer of any width, signed or not; bool is none.
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer()
            || matches!(self, DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64)
    }

    /// Whether it is a signed integer of any width.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64)
    }

    /// Whether one can count with it: integers and floats.
    pub const fn is_numeric(self) -> bool {
        self.is_integer() || self.is_float()
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A Rust type whose values lie in memory as a [`DType`]'s do.
///
/// `bool` is not among them: not every byte is a valid `bool`, so bools are read and written as `u8`.
pub trait Native: Pod + PartialEq + fmt::Debug + Send + Sync {
    /// The dtype.
    const DTYPE: DType;
}

macro_rules! native {
    ($($rust:ty => $dtype:ident),* $(,)?) => {
        $(impl Native for $rust {
            const DTYPE: DType = DType::$dtype;
        })*
    };
}

native! {
    i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64,
    u8 => UInt8, u16 => UInt16, u32 => UInt32, u64 => UInt64,
    f16 => Float16, bf16 => BFloat16, f32 => Float32, f64 => Float64,
}

#[cfg(test)]
mod tests {
    use super::DType;

    #[test]
    fn names_round_trip() {
        for dtype in DType::ALL {
            assert_eq!(DType::from_name(dtype.name()), Some(dtype));
        }
        assert_eq!(DType::from_name("complex"), None);
    }
}
