//! One leaf of a run of elements: the same tensor of each, side by side.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::{Buffer, MemoryShare, Strings};
use crate::{DType, Native};

mod rows;

/// One leaf of a run of elements ("rows"): dtype, shape of a row, and all values in one piece of memory.
///
/// Cloning and slicing share the memory. Rows usually have one shape ([`RowShapes::Same`]); where they do not
/// (images before a resize, token lists), each row says its own.
#[derive(Clone, Debug)]
pub struct Column {
    dtype: DType,
    rows: usize,
    shapes: RowShapes,
    values: ColumnValues,
}

/// The shapes of a column's rows.
#[derive(Clone, Debug)]
pub enum RowShapes {
    /// All rows have this shape.
    Same(Vec<usize>),
    /// Each row has its own shape.
    Each(EachShape),
}

/// A shape for each row, and where its values begin.
#[derive(Clone, Debug)]
pub struct EachShape {
    shapes: Arc<Vec<Vec<usize>>>,
    /// Row `i` has the values `starts[i]..starts[i + 1]`, counted from the first row of `shapes`.
    starts: Arc<Vec<usize>>,
    /// The rows that are meant.
    range: Range<usize>,
}

/// The values of a column, one behind the other.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    /// Numbers and bools.
    Fixed(Buffer),
    /// Byte strings.
    Strings(Strings),
}

impl Column {
    /// A column of `rows` rows of one shape.
    ///
    /// # Panics
    /// If the number of values is not `rows` times what `row_shape` says.
    pub fn from_vec<T: Native>(row_shape: Vec<usize>, rows: usize, values: Vec<T>) -> Column {
        assert_eq!(
            values.len(),
            rows * row_shape.iter().product::<usize>(),
            "values for {rows} rows of {row_shape:?}"
        );
        Column {
            dtype: T::DTYPE,
            rows,
            shapes: RowShapes::Same(row_shape),
            values: ColumnValues::Fixed(Buffer::from_vec(values)),
        }
    }

    /// A column of bools, each byte 0 or 1.
    ///
    /// # Panics
    /// As [`Column::from_vec`], and if a byte is neither.
    pub fn from_bools(row_shape: Vec<usize>, rows: usize, values: Vec<u8>) -> Column {
        assert!(values.iter().all(|&byte| byte <= 1), "a bool is 0 or 1");
        Column { dtype: DType::Bool, ..Column::from_vec(row_shape, rows, values) }
    }

    /// A column over memory that exists already. The buffer must be aligned for `dtype`.
    ///
    /// # Panics
    /// If the buffer does not hold exactly that many values of `dtype`, or is not aligned, or `dtype` is string.
    pub fn from_buffer(dtype: DType, row_shape: Vec<usize>, rows: usize, buffer: Buffer) -> Column {
        let width = dtype.width().expect("strings have Column::from_strings");
        let num_values = rows * row_shape.iter().product::<usize>();
        assert_eq!(buffer.len(), num_values * width, "bytes for {rows} rows of {dtype} {row_shape:?}");
        assert!(buffer.fits(width), "memory of {dtype} values is aligned");
        Column { dtype, rows, shapes: RowShapes::Same(row_shape), values: ColumnValues::Fixed(buffer) }
    }

    /// A column of strings.
    ///
    /// # Panics
    /// If the number of strings is not `rows` times what `row_shape` says.
    pub fn from_strings(row_shape: Vec<usize>, rows: usize, strings: Strings) -> Column {
        assert_eq!(
            strings.len(),
            rows * row_shape.iter().product::<usize>(),
            "strings for {rows} rows of {row_shape:?}"
        );
        Column {
            dtype: DType::String,
            rows,
            shapes: RowShapes::Same(row_shape),
            values: ColumnValues::Strings(strings),
        }
    }

    /// Gives the values of a column without differing shapes new row shapes, one a row.
    ///
    /// # Panics
    /// If the shapes together do not have as many values as the column.
    #[must_use]
    pub fn with_shapes(self, shapes: Vec<Vec<usize>>) -> Column {
        if let Some(first) = shapes.first()
            && shapes.iter().all(|shape| shape == first)
        {
            return self.with_rows_of(shapes.len(), first.clone());
        }
        let mut starts = Vec::with_capacity(shapes.len() + 1);
        starts.push(0);
        let mut end = 0;
        for shape in &shapes {
            end += shape.iter().product::<usize>();
            starts.push(end);
        }
        assert_eq!(end, self.num_values(), "shapes cover the values");
        assert!(matches!(self.shapes, RowShapes::Same(_)), "the shapes given are the only ones");
        let rows = shapes.len();
        let each = EachShape { shapes: Arc::new(shapes), starts: Arc::new(starts), range: 0..rows };
        Column { rows, shapes: RowShapes::Each(each), ..self }
    }

