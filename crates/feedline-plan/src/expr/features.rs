//! What to read of a `tf.train.Example`.

use std::collections::BTreeMap;
use std::fmt;

use feedline_data::{DType, Shape};
use serde::{Deserialize, Serialize};

/// The features to read of a record, by key.
///
/// ```
/// use feedline_data::DType;
/// use feedline_plan::expr::{Feature, Features};
///
/// let features = Features::from([
///     ("image", Feature::fixed_len(&[], DType::String)),
///     ("box", Feature::fixed_len(&[4], DType::Float32).with_default(vec![0.0; 4])),
///     ("tokens", Feature::var_len(DType::Int64)),
/// ]);
/// assert_eq!(features.iter().next().map(|(key, _)| key), Some("box"));
/// ```
///
/// Some may be *only checked*: a record they are wrong in is bad, but nothing comes of their values. The optimizer makes
/// such ([`Features::only_checking`]) of features nobody uses. It also says whether many records are to be parsed in one
/// call ([`Features::parsed_together`]), which shows in nothing but speed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Features {
    read: BTreeMap<String, Feature>,
    only_checked: BTreeMap<String, Feature>,
    is_parsed_together: bool,
}

/// How to read one feature: TensorFlow's `FixedLenFeature`, `VarLenFeature`, `RaggedFeature` and `FixedLenSequenceFeature`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// The same number of values in every record.
    FixedLen {
        /// The shape of the values of a record.
        shape: Vec<usize>,
        /// Their type.
        dtype: DType,
        /// What a record has that lacks it; without, that is an error of the record.
        default: Option<FeatureValues>,
    },
    /// Any number of values, also none, as a sparse tensor.
    VarLen {
        /// Their type.
        dtype: DType,
    },
    /// Any number of values, also none, as a tensor of one dimension; in a batch, or a list of steps, as a ragged tensor.
    Ragged {
        /// Their type.
        dtype: DType,
    },
    /// Any number of entries of one shape, also none.
    FixedLenSequence {
        /// The shape of an entry.
        shape: Vec<usize>,
        /// The type of the values.
        dtype: DType,
        /// One value that fills what shorter records leave in a batch; without, 0 or an empty string. Of a list of steps it also says
        /// that a record may lack the list.
        default: Option<FeatureValues>,
    },
}

/// Values of the three types a record can hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureValues {
    /// For `float32`.
    Float32(Vec<f32>),
    /// For `int64`.
    Int64(Vec<i64>),
    /// For `string`.
    Strings(Vec<Vec<u8>>),
}

impl Features {
    /// The features that are read with their keys, by key: a tensor comes of each.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Feature)> {
        self.read.iter().map(|(key, feature)| (key.as_str(), feature))
    }

    /// The features that are only checked, by key.
    pub fn iter_only_checked(&self) -> impl ExactSizeIterator<Item = (&str, &Feature)> {
        self.only_checked.iter().map(|(key, feature)| (key.as_str(), feature))
    }

    /// Number of features that are read.
    pub fn len(&self) -> usize {
        self.read.len()
    }

    /// Whether none is read.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty()
    }

    /// The same, with those only checked that `is_used` does not name, by their place in [`Features::iter`].
    #[must_use]
    pub fn only_checking(&self, is_used: impl Fn(usize) -> bool) -> Features {
        let mut features = Features { read: BTreeMap::new(), ..self.clone() };
        for (place, (key, feature)) in self.read.iter().enumerate() {
            let part = if is_used(place) { &mut features.read } else { &mut features.only_checked };
            part.insert(key.clone(), feature.clone());
        }
        features
    }

    /// The same, with all records that are there parsed in one call instead of a call each.
    #[must_use]
    pub fn parsed_together(&self) -> Features {
        Features { is_parsed_together: true, ..self.clone() }
    }

    /// Whether all records that are there are parsed in one call.
    pub fn is_parsed_together(&self) -> bool {
        self.is_parsed_together
    }

    /// Whether the optimizer made something of what the user wrote.
    pub(crate) fn is_optimized(&self) -> bool {
        self.is_parsed_together || !self.only_checked.is_empty()
    }
}

impl<K: Into<String>> FromIterator<(K, Feature)> for Features {
    fn from_iter<I: IntoIterator<Item = (K, Feature)>>(features: I) -> Features {
        let read = features.into_iter().map(|(key, feature)| (key.into(), feature)).collect();
        Features { read, ..Features::default() }
    }
}

impl<K: Into<String>, const N: usize> From<[(K, Feature); N]> for Features {
    fn from(features: [(K, Feature); N]) -> Features {
        features.into_iter().collect()
    }
}

impl Feature {
    /// The same number of values in every record.
    pub fn fixed_len(shape: &[usize], dtype: DType) -> Feature {
        Feature::FixedLen { shape: shape.to_vec(), dtype, default: None }
    }

