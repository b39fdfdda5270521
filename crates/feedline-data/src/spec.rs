//! What is known about tensors before there are any.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Composite, DType, Structure};

/// A shape of which parts may be unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shape(Option<Vec<Option<usize>>>);

impl Shape {
    /// Any shape.
    pub const UNKNOWN: Shape = Shape(None);

    /// No dimensions.
    pub fn scalar() -> Shape {
        Shape(Some(Vec::new()))
    }

    /// These dimensions, `None` for one that is unknown.
    pub fn new(dims: Vec<Option<usize>>) -> Shape {
        Shape(Some(dims))
    }

    /// Exactly these dimensions.
    pub fn fixed(dims: &[usize]) -> Shape {
        Shape(Some(dims.iter().copied().map(Some).collect()))
    }

    /// The dimensions, if their number is known.
    pub fn dims(&self) -> Option<&[Option<usize>]> {
        self.0.as_deref()
    }

    /// The number of dimensions, if known.
    pub fn rank(&self) -> Option<usize> {
        self.0.as_ref().map(Vec::len)
    }

    /// The shape, if every dimension is known.
    pub fn to_fixed(&self) -> Option<Vec<usize>> {
        self.0.as_ref()?.iter().copied().collect()
    }

    /// Whether a tensor of shape `dims` is one of these.
    pub fn admits(&self, dims: &[usize]) -> bool {
        self.0.as_ref().is_none_or(|own| {
            own.len() == dims.len()
                && own.iter().zip(dims).all(|(own, dim)| own.is_none_or(|own| own == *dim))
        })
    }

    /// Whether some tensor could have both shapes.
    pub fn is_compatible_with(&self, other: &Shape) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => {
                one.len() == two.len()
                    && one.iter().zip(two).all(|(one, two)| one.is_none() || two.is_none() || one == two)
            }
            _ => true,
        }
    }

    /// The narrowest shape that admits what either admits.
    #[must_use]
    pub fn union(&self, other: &Shape) -> Shape {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) if one.len() == two.len() => Shape(Some(
                one.iter().zip(two).map(|(one, two)| if one == two { *one } else { None }).collect(),
            )),
            _ => Shape::UNKNOWN,
        }
    }

    /// The widest shape whose every tensor both admit; `None` if there is no such tensor.
    pub fn intersection(&self, other: &Shape) -> Option<Shape> {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) if self.is_compatible_with(other) => {
                Some(Shape(Some(one.iter().zip(two).map(|(one, two)| one.or(*two)).collect())))
            }
            (Some(_), Some(_)) => None,
            (Some(_), None) => Some(self.clone()),
            (None, _) => Some(other.clone()),
        }
    }

    /// The shape with one more dimension in front.
    #[must_use]
    pub fn with_outer(&self, dim: Option<usize>) -> Shape {
        Shape(self.0.as_ref().map(|dims| std::iter::once(dim).chain(dims.iter().copied()).collect()))
    }

    /// The shape without its first dimension; `None` for a scalar.
    pub fn without_outer(&self) -> Option<Shape> {
        match &self.0 {
            None => Some(Shape::UNKNOWN),
            Some(dims) => Some(Shape(Some(dims.split_first()?.1.to_vec()))),
        }
    }
}

impl fmt::Display for Shape {
    /// `[2, ?]`; `[...]` where not even the number of dimensions is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("[...]"),
            Some(dims) => {
                let dims: Vec<String> =
                    dims.iter().map(|dim| dim.map_or_else(|| "?".into(), |dim| dim.to_string())).collect();
                write!(f, "[{}]", dims.join(", "))
            }
        }
    }
}

/// What is known about one tensor of every element.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TensorSpec {
    /// The type of its values.
    pub dtype: DType,
    /// Its shape, as far as known.
    pub shape: Shape,
}

impl TensorSpec {
    /// A tensor of that type and shape.
    pub fn new(dtype: DType, shape: Shape) -> TensorSpec {
        TensorSpec { dtype, shape }
    }

