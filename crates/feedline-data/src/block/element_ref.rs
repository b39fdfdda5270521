//! Elements looked at where they lie.

use super::{Column, Tensor};
use crate::{DType, ElementSpec, Native, Structure};

/// An element where it lies, among others of its block: looking at it makes nothing and copies nothing.
#[derive(Clone, Copy, Debug)]
pub struct ElementRef<'a> {
    spec: &'a ElementSpec,
    columns: &'a [Column],
    row: usize,
}

impl<'a> ElementRef<'a> {
    /// Row `row` of `columns`, which are the leaves of `spec`.
    ///
    /// # Panics
    /// If there is not a column for each leaf; looking at a leaf does if there is no such row.
    #[inline]
    pub fn new(spec: &'a ElementSpec, columns: &'a [Column], row: usize) -> ElementRef<'a> {
        // What is one tensor, as records are, is known to be at a glance.
        let is_one = matches!((spec, columns), (Structure::Leaf(_), [_]));
        assert!(is_one || spec.num_leaves() == columns.len(), "a column for each leaf");
        ElementRef { spec, columns, row }
    }

    /// What is known about it, and how its leaves hang together.
    pub fn spec(self) -> &'a ElementSpec {
        self.spec
    }

    /// Number of leaves.
    pub fn num_leaves(self) -> usize {
        self.columns.len()
    }

    /// Leaf number `leaf`, in the order of [`Structure::leaves`].
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn leaf(self, leaf: usize) -> TensorRef<'a> {
        TensorRef { column: &self.columns[leaf], row: self.row }
    }

    /// It as an element that may be kept, sharing the memory.
    pub fn to_element(self) -> Structure<Tensor> {
        self.spec.with_leaves(self.columns.iter().map(|column| Tensor::of_row(column, self.row)))
    }
}

/// A tensor where it lies, as [`Tensor`] is one by itself.
#[derive(Clone, Copy, Debug)]
pub struct TensorRef<'a> {
    column: &'a Column,
    row: usize,
}

impl<'a> TensorRef<'a> {
    /// The type of its values.
    pub fn dtype(self) -> DType {
        self.column.dtype()
    }

    /// Its shape.
    pub fn shape(self) -> &'a [usize] {
        self.column.shape(self.row)
    }

    /// Its values in row-major order; bools read as `u8`.
    ///
    /// # Panics
    /// If it is of another type.
    #[inline]
    pub fn as_slice<T: Native>(self) -> &'a [T] {
        &self.column.as_slice::<T>()[self.column.value_range(self.row..self.row + 1)]
    }

    /// The bytes of a single string, as a record is.
    ///
    /// # Panics
    /// If it is not one string: numbers, or strings of a shape other than `[]`.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        match (self.column.common_shape(), self.column.strings()) {
            (Some([]), Some(strings)) => strings.get(self.row),
            _ => self.bytes_of_one(),
        }
    }

    /// [`bytes`](Self::bytes) of rows that differ in shape, or what is said of those that are no string.
    #[cold]
    fn bytes_of_one(self) -> &'a [u8] {
        match (self.shape(), self.column.strings()) {
            ([], Some(strings)) => strings.get(self.column.value_range(self.row..self.row + 1).start),
            (shape, _) => panic!("{} {shape:?} read as one string", self.dtype()),
        }
    }

    /// Its strings in row-major order; `None` if it has numbers.
    pub fn strings(self) -> Option<impl ExactSizeIterator<Item = &'a [u8]>> {
        let values = self.column.value_range(self.row..self.row + 1);
        Some(self.column.strings()?.iter().take(values.end).skip(values.start))
    }

    /// It as a tensor that may be kept, sharing the memory.
    pub fn to_tensor(self) -> Tensor {
        Tensor::of_row(self.column, self.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, TensorSpec};

    fn words() -> Column {
        Column::from_strings(vec![2], 2, ["a", "bc", "", "def"].iter().collect())
    }

    #[test]
    fn a_row_is_seen_where_it_lies() {
        let numbers = Column::from_vec(vec![2], 3, vec![1_i64, 2, 3, 4, 5, 6]);
        let spec = Structure::Tuple(vec![
            Structure::Leaf(TensorSpec::new(DType::Int64, Shape::fixed(&[2]))),
            Structure::Leaf(TensorSpec::new(DType::String, Shape::fixed(&[2]))),
        ]);
        let columns = [numbers.slice(1..3), words()];
        let element = ElementRef::new(&spec, &columns, 1);
        assert_eq!((element.leaf(0).dtype(), element.leaf(0).shape()), (DType::Int64, &[2][..]));
        assert_eq!(element.leaf(0).as_slice::<i64>(), [5, 6]);
        let strings: Vec<&[u8]> = element.leaf(1).strings().expect("strings").collect();
        assert_eq!(strings, [&b""[..], b"def"]);
        assert!(element.leaf(0).strings().is_none());
        let kept = element.to_element();
        assert_eq!(*kept.leaves()[0], Tensor::from_vec(vec![2], vec![5_i64, 6]));
        assert_eq!(*kept.leaves()[1], element.leaf(1).to_tensor());
    }

    #[test]
    fn one_string_has_bytes() {
        let leaf = |column: Column| {
            let spec = Structure::Leaf(TensorSpec::scalar(column.dtype()));
            ElementRef::new(&spec, &[column], 1).leaf(0).bytes().to_vec()
        };
        assert_eq!(leaf(Column::from_strings(vec![], 3, ["a", "bc", ""].iter().collect())), b"bc");
        // Rows of several shapes, of which this is of none.
        let mixed = Column::from_strings(vec![], 3, ["a", "b", "cd"].iter().collect());
        assert_eq!(leaf(mixed.with_shapes(vec![vec![2], vec![]])), b"cd");
    }

    #[test]
    #[should_panic(expected = "string [2] read as one string")]
    fn several_strings_are_not_one() {
        let spec = Structure::Leaf(TensorSpec::scalar(DType::String));
        ElementRef::new(&spec, &[words()], 0).leaf(0).bytes();
    }
}
