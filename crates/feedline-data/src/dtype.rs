//! The type of a single value.

use std::fmt;

/// The type of a single value, with TensorFlow's names.
///
/// The three here are those a `tf.train.Example` can hold; more join them with the operators that make them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// 32-bit IEEE float.
    Float32,
    /// 64-bit signed integer.
    Int64,
    /// A byte string of any length; TensorFlow calls it `string`, and so do we.
    String,
}

impl DType {
    /// The name users type and errors print: `float32`, `int64`, `string`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Float32 => "float32",
            DType::Int64 => "int64",
            DType::String => "string",
        }
    }

    /// The dtype called `name`, also under the names people use for it in other tools.
    pub fn from_name(name: &str) -> Option<DType> {
        Some(match name {
            "float32" | "float" => DType::Float32,
            "int64" | "int" => DType::Int64,
            "string" | "bytes" | "str" => DType::String,
            _ => return None,
        })
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::DType;

    #[test]
    fn names_round_trip() {
        for dtype in [DType::Float32, DType::Int64, DType::String] {
            assert_eq!(DType::from_name(dtype.name()), Some(dtype));
        }
        assert_eq!(DType::from_name("complex"), None);
    }
}