    /// Any number of values, also none, as a sparse tensor.
    pub fn var_len(dtype: DType) -> Feature {
        Feature::VarLen { dtype }
    }

    /// Any number of values, also none, as a tensor of one dimension; in a batch, or a list of steps, as a ragged tensor.
    pub fn ragged(dtype: DType) -> Feature {
        Feature::Ragged { dtype }
    }

    /// Any number of entries of `shape`, also none.
    pub fn fixed_len_sequence(shape: &[usize], dtype: DType) -> Feature {
        Feature::FixedLenSequence { shape: shape.to_vec(), dtype, default: None }
    }

    /// With `values` where a record lacks them (of a sequence: where a batch needs filling). Features of any length
    /// have no use for it.
    #[must_use]
    pub fn with_default(mut self, values: impl Into<FeatureValues>) -> Feature {
        match &mut self {
            Feature::FixedLen { default, .. } | Feature::FixedLenSequence { default, .. } => {
                *default = Some(values.into());
            }
            Feature::VarLen { .. } | Feature::Ragged { .. } => {}
        }
        self
    }

    /// The type of its values.
    pub fn dtype(&self) -> DType {
        match self {
            Feature::FixedLen { dtype, .. }
            | Feature::VarLen { dtype }
            | Feature::Ragged { dtype }
            | Feature::FixedLenSequence { dtype, .. } => *dtype,
        }
    }

    /// Whether any number of values is one: neither a shape of their own nor one of entries keeps them together.
    pub fn has_any_length(&self) -> bool {
        matches!(self, Feature::VarLen { .. } | Feature::Ragged { .. })
    }

    /// What its values are in one record.
    pub fn shape(&self) -> Shape {
        match self {
            Feature::FixedLen { shape, .. } => Shape::fixed(shape),
            Feature::VarLen { .. } | Feature::Ragged { .. } => Shape::new(vec![None]),
            Feature::FixedLenSequence { shape, .. } => Shape::fixed(shape).with_outer(None),
        }
    }
}

impl FeatureValues {
    /// Their type.
    pub fn dtype(&self) -> DType {
        match self {
            FeatureValues::Float32(_) => DType::Float32,
            FeatureValues::Int64(_) => DType::Int64,
            FeatureValues::Strings(_) => DType::String,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            FeatureValues::Float32(values) => values.len(),
            FeatureValues::Int64(values) => values.len(),
            FeatureValues::Strings(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! from {
    ($($rust:ty => $variant:ident($value:ident: $convert:expr)),* $(,)?) => {
        $(impl From<$rust> for FeatureValues {
            fn from($value: $rust) -> FeatureValues {
                FeatureValues::$variant($convert)
            }
        })*
    };
}

from! {
    f32 => Float32(value: vec![value]),
    Vec<f32> => Float32(values: values),
    i64 => Int64(value: vec![value]),
    Vec<i64> => Int64(values: values),
    &str => Strings(value: vec![value.as_bytes().to_vec()]),
    Vec<Vec<u8>> => Strings(values: values),
}

impl fmt::Display for FeatureValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FeatureValues::Float32(values) => write!(f, "{values:?}"),
            FeatureValues::Int64(values) => write!(f, "{values:?}"),
            FeatureValues::Strings(values) => {
                let texts: Vec<String> =
                    values.iter().map(|value| format!("b'{}'", value.escape_ascii())).collect();
                write!(f, "[{}]", texts.join(", "))
            }
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, dtype) = match self {
            Feature::FixedLen { .. } => ("fixed_len", self.dtype()),
            Feature::VarLen { .. } => ("var_len", self.dtype()),
            Feature::Ragged { .. } => ("ragged", self.dtype()),
            Feature::FixedLenSequence { .. } => ("fixed_len_sequence", self.dtype()),
        };
        match self {
            Feature::VarLen { .. } | Feature::Ragged { .. } => write!(f, "{name}({dtype})"),
            Feature::FixedLen { shape, default, .. } | Feature::FixedLenSequence { shape, default, .. } => {
                write!(f, "{name}({shape:?}, {dtype}")?;
                match default {
                    Some(values) => write!(f, ", default={values})"),
                    None => f.write_str(")"),
                }
            }
        }
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Names of those only checked that are written: they are there to be found, and there may be hundreds.
        const MAX_NAMES: usize = 3;
        let mut texts: Vec<String> =
            self.iter().map(|(key, feature)| format!("'{key}': {feature}")).collect();
        let names: Vec<String> =
            self.iter_only_checked().take(MAX_NAMES).map(|(key, _)| format!("'{key}'")).collect();
        let num_more = self.only_checked.len() - names.len();
        if !names.is_empty() {
            let more = if num_more > 0 { format!(" and {num_more} more") } else { String::new() };
            texts.push(format!("only checked: {}{more}", names.join(", ")));
        }
        if self.is_parsed_together {
            texts.push("parsed together".to_owned());
        }
        write!(f, "{{{}}}", texts.join(", "))
    }
}
