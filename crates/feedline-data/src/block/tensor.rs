//! One tensor.

use super::{Buffer, Column, Strings};
use crate::{DType, Native};

/// One tensor: a shape and its values in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor(Column);

impl Tensor {
    /// A tensor of numbers.
    ///
    /// # Panics
    /// If the number of values is not what `shape` says.
    pub fn from_vec<T: Native>(shape: Vec<usize>, values: Vec<T>) -> Tensor {
        Tensor(Column::from_vec(shape, 1, values))
    }

    /// A tensor of bools.
    ///
    /// # Panics
    /// If the number of values is not what `shape` says.
    pub fn from_bools(shape: Vec<usize>, values: &[bool]) -> Tensor {
        Tensor(Column::from_bools(shape, 1, values.iter().map(|&value| u8::from(value)).collect()))
    }

    /// A tensor of strings.
    ///
    /// # Panics
    /// If the number of strings is not what `shape` says.
    pub fn from_strings(shape: Vec<usize>, strings: Strings) -> Tensor {
        Tensor(Column::from_strings(shape, 1, strings))
    }

    /// A tensor over memory that exists already, in row-major order and aligned for `dtype`.
    ///
    /// # Panics
    /// If the buffer does not hold exactly the values `shape` says, or is not aligned, or `dtype` is string.
    pub fn from_buffer(dtype: DType, shape: Vec<usize>, buffer: Buffer) -> Tensor {
        Tensor(Column::from_buffer(dtype, shape, 1, buffer))
    }

    /// A single number.
    pub fn scalar<T: Native>(value: T) -> Tensor {
        Tensor::from_vec(vec![], vec![value])
    }

    /// Row `row` of a column, sharing its memory.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn of_row(column: &Column, row: usize) -> Tensor {
        Tensor(column.row(row))
    }

    /// The type of its values.
    pub fn dtype(&self) -> DType {
        self.0.dtype()
    }

    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        self.0.shape(0)
    }

    /// Number of values.
    pub fn num_values(&self) -> usize {
        self.0.num_values()
    }

    /// Its values in row-major order; bools read as `u8`.
    ///
    /// # Panics
    /// If it is of another type.
    pub fn as_slice<T: Native>(&self) -> &[T] {
        self.0.as_slice()
    }

    /// Its strings; `None` if it has numbers.
    pub fn strings(&self) -> Option<&Strings> {
        self.0.strings()
    }

    /// It as a column of one row, sharing the memory.
    pub fn as_column(&self) -> &Column {
        &self.0
    }

    /// Its slices along the first dimension as rows, sharing the memory; `None` for a scalar.
    pub fn slices(&self) -> Option<Column> {
        let (&rows, row_shape) = self.shape().split_first()?;
        Some(self.0.clone().with_rows_of(rows, row_shape.to_vec()))
    }
}
