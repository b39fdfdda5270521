//! One leaf of a run of elements: the same tensor of each, side by side.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::{Buffer, Strings};
use crate::{DType, Native};

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

    /// A run of rows, sharing the memory.
    ///
    /// # Panics
    /// If `rows` are not within the column.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Column {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows {rows:?} of {}", self.rows);
        if rows == (0..self.rows) {
            return self.clone();
        }
        let values = self.value_range(rows.clone());
        let values = match &self.values {
            ColumnValues::Fixed(buffer) => {
                let width = self.dtype.width().expect("fixed values have a width");
                ColumnValues::Fixed(buffer.slice(values.start * width..values.end * width))
            }
            ColumnValues::Strings(strings) => ColumnValues::Strings(strings.slice(values)),
        };
        let shapes = match &self.shapes {
            RowShapes::Same(shape) => RowShapes::Same(shape.clone()),
            RowShapes::Each(each) => {
                let range = each.range.start + rows.start..each.range.start + rows.end;
                match each.shapes[range.clone()].split_first() {
                    // Rows that turn out to have one shape have a common one again.
                    Some((first, others)) if others.iter().all(|shape| shape == first) => {
                        RowShapes::Same(first.clone())
                    }
                    _ => RowShapes::Each(EachShape { range, ..each.clone() }),
                }
            }
        };
        Column { dtype: self.dtype, rows: rows.len(), shapes, values }
    }

    /// The rows at `rows`, copied (strings: as views) in that order.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn gather(&self, rows: &[usize]) -> Column {
        match (&self.shapes, &self.values) {
            (RowShapes::Same(shape), ColumnValues::Fixed(buffer)) => {
                let stride: usize = shape.iter().product();
                let buffer = gather_fixed(buffer, self.dtype, stride, rows);
                Column {
                    dtype: self.dtype,
                    rows: rows.len(),
                    shapes: self.shapes.clone(),
                    values: ColumnValues::Fixed(buffer),
                }
            }
            (RowShapes::Same(shape), ColumnValues::Strings(strings)) => {
                let stride: usize = shape.iter().product();
                let picked = strings.gather(rows.iter().flat_map(|&row| row * stride..(row + 1) * stride));
                Column::from_strings(shape.clone(), rows.len(), picked)
            }
            (RowShapes::Each(_), _) => {
                let pieces: Vec<Column> = rows.iter().map(|&row| self.slice(row..row + 1)).collect();
                if pieces.is_empty() { self.slice(0..0) } else { Column::concat(&pieces) }
            }
        }
    }

    /// The rows of all `columns`, one column behind the other. One column is returned as it is; several are copied
    /// (strings: as views).
    ///
    /// # Panics
    /// If there is no column or they differ in type.
    pub fn concat(columns: &[Column]) -> Column {
        let [first, others @ ..] = columns else { panic!("at least one column") };
        if others.is_empty() {
            return first.clone();
        }
        let dtype = first.dtype;
        assert!(others.iter().all(|column| column.dtype == dtype), "columns of one type");
        let rows = columns.iter().map(Column::rows).sum();
        let values = if dtype == DType::String {
            let mut all = super::StringsBuilder::default();
            columns.iter().filter_map(Column::strings).for_each(|strings| all.extend_shared(strings));
            ColumnValues::Strings(all.finish())
        } else {
            ColumnValues::Fixed(concat_fixed(dtype, columns))
        };
        let common =
            first.common_shape().filter(|&shape| others.iter().all(|c| c.common_shape() == Some(shape)));
        if let Some(shape) = common {
            return Column { dtype, rows, shapes: RowShapes::Same(shape.to_vec()), values };
        }
        let shapes: Vec<Vec<usize>> = columns
            .iter()
            .flat_map(|column| (0..column.rows).map(|row| column.shape(row).to_vec()))
            .collect();
        let flat = match &values {
            ColumnValues::Fixed(buffer) => buffer.len() / dtype.width().expect("fixed values have a width"),
            ColumnValues::Strings(strings) => strings.len(),
        };
        Column { dtype, rows: flat, shapes: RowShapes::Same(vec![]), values }.with_shapes(shapes)
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

    /// Bytes its own rows take: what a copy of them would need.
    pub fn byte_size(&self) -> usize {
        match &self.values {
            ColumnValues::Fixed(buffer) => buffer.len(),
            ColumnValues::Strings(strings) => strings.num_bytes() + 12 * strings.len(),
        }
    }

    /// The same rows in memory of their own: nothing else stays alive because of them.
    #[must_use]
    pub fn to_owned_rows(&self) -> Column {
        let values = match &self.values {
            ColumnValues::Fixed(_) => {
                ColumnValues::Fixed(concat_fixed(self.dtype, std::slice::from_ref(self)))
            }
            ColumnValues::Strings(strings) => ColumnValues::Strings(strings.iter().collect()),
        };
        Column { values, ..self.clone() }
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

/// Moving values needs their width alone, so code that moves is written for four unsigned types, not for thirteen.
macro_rules! by_width {
    ($dtype:expr, $word:ident => $body:expr) => {
        match $dtype.width() {
            Some(1) => {
                type $word = u8;
                $body
            }
            Some(2) => {
                type $word = u16;
                $body
            }
            Some(4) => {
                type $word = u32;
                $body
            }
            Some(8) => {
                type $word = u64;
                $body
            }
            _ => unreachable!("fixed values have a width of 1, 2, 4 or 8"),
        }
    };
}

fn gather_fixed(buffer: &Buffer, dtype: DType, stride: usize, rows: &[usize]) -> Buffer {
    by_width!(dtype, Word => {
        let values = buffer.as_slice::<Word>();
        if stride == 1 {
            return Buffer::from_vec(rows.iter().map(|&row| values[row]).collect::<Vec<Word>>());
        }
        let mut picked = Vec::with_capacity(rows.len() * stride);
        for &row in rows {
            picked.extend_from_slice(&values[row * stride..(row + 1) * stride]);
        }
        Buffer::from_vec(picked)
    })
}

fn concat_fixed(dtype: DType, columns: &[Column]) -> Buffer {
    by_width!(dtype, Word => {
        let slices = columns.iter().map(|column| column.buffer().expect("fixed values").as_slice::<Word>());
        let mut all = Vec::with_capacity(slices.clone().map(<[Word]>::len).sum());
        slices.for_each(|values| all.extend_from_slice(values));
        Buffer::from_vec(all)
    })
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