    /// The same values in the same order as `rows` rows of shape `row_shape`; copies nothing.
    ///
    /// This is how neighbouring rows become a batch (`[6] rows of [2]` → `[3] rows of [2, 2]`) and a batch rows.
    ///
    /// # Panics
    /// If the number of values differs, or the rows differ in shape.
    #[must_use]
    pub fn with_rows_of(self, rows: usize, row_shape: Vec<usize>) -> Column {
        assert!(matches!(self.shapes, RowShapes::Same(_)), "rows of different shapes have no common one");
        assert_eq!(
            self.num_values(),
            rows * row_shape.iter().product::<usize>(),
            "{rows} rows of {row_shape:?}"
        );
        Column { rows, shapes: RowShapes::Same(row_shape), ..self }
    }

    /// Every value as a row of its own; copies nothing.
    #[must_use]
    pub fn flat(self) -> Column {
        let rows = self.num_values();
        Column { rows, shapes: RowShapes::Same(Vec::new()), ..self }
    }

    /// The same bytes as values of another type of the same width, e.g. 0 and 1 as bools.
    ///
    /// # Panics
    /// If the widths differ or either is string.
    #[must_use]
    pub fn with_dtype(self, dtype: DType) -> Column {
        assert!(
            self.dtype.width().is_some() && self.dtype.width() == dtype.width(),
            "{} as {dtype}",
            self.dtype
        );
        Column { dtype, ..self }
    }

    /// The type of its values.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The shape all rows have, if they have one.
    pub fn common_shape(&self) -> Option<&[usize]> {
        match &self.shapes {
            RowShapes::Same(shape) => Some(shape),
            RowShapes::Each(_) => None,
        }
    }

    /// The shape of row `row`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn shape(&self, row: usize) -> &[usize] {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        match &self.shapes {
            RowShapes::Same(shape) => shape,
            RowShapes::Each(each) => &each.shapes[each.range.start + row],
        }
    }

    /// Which of the column's values belong to `rows`.
    #[inline]
    pub fn value_range(&self, rows: Range<usize>) -> Range<usize> {
        match &self.shapes {
            RowShapes::Same(shape) => {
                let stride: usize = shape.iter().product();
                rows.start * stride..rows.end * stride
            }
            RowShapes::Each(each) => {
                let first = each.starts[each.range.start];
                let at = |row: usize| each.starts[each.range.start + row] - first;
                at(rows.start)..at(rows.end)
            }
        }
    }

    /// Number of values of all rows together.
    pub fn num_values(&self) -> usize {
        match &self.values {
            ColumnValues::Fixed(buffer) => {
                buffer.len() / self.dtype.width().expect("fixed values have a width")
            }
            ColumnValues::Strings(strings) => strings.len(),
        }
    }

    /// The values, one behind the other.
    pub fn values(&self) -> &ColumnValues {
        &self.values
    }

    /// The memory of numbers and bools; `None` for strings.
    pub fn buffer(&self) -> Option<&Buffer> {
        match &self.values {
            ColumnValues::Fixed(buffer) => Some(buffer),
            ColumnValues::Strings(_) => None,
        }
    }

    /// The strings; `None` for numbers and bools.
    pub fn strings(&self) -> Option<&Strings> {
        match &self.values {
            ColumnValues::Fixed(_) => None,
            ColumnValues::Strings(strings) => Some(strings),
        }
    }

    /// All values as numbers of type `T`; bools read as `u8`.
    ///
    /// # Panics
    /// If the column is of another type.
    pub fn as_slice<T: Native>(&self) -> &[T] {
        let is_bool_as_byte = self.dtype == DType::Bool && T::DTYPE == DType::UInt8;
        assert!(self.dtype == T::DTYPE || is_bool_as_byte, "a column of {} read as {}", self.dtype, T::DTYPE);
        self.buffer().expect("numbers lie in a buffer").as_slice()
    }

    /// The same rows, with something to be dropped when they and all slices of them are ([`Buffer::keeping`],
    /// [`Strings::keeping`]).
    #[must_use]
    pub fn keeping(self, keeper: Arc<dyn Any + Send + Sync>) -> Column {
        let values = match self.values {
            ColumnValues::Fixed(buffer) => ColumnValues::Fixed(buffer.keeping(keeper)),
            ColumnValues::Strings(strings) => ColumnValues::Strings(strings.keeping(keeper)),
        };
        Column { values, ..self }
    }

    /// Visits the memory its rows lie in, some of it perhaps more than once.
    pub fn visit_memory(&self, visit: &mut impl FnMut(MemoryShare)) {
        match &self.values {
            ColumnValues::Fixed(buffer) => buffer.memory().into_iter().for_each(visit),
            ColumnValues::Strings(strings) => strings.visit_memory(visit),
        }
    }

    /// The same rows, as somebody has them who counts their memory already.
    #[must_use]
    pub fn counted_elsewhere(self) -> Column {
        let values = match self.values {
            ColumnValues::Fixed(buffer) => ColumnValues::Fixed(buffer.counted_elsewhere()),
            ColumnValues::Strings(strings) => ColumnValues::Strings(strings.counted_elsewhere()),
        };
        Column { values, ..self }
    }

    /// Bytes its own rows take: what a copy of them would need.
    pub fn byte_size(&self) -> usize {
        match &self.values {
            ColumnValues::Fixed(buffer) => buffer.len(),
            ColumnValues::Strings(strings) => strings.num_bytes() + 12 * strings.len(),
        }
    }
}

