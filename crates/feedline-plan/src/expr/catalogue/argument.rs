//! Arguments of operations: what each may be.

use crate::expr::Attribute;

/// One argument of an operation.
#[derive(Debug)]
pub struct Argument {
    /// Its name, TensorFlow's.
    pub name: &'static str,
    /// What it may be.
    pub kind: ArgumentKind,
    /// What it is where it is left out (Python; Rust names every argument).
    pub default: Option<Attribute>,
}

/// What an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentKind {
    /// A tensor computed for every element.
    Tensor,
    /// Any number of tensors.
    Tensors,
    /// A tensor of bools: numbers beside it do not take its type.
    Condition,
    /// A tensor of integers that count places: numbers beside it do not take its type.
    Indices,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// Yes or no.
    Bool,
    /// A word.
    Text,
    /// A type.
    DType,
    /// A shape.
    Shape,
    /// One integer, several, or none.
    Axis,
    /// A number of any kind.
    Number,
    /// Several floats.
    Floats,
    /// Several floats, or none.
    OptionalFloats,
    /// Parts of dimensions.
    Slices,
    /// What to read of a record.
    Features,
    /// Functions that the call computes with.
    Functions,
    /// A dataset whose one element the call is.
    Dataset,
    /// An integer, or a tensor of one.
    IntOrTensor,
    /// A float, or a tensor of one.
    FloatOrTensor,
    /// One integer, several, or none, or a tensor of them.
    AxisOrTensor,
}

impl ArgumentKind {
    /// Whether it is computed for every element, not fixed in the plan.
    pub fn is_tensor(self) -> bool {
        matches!(
            self,
            ArgumentKind::Tensor | ArgumentKind::Tensors | ArgumentKind::Condition | ArgumentKind::Indices
        )
    }

    /// What it is where it may be a tensor and is a value of the plan; else itself.
    #[must_use]
    pub fn when_fixed(self) -> ArgumentKind {
        match self {
            ArgumentKind::IntOrTensor => ArgumentKind::Int,
            ArgumentKind::FloatOrTensor => ArgumentKind::Float,
            ArgumentKind::AxisOrTensor => ArgumentKind::Axis,
            other => other,
        }
    }

    /// Whether it is a value of the plan or a tensor, as the user likes.
    pub fn may_be_tensor(self) -> bool {
        self.when_fixed() != self
    }

    /// Whether `value` may be given for it: never where it is a tensor, which is no value of the plan.
    pub fn accepts(self, value: &Attribute) -> bool {
        match self {
            ArgumentKind::IntOrTensor | ArgumentKind::FloatOrTensor | ArgumentKind::AxisOrTensor => {
                matches!(value, Attribute::Input(_)) || self.when_fixed().accepts(value)
            }
            ArgumentKind::Int => matches!(value, Attribute::Int(_)),
            ArgumentKind::Float => matches!(value, Attribute::Float(_)),
            ArgumentKind::Bool => matches!(value, Attribute::Bool(_)),
            ArgumentKind::Text => matches!(value, Attribute::Text(_)),
            ArgumentKind::DType => matches!(value, Attribute::DType(_)),
            ArgumentKind::Shape => matches!(value, Attribute::Shape(_)),
            ArgumentKind::Axis => matches!(value, Attribute::Int(_) | Attribute::Ints(_) | Attribute::None),
            ArgumentKind::Number => {
                matches!(value, Attribute::Int(_) | Attribute::Float(_) | Attribute::Bool(_))
            }
            ArgumentKind::Floats => matches!(value, Attribute::Floats(_)),
            ArgumentKind::OptionalFloats => matches!(value, Attribute::Floats(_) | Attribute::None),
            ArgumentKind::Slices => matches!(value, Attribute::Slices(_)),
            ArgumentKind::Features => matches!(value, Attribute::Features(_)),
            ArgumentKind::Functions => matches!(value, Attribute::Functions(_)),
            ArgumentKind::Dataset => matches!(value, Attribute::Dataset(_)),
            ArgumentKind::Tensor
            | ArgumentKind::Tensors
            | ArgumentKind::Condition
            | ArgumentKind::Indices => false,
        }
    }
}
