//! Sequences of tokens packed into rows of one length.

use std::fmt;

use feedline_data::{DType, ElementSpec, Shape, TensorSpec};

use crate::expr::{Attribute, number_tensor};
use crate::{Cardinality, NodeKind, Plan, PlanError, Result};

/// How sequences are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Tokens of a packed row.
    pub length: usize,
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
        Packing { length, num_open: 64, fit: Fit::First, padding: 0, truncates: false }
    }
}

impl From<usize> for Packing {
    fn from(length: usize) -> Packing {
        Packing::of_length(length)
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Packing { length, num_open, fit, padding, truncates } = self;
        write!(f, "{length}, num_open={num_open}, fit={}, padding={padding}", fit.name())?;
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
        let Packing { length, num_open, padding, .. } = packing;
        for (name, value) in [("length", length), ("num_open", num_open)] {
            if value == 0 || i32::try_from(value).is_err() {
                return Err(PlanError::argument(format!("pack: {name} cannot be {value}"))
                    .with_hint("it is from 1 to 2147483647"));
            }
        }
        if self.spec().num_leaves() == 0 {
            return Err(PlanError::spec("pack: the elements have no tensors"));
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
        let row = |dtype: DType| TensorSpec::new(dtype, Shape::fixed(&[length]));
        let spec = ElementSpec::Tuple(vec![
            self.spec().map(|spec| row(spec.dtype)),
            self.spec().map(|_| row(DType::Int32)),
            self.spec().map(|_| row(DType::Int32)),
        ]);
        let cardinality = match self.cardinality() {
            Cardinality::Known(0) => Cardinality::Known(0),
            Cardinality::Infinite => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        };
        Ok(self.step(NodeKind::Pack { packing }, spec, cardinality))
    }
}
