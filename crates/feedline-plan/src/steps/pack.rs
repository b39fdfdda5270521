//! Sequences of tokens packed into rows of one length.

use std::fmt;

use feedline_data::{DType, ElementSpec, Shape, TensorSpec};

use crate::expr::{Attribute, number_tensor};
use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

/// How sequences are packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Tokens of a packed row: one number, or one for each tensor of the elements, in their order.
    pub lengths: Vec<usize>,
    /// Rows that are being filled at a time.
    pub num_open: usize,
    /// Which of them a sequence goes to.
    pub fit: Fit,
    /// What stands where there is no token.
    pub padding: i64,
    /// Whether a sequence that is longer than a row is cut to its length; else it is an error.
    pub truncates: bool,
}

impl Packing {
    /// Rows of `length` tokens, of which 64 are filled at a time, by first fit.
    pub fn of_length(length: usize) -> Packing {
        Packing::of_lengths([length])
    }

    /// As [`Packing::of_length`], with rows of another length for each tensor of the elements, in their order.
    pub fn of_lengths(lengths: impl Into<Vec<usize>>) -> Packing {
        Packing { lengths: lengths.into(), num_open: 64, fit: Fit::First, padding: 0, truncates: false }
    }

    /// The length of the rows of tensor `leaf`.
    pub fn length_of(&self, leaf: usize) -> usize {
        if let [one] = self.lengths[..] { one } else { self.lengths[leaf] }
    }
}

impl From<usize> for Packing {
    fn from(length: usize) -> Packing {
        Packing::of_length(length)
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Packing { lengths, num_open, fit, padding, truncates } = self;
        match lengths[..] {
            [length] => write!(f, "{length}")?,
            _ => write!(f, "{lengths:?}")?,
        }
        write!(f, ", num_open={num_open}, fit={}, padding={padding}", fit.name())?;
        f.write_str(if *truncates { ", truncate=true" } else { "" })
    }
}

/// Which of the rows with room for it a sequence goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The one that was begun first.
    First,
    /// The one with the least room.
    Best,
}

impl Fit {
    /// What users type.
    pub fn name(self) -> &'static str {
        match self {
            Fit::First => "first",
            Fit::Best => "best",
        }
    }

    /// The one users call `name`.
    pub fn of_name(name: &str) -> Result<Fit> {
        [Fit::First, Fit::Best].into_iter().find(|fit| fit.name() == name).ok_or_else(|| {
            PlanError::argument(format!("pack: fit cannot be {name:?}"))
                .with_hint("it is \"first\" or \"best\"")
        })
    }
}

impl Plan {
    /// Sequences side by side in rows of one length, as `(values, segments, positions)`.
    pub fn pack(&self, packing: Packing) -> Result<Plan> {
        let Packing { num_open, padding, .. } = packing;
        let lengths = packing.lengths.iter().map(|&length| ("length", length));
        for (name, value) in lengths.chain([("num_open", num_open)]) {
            if value == 0 || i32::try_from(value).is_err() {
                return Err(PlanError::argument(format!("pack: {name} cannot be {value}"))
                    .with_hint("it is from 1 to 2147483647"));
            }
        }
        if self.spec().num_leaves() == 0 {
            return Err(PlanError::spec("pack: the elements have no tensors"));
        }
        let (given, wanted) = (packing.lengths.len(), self.spec().num_leaves());
        if given != 1 && given != wanted {
            return Err(PlanError::argument(format!(
                "pack: length has {given} numbers, the elements have {wanted} tensors"
            ))
            .with_hint("give one length for all, or one for each tensor"));
        }
        for (spec, name) in self.spec().leaves().into_iter().zip(self.spec().leaf_names()) {
            let is_sequence = spec.shape.is_compatible_with(&Shape::new(vec![None]));
            if !is_sequence || spec.dtype == DType::String {
                return Err(PlanError::spec(format!(
                    "pack: takes sequences of numbers, tensors of one dimension; {}is {spec}",
                    if name.is_empty() { "it ".to_owned() } else { format!("{name} ") }
                )));
            }
            number_tensor(&Attribute::Int(padding), spec.dtype)
                .map_err(|error| error.in_step("pack: padding"))?;
        }
        let rows = |dtype: fn(&TensorSpec) -> DType| {
            let mut leaf = 0;
            self.spec().map(|spec| {
                leaf += 1;
                TensorSpec::new(dtype(spec), Shape::fixed(&[packing.length_of(leaf - 1)]))
            })
        };
        let spec =
            ElementSpec::Tuple(vec![rows(|spec| spec.dtype), rows(|_| DType::Int32), rows(|_| DType::Int32)]);
        let cardinality = match self.cardinality() {
            Cardinality::Known(0) => Cardinality::Known(0),
            Cardinality::Infinite => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        };
        Ok(self.step(NodeKind::Pack { packing }, spec, cardinality))
    }
}