    /// A single value.
    pub fn scalar(dtype: DType) -> TensorSpec {
        TensorSpec { dtype, shape: Shape::scalar() }
    }

    /// Bytes of one such tensor, if its shape is fixed and it has no strings; of one that is larger than any memory the most there can be.
    pub fn byte_size(&self) -> Option<usize> {
        let (dims, width) = (self.shape.to_fixed()?, self.dtype.width()?);
        let is_empty = dims.contains(&0);
        Some(if is_empty { 0 } else { dims.iter().fold(width, |size, &dim| size.saturating_mul(dim)) })
    }
}

impl fmt::Display for TensorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

/// What is known about every element of a dataset.
pub type ElementSpec = Structure<TensorSpec>;

impl ElementSpec {
    /// What is known about `dim` such elements as one. Plain tensors have one dimension more; so do sparse and ragged ones, of
    /// which the latter get another part for it.
    #[must_use]
    pub fn batched(&self, dim: Option<usize>) -> ElementSpec {
        let more = |size: Option<usize>| size.and_then(|size| size.checked_add(1));
        let list = |size: Option<usize>| TensorSpec::new(DType::Int64, Shape::new(vec![size]));
        match self {
            Structure::Leaf(spec) => Structure::Leaf(TensorSpec::new(spec.dtype, spec.shape.with_outer(dim))),
            // Datasets are not stacked: steps that make batches refuse them.
            Structure::Dataset(..) => self.clone(),
            Structure::Tuple(parts) => Structure::Tuple(parts.iter().map(|part| part.batched(dim)).collect()),
            Structure::Dict(parts) => {
                Structure::Dict(parts.iter().map(|(key, part)| (key.clone(), part.batched(dim))).collect())
            }
            Structure::Composite(Composite::Ragged, parts) => {
                let inner = parts[0].shape.without_outer().unwrap_or(Shape::UNKNOWN);
                let values = TensorSpec::new(parts[0].dtype, inner.with_outer(None));
                let splits = std::iter::once(list(more(dim))).chain(parts[1..].iter().map(|_| list(None)));
                Structure::Composite(Composite::Ragged, std::iter::once(values).chain(splits).collect())
            }
            Structure::Composite(Composite::Sparse, parts) => {
                let rank = more(parts[2].shape.dims().and_then(|dims| dims[0]));
                let indices = TensorSpec::new(DType::Int64, Shape::new(vec![None, rank]));
                let values = TensorSpec::new(parts[1].dtype, Shape::new(vec![None]));
                Structure::Composite(Composite::Sparse, vec![indices, values, list(rank)])
            }
        }
    }

    /// What is known about the slices of such an element along its first dimension; `None` if a tensor of it has none.
    pub fn sliced(&self) -> Option<ElementSpec> {
        let list = |size: Option<usize>| TensorSpec::new(DType::Int64, Shape::new(vec![size]));
        let slice = |spec: &TensorSpec| Some(TensorSpec::new(spec.dtype, spec.shape.without_outer()?));
        Some(match self {
            Structure::Leaf(spec) => Structure::Leaf(slice(spec)?),
            // Steps that take elements apart refuse them.
            Structure::Dataset(..) => return None,
            Structure::Tuple(parts) => {
                Structure::Tuple(parts.iter().map(ElementSpec::sliced).collect::<Option<_>>()?)
            }
            Structure::Dict(parts) => {
                let parts = parts.iter().map(|(key, part)| Some((key.clone(), part.sliced()?)));
                Structure::Dict(parts.collect::<Option<_>>()?)
            }
            Structure::Composite(Composite::Ragged, parts) => match &parts[..] {
                [values] => Structure::Leaf(slice(values)?),
                [values, _, inner @ ..] => {
                    let rows = slice(values)?.shape.with_outer(None);
                    let values = TensorSpec::new(values.dtype, rows);
                    let splits = inner.iter().map(|_| list(None));
                    Structure::Composite(Composite::Ragged, std::iter::once(values).chain(splits).collect())
                }
                [] => return None,
            },
            Structure::Composite(Composite::Sparse, parts) => {
                let rank = match parts[2].shape.dims().and_then(|dims| dims[0]) {
                    Some(rank) => Some(rank.checked_sub(1)?),
                    None => None,
                };
                let indices = TensorSpec::new(DType::Int64, Shape::new(vec![None, rank]));
                let values = TensorSpec::new(parts[1].dtype, Shape::new(vec![None]));
                Structure::Composite(Composite::Sparse, vec![indices, values, list(rank)])
            }
        })
    }

