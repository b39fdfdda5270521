//! What to read from each record.

use feedline_data::DType;

use crate::error::{Error, Result};

/// One feature to read: its name, type, and how many values it has.
///
/// ```
/// use feedline_data::DType;
/// use feedline_formats::example::{Default, FeatureSpec};
///
/// let specs = [
///     FeatureSpec::fixed("image/encoded", DType::String, &[]),
///     FeatureSpec::fixed("box", DType::Float32, &[4]).with_default(Default::Float32(vec![0.0; 4])),
///     FeatureSpec::var_len("tags", DType::String),
/// ];
/// # let _ = specs;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSpec {
    /// The key in the record.
    pub name: String,
    /// The type its values must have.
    pub dtype: DType,
    /// How many values it has.
    pub length: Length,
}

/// How many values a feature has in a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Length {
    /// As many as `shape` holds, in every record (TensorFlow's `FixedLenFeature`).
    Fixed {
        /// Shape of the values of one record; `[]` is a single value.
        shape: Vec<usize>,
        /// The values of a record that lacks the feature; without them that is an error.
        default: Option<Default>,
    },
    /// Any number, also none (`VarLenFeature`, `RaggedFeature`): the column is ragged.
    Variable,
    /// Any number of entries of `shape` (`FixedLenSequenceFeature`): the column is ragged, and
    /// [`feedline_data::Column::to_padded`] makes it the tensor TensorFlow returns.
    Sequence {
        /// Shape of one entry.
        shape: Vec<usize>,
        /// Whether a record may lack the feature. TensorFlow insists on it in an Example, and lets a
        /// `SequenceExample` choose.
        allow_missing: bool,
    },
}

/// The values of a feature that a record lacks.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// For `float32`.
    Float32(Vec<f32>),
    /// For `int64`.
    Int64(Vec<i64>),
    /// For `string`.
    Bytes(Vec<Vec<u8>>),
}

impl Default {
    fn dtype_and_len(&self) -> (DType, usize) {
        match self {
            Default::Float32(values) => (DType::Float32, values.len()),
            Default::Int64(values) => (DType::Int64, values.len()),
            Default::Bytes(values) => (DType::String, values.len()),
        }
    }
}

impl FeatureSpec {
    /// A feature with the same number of values in every record.
    pub fn fixed(name: impl Into<String>, dtype: DType, shape: &[usize]) -> FeatureSpec {
        FeatureSpec {
            name: name.into(),
            dtype,
            length: Length::Fixed { shape: shape.to_vec(), default: None },
        }
    }

    /// A feature with any number of values.
    pub fn var_len(name: impl Into<String>, dtype: DType) -> FeatureSpec {
        FeatureSpec { name: name.into(), dtype, length: Length::Variable }
    }

    /// A feature with any number of entries of `shape`, also none.
    pub fn sequence(name: impl Into<String>, dtype: DType, shape: &[usize]) -> FeatureSpec {
        let length = Length::Sequence { shape: shape.to_vec(), allow_missing: true };
        FeatureSpec { name: name.into(), dtype, length }
    }

    /// The same feature, with `values` where a record lacks it. Has no effect on features that may be absent anyway.
    #[must_use]
    pub fn with_default(mut self, values: Default) -> FeatureSpec {
        if let Length::Fixed { default, .. } = &mut self.length {
            *default = Some(values);
        }
        self
    }

    /// The shape of one entry; `[]` for variable length.
    pub(super) fn inner_shape(&self) -> &[usize] {
        match &self.length {
            Length::Fixed { shape, .. } | Length::Sequence { shape, .. } => shape,
            Length::Variable => &[],
        }
    }
}

/// An error if the specs contradict themselves or each other.
pub(super) fn check(specs: &[FeatureSpec]) -> Result<()> {
    for (index, spec) in specs.iter().enumerate() {
        let name = &spec.name;
        if specs[..index].iter().any(|earlier| earlier.name == *name) {
            return Err(Error::argument(
                format!("feature `{name}` is asked for twice"),
                "ask for it once; its column can be used in several places",
            ));
        }
        if !DType::IN_EXAMPLES.contains(&spec.dtype) {
            return Err(Error::argument(
                format!(
                    "feature `{name}` is asked for as {}; an Example holds float32, int64 and string",
                    spec.dtype
                ),
                "ask for one of these, and cast afterwards",
            ));
        }
        let shape = spec.inner_shape();
        let count = shape.iter().try_fold(1usize, |product, &dim| product.checked_mul(dim));
        let Some(count) = count.filter(|&count| u32::try_from(count).is_ok()) else {
            return Err(Error::argument(
                format!("feature `{name}`: shape {shape:?} is larger than any record"),
                "give the shape that one record has; batches add their own dimension",
            ));
        };
        if matches!(spec.length, Length::Sequence { .. }) && count == 0 {
            return Err(Error::argument(
                format!("feature `{name}`: entries of shape {shape:?} hold no values"),
                "give entries a shape without 0: `[]` is one value each",
            ));
        }
        if let Length::Fixed { default: Some(default), .. } = &spec.length {
            let (dtype, len) = default.dtype_and_len();
            if dtype != spec.dtype {
                return Err(Error::argument(
                    format!("feature `{name}` is {}, its default is {dtype}", spec.dtype),
                    format!("give a default of {}, or ask for the feature as {dtype}", spec.dtype),
                ));
            }
            if len != count {
                return Err(Error::argument(
                    format!(
                        "feature `{name}`: shape {shape:?} needs a default of {count} values, {len} were given"
                    ),
                    "give a value for each place of the shape, in row-major order",
                ));
            }
        }
    }
    Ok(())
}