impl PartialEq for Column {
    /// Same type, shapes and bytes; floats compare by their bits, as determinism means them.
    fn eq(&self, other: &Column) -> bool {
        let same_shapes = match (self.common_shape(), other.common_shape()) {
            (Some(own), Some(their)) => own == their || self.rows == 0,
            _ => (0..self.rows.min(other.rows)).all(|row| self.shape(row) == other.shape(row)),
        };
        self.dtype == other.dtype
            && self.rows == other.rows
            && same_shapes
            && match (&self.values, &other.values) {
                (ColumnValues::Fixed(own), ColumnValues::Fixed(their)) => own.as_bytes() == their.as_bytes(),
                (ColumnValues::Strings(own), ColumnValues::Strings(their)) => own == their,
                _ => false,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images() -> Column {
        Column::from_vec(vec![], 8, vec![1_u8, 2, 3, 4, 5, 6, 7, 8]).with_shapes(vec![
            vec![1, 2],
            vec![2, 2],
            vec![0, 3],
            vec![1, 2],
        ])
    }

    #[test]
    fn slices_and_gathers_keep_rows() {
        let column = Column::from_vec(vec![2], 3, vec![1_i64, 2, 3, 4, 5, 6]);
        assert_eq!(column.slice(1..3).as_slice::<i64>(), [3, 4, 5, 6]);
        assert_eq!(column.slice(1..3).gather(&[1, 0, 1]).as_slice::<i64>(), [5, 6, 3, 4, 5, 6]);
        let strings = Column::from_strings(vec![], 3, ["a", "bc", ""].iter().collect());
        assert_eq!(strings.gather(&[2, 1]), Column::from_strings(vec![], 2, ["", "bc"].iter().collect()));
    }

    #[test]
    fn rows_of_different_shapes_slice_gather_and_join() {
        let images = images();
        let middle = images.slice(1..3);
        assert_eq!((middle.shape(0), middle.shape(1)), (&[2, 2][..], &[0, 3][..]));
        assert_eq!(middle.as_slice::<u8>(), [3, 4, 5, 6]);
        let picked = images.gather(&[3, 2, 1]);
        assert_eq!(picked.as_slice::<u8>(), [7, 8, 3, 4, 5, 6]);
        assert_eq!(picked.shape(2), [2, 2]);
        assert_eq!(images.slice(1..4).flat(), Column::from_vec(vec![], 6, vec![3_u8, 4, 5, 6, 7, 8]));
        // Rows that turn out to have one shape have a common one again.
        assert_eq!(images.gather(&[3, 0]).common_shape(), Some(&[1, 2][..]));
        assert_eq!(Column::concat(&[images.slice(0..2), images.slice(2..4)]), images);
    }

    #[test]
    fn a_batch_is_the_same_memory() {
        let rows = Column::from_vec(vec![2], 4, (0..8).collect::<Vec<i32>>());
        let batches = rows.clone().with_rows_of(2, vec![2, 2]);
        assert_eq!(batches.slice(1..2).as_slice::<i32>(), [4, 5, 6, 7]);
        assert_eq!(
            batches.buffer().map(|b| b.as_bytes().as_ptr()),
            rows.buffer().map(|b| b.as_bytes().as_ptr())
        );
    }

    #[test]
    fn owned_rows_are_equal_and_smaller() {
        let column = images().slice(1..2);
        assert_eq!(column.to_owned_rows(), column);
        assert_eq!(column.to_owned_rows().buffer().map(Buffer::len), Some(4));
    }
}
