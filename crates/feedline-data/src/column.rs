//! One feature of a run of rows.

use crate::{BytesValues, DType};

/// The values of a column, one behind the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// 32-bit floats.
    Float32(Vec<f32>),
    /// 64-bit integers.
    Int64(Vec<i64>),
    /// Byte strings.
    Bytes(BytesValues),
}

impl Values {
    /// No values, of type `dtype`.
    ///
    /// # Panics
    /// If no `tf.train.Example` can hold that type.
    pub fn empty(dtype: DType) -> Values {
        match dtype {
            DType::Float32 => Values::Float32(Vec::new()),
            DType::Int64 => Values::Int64(Vec::new()),
            DType::String => Values::Bytes(BytesValues::default()),
            _ => panic!("an Example holds float32, int64 and string, no {dtype}"),
        }
    }

    /// Their type.
    pub fn dtype(&self) -> DType {
        match self {
            Values::Float32(_) => DType::Float32,
            Values::Int64(_) => DType::Int64,
            Values::Bytes(_) => DType::String,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Float32(values) => values.len(),
            Values::Int64(values) => values.len(),
            Values::Bytes(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes it empty, keeping the memory.
    pub fn clear(&mut self) {
        match self {
            Values::Float32(values) => values.clear(),
            Values::Int64(values) => values.clear(),
            Values::Bytes(values) => values.clear(),
        }
    }

    /// Keeps the first `len` values.
    pub fn truncate(&mut self, len: usize) {
        match self {
            Values::Float32(values) => values.truncate(len),
            Values::Int64(values) => values.truncate(len),
            Values::Bytes(values) => values.views.truncate(len),
        }
    }
}

/// One feature of a run of rows; see the [crate documentation](crate) for how splits work.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Shape of the smallest group of values: of a row where there are no splits, else of one entry of the
    /// innermost ragged level.
    pub inner_shape: Vec<usize>,
    /// Where groups begin and end, outermost level first. A level with `n` groups has `n + 1` increasing entries,
    /// the first of them 0; entries count groups of the next level, in the last level entries of `inner_shape`.
    pub splits: Vec<Vec<u64>>,
    /// All values, in order.
    pub values: Values,
}

/// The positions of a ragged column's values, as a `tf.SparseTensor` states them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseIndices {
    /// `rank` coordinates a value, value after value.
    pub indices: Vec<i64>,
    /// The shape of the smallest dense tensor that holds all rows.
    pub dense_shape: Vec<i64>,
}

impl Column {
    /// A column without rows.
    pub fn empty(dtype: DType, inner_shape: Vec<usize>, ragged_levels: usize) -> Column {
        Column { inner_shape, splits: vec![vec![0]; ragged_levels], values: Values::empty(dtype) }
    }

    /// How many values one innermost entry has.
    pub fn stride(&self) -> usize {
        self.inner_shape.iter().product()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self.splits.first() {
            Some(level) => level.len() - 1,
            // A shape such as [0] has no values to count rows by; such a column has rows only as its neighbours do.
            None => self.values.len().checked_div(self.stride()).unwrap_or(0),
        }
    }

    /// Makes the innermost ragged level dense: every group is filled up with `padding` to the length of the longest.
    ///
    /// `padding` has one value, of the column's type. A column without splits is returned as it is. Byte values
    /// keep their views, so the result needs the same records.
    ///
    /// # Panics
    /// If `padding` is of another type or has no value.
    #[must_use]
    pub fn to_padded(&self, padding: &Values) -> Column {
        let Some((level, outer)) = self.splits.split_last() else { return self.clone() };
        let stride = self.stride();
        let longest = level.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0) as usize;
        let groups = level.windows(2).map(|pair| (pair[0] as usize * stride, pair[1] as usize * stride));
        let width = longest * stride;
        let values = match (&self.values, padding) {
            (Values::Float32(values), Values::Float32(padding)) => {
                Values::Float32(pad(values, groups, width, padding[0]))
            }
            (Values::Int64(values), Values::Int64(padding)) => {
                Values::Int64(pad(values, groups, width, padding[0]))
            }
            (Values::Bytes(values), Values::Bytes(padding)) => {
                let mut padded = BytesValues { views: Vec::new(), owned: values.owned.clone() };
                let filler = padded.own(padding.get(0, &[]));
                padded.views = pad(&values.views, groups, width, filler);
                Values::Bytes(padded)
            }
            (values, padding) => {
                panic!("padding of type {} for a column of type {}", padding.dtype(), values.dtype())
            }
        };
        let mut inner_shape = vec![longest];
        inner_shape.extend_from_slice(&self.inner_shape);
        Column { inner_shape, splits: outer.to_vec(), values }
    }