    /// As functions see such an element: rows of ragged tensors that are plain tensors are those.
    #[must_use]
    pub fn in_functions(&self) -> ElementSpec {
        match self {
            Structure::Tuple(parts) => {
                Structure::Tuple(parts.iter().map(ElementSpec::in_functions).collect())
            }
            Structure::Dict(parts) => {
                Structure::Dict(parts.iter().map(|(key, part)| (key.clone(), part.in_functions())).collect())
            }
            Structure::Composite(Composite::Ragged, parts) if parts.len() == 1 => {
                Structure::Leaf(parts[0].clone())
            }
            Structure::Leaf(_) | Structure::Dataset(..) | Structure::Composite(..) => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_batches_are_what_batches_are_made_of() {
        let list = |size: Option<usize>| TensorSpec::new(DType::Int64, Shape::new(vec![size]));
        let row = Structure::Composite(Composite::Ragged, vec![list(None)]);
        let sparse = Structure::Composite(
            Composite::Sparse,
            vec![TensorSpec::new(DType::Int64, Shape::new(vec![None, Some(1)])), list(None), list(Some(1))],
        );
        let element = Structure::Tuple(vec![row, sparse, Structure::Leaf(list(Some(2)))]);
        let (once, twice) = (element.batched(Some(4)), element.batched(Some(4)).batched(None));
        assert_eq!(
            once.to_string(),
            "(ragged(int64[?], int64[5]), sparse(int64[?, 2], int64[?], int64[2]), int64[4, 2])"
        );
        assert_eq!(once.sliced().as_ref(), Some(&element));
        assert_eq!(
            twice.sliced().map(|spec| spec.to_string()),
            Some(once.to_string().replace("int64[5]", "int64[?]"))
        );
        assert_eq!(
            element.in_functions().to_string(),
            "(int64[?], sparse(int64[?, 1], int64[?], int64[1]), int64[2])"
        );
        assert_eq!(ElementSpec::Leaf(TensorSpec::scalar(DType::Int64)).sliced(), None);
    }

    #[test]
    fn shapes_admit_and_join() {
        let any_image = Shape::new(vec![None, None, Some(3)]);
        assert!(any_image.admits(&[4, 5, 3]) && !any_image.admits(&[4, 5, 1]) && !any_image.admits(&[4, 3]));
        assert_eq!(Shape::fixed(&[2, 3]).union(&Shape::fixed(&[4, 3])).to_string(), "[?, 3]");
        assert_eq!(Shape::fixed(&[2]).union(&Shape::scalar()), Shape::UNKNOWN);
        let narrowed = any_image.intersection(&Shape::new(vec![Some(4), None, None]));
        assert_eq!(narrowed.map(|shape| shape.to_string()).as_deref(), Some("[4, ?, 3]"));
        assert_eq!(Shape::fixed(&[2]).intersection(&Shape::fixed(&[3])), None);
        assert_eq!(Shape::UNKNOWN.intersection(&any_image), Some(any_image));
        assert_eq!(Shape::fixed(&[2]).with_outer(None).to_string(), "[?, 2]");
        assert_eq!(Shape::scalar().without_outer(), None);
        assert_eq!(TensorSpec::new(DType::UInt8, Shape::UNKNOWN).to_string(), "uint8[...]");
        assert_eq!(TensorSpec::new(DType::Float32, Shape::fixed(&[2, 3])).byte_size(), Some(24));
    }
}