    /// The coordinates of every value in the dense tensor of which this column is the filled part.
    ///
    /// Defined for ragged columns of scalars, as TensorFlow's `VarLenFeature` makes them.
    pub fn sparse_indices(&self) -> SparseIndices {
        let rank = self.splits.len() + 1;
        let mut dense_shape = vec![0; rank];
        dense_shape[0] = self.rows() as i64;
        // Coordinates of each group of the level at hand, `depth` numbers a group.
        let mut prefixes: Vec<i64> = (0..self.rows() as i64).collect();
        for (depth, level) in (1..).zip(&self.splits) {
            let mut next = Vec::with_capacity(level.last().map_or(0, |&last| last as usize) * (depth + 1));
            for (group, pair) in level.windows(2).enumerate() {
                let prefix = &prefixes[group * depth..][..depth];
                let length = (pair[1] - pair[0]) as i64;
                dense_shape[depth] = dense_shape[depth].max(length);
                for position in 0..length {
                    next.extend_from_slice(prefix);
                    next.push(position);
                }
            }
            prefixes = next;
        }
        SparseIndices { indices: prefixes, dense_shape }
    }
}

/// Copies each `(start, end)` group of `values`, each filled up to `width` with `filler`.
fn pad<T: Copy>(
    values: &[T],
    groups: impl Iterator<Item = (usize, usize)>,
    width: usize,
    filler: T,
) -> Vec<T> {
    let mut padded = Vec::new();
    for (row, (start, end)) in groups.enumerate() {
        padded.extend_from_slice(&values[start..end]);
        padded.resize((row + 1) * width, filler);
    }
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pads_vectors_and_bytes() {
        let column = Column {
            inner_shape: vec![2],
            splits: vec![vec![0, 1, 3]],
            values: Values::Float32(vec![1., 2., 3., 4., 5., 6.]),
        };
        let padded = column.to_padded(&Values::Float32(vec![0.5]));
        assert_eq!(padded.inner_shape, [2, 2]);
        assert_eq!(padded.values, Values::Float32(vec![1., 2., 0.5, 0.5, 3., 4., 5., 6.]));
        assert_eq!(padded.rows(), 2);

        let mut bytes = BytesValues::default();
        bytes.push_owned(b"ab");
        let column =
            Column { inner_shape: vec![], splits: vec![vec![0, 0, 1]], values: Values::Bytes(bytes) };
        let mut padding = BytesValues::default();
        padding.push_owned(b"-");
        let Values::Bytes(padded) = column.to_padded(&Values::Bytes(padding)).values else {
            panic!("bytes stay bytes")
        };
        assert_eq!((padded.get(0, &[]), padded.get(1, &[])), (&b"-"[..], &b"ab"[..]));
    }

    #[test]
    fn sparse_indices_of_two_levels() {
        // Row 0: [[7], [8, 9]]; row 1: []; row 2: [[]].
        let column = Column {
            inner_shape: vec![],
            splits: vec![vec![0, 2, 2, 3], vec![0, 1, 3, 3]],
            values: Values::Int64(vec![7, 8, 9]),
        };
        let sparse = column.sparse_indices();
        assert_eq!(sparse.indices, [0, 0, 0, 0, 1, 0, 0, 1, 1]);
        assert_eq!(sparse.dense_shape, [3, 2, 2]);
    }

    #[test]
    fn empty_columns_have_no_rows() {
        assert_eq!(Column::empty(DType::Int64, vec![], 1).rows(), 0);
        assert_eq!(Column::empty(DType::String, vec![3], 0).rows(), 0);
        assert_eq!(Column::empty(DType::Float32, vec![0], 0).rows(), 0);
    }
}
