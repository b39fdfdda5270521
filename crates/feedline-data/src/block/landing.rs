//! Memory for the rows of one column that several threads write, each its own part.

use bytes::BytesMut;

use super::{Buffer, Column};
use crate::DType;

/// Memory for rows of one fixed shape, one behind the other: cut into parts that are filled separately, on any thread, and
/// joined without a copy when all are full. How the results of many tasks become one batch.
#[derive(Debug)]
pub struct Landing {
    dtype: DType,
    row_shape: Vec<usize>,
    row_bytes: usize,
    /// Empty, with room for the rows.
    memory: BytesMut,
}

impl Landing {
    /// Room for `rows` rows; `None` if rows have no fixed size (strings), or none at all.
    pub fn new(dtype: DType, row_shape: Vec<usize>, rows: usize) -> Option<Landing> {
        let width = dtype.width()?;
        let row_bytes = row_shape.iter().product::<usize>().checked_mul(width).filter(|&bytes| bytes > 0)?;
        let memory = BytesMut::with_capacity(row_bytes.checked_mul(rows)?);
        // Allocators give more than is asked for here; whether they do is their business.
        let is_aligned = memory.as_ptr().addr().is_multiple_of(width);
        is_aligned.then_some(Landing { dtype, row_shape, row_bytes, memory })
    }

    /// Takes the part for the next `rows` rows off the front.
    ///
    /// # Panics
    /// If there is no room for so many.
    #[must_use]
    pub fn take(&mut self, rows: usize) -> Landing {
        let bytes = self.row_bytes * rows;
        assert!(bytes <= self.memory.capacity(), "room for {rows} more rows");
        let behind = self.memory.split_off(bytes);
        let memory = std::mem::replace(&mut self.memory, behind);
        Landing { dtype: self.dtype, row_shape: self.row_shape.clone(), row_bytes: self.row_bytes, memory }
    }

    /// Copies the rows of `column` in; whether they fit: their number, type and shape.
    pub fn fill(&mut self, column: &Column) -> bool {
        let fits = column.dtype() == self.dtype
            && column.common_shape() == Some(&self.row_shape)
            && self.memory.is_empty()
            && column.rows() * self.row_bytes == self.memory.capacity();
        if let Some(buffer) = column.buffer().filter(|_| fits) {
            self.memory.extend_from_slice(buffer.as_bytes());
            return true;
        }
        false
    }

    /// The rows of all parts, in the order they were taken; `None` if they are not parts of one memory, all full.
    pub fn join(parts: Vec<Landing>) -> Option<Column> {
        let mut parts = parts.into_iter();
        let mut whole = parts.next()?;
        for part in parts {
            // Joining what does not lie side by side would copy.
            if !std::ptr::eq(whole.memory.as_ptr_range().end, part.memory.as_ptr()) {
                return None;
            }
            whole.memory.unsplit(part.memory);
        }
        let rows = whole.memory.len() / whole.row_bytes;
        let buffer = Buffer::from_shared(whole.memory.freeze());
        Some(Column::from_buffer(whole.dtype, whole.row_shape, rows, buffer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[i32]) -> Column {
        Column::from_vec(vec![2], values.len() / 2, values.to_vec())
    }

    #[test]
    fn parts_filled_in_any_order_are_one_column() {
        let mut landing = Landing::new(DType::Int32, vec![2], 3).expect("fixed rows");
        let (mut first, mut second) = (landing.take(1), landing.take(2));
        let place = first.memory.as_ptr();
        assert!(second.fill(&column(&[3, 4, 5, 6])) && first.fill(&column(&[1, 2])));
        let whole = Landing::join(vec![first, second]).expect("both are full");
        assert_eq!((whole.as_slice::<i32>(), whole.rows()), (&[1, 2, 3, 4, 5, 6][..], 3));
        assert_eq!(whole.buffer().expect("numbers").as_bytes().as_ptr(), place);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Landing::new(DType::String, vec![], 3).is_none());
        assert!(Landing::new(DType::Int32, vec![0], 3).is_none());
        let mut landing = Landing::new(DType::Int32, vec![2], 4).expect("fixed rows");
        let mut part = landing.take(2);
        assert!(!part.fill(&column(&[1, 2])) && !part.fill(&Column::from_vec(vec![4], 1, vec![1, 2, 3, 4])));
        assert!(!part.fill(&Column::from_vec(vec![2], 2, vec![1_u32, 2, 3, 4])));
        let mut behind = landing.take(2);
        assert!(behind.fill(&column(&[1, 2, 3, 4])));
        // The first part is empty, so the second does not begin where it ends.
        assert!(Landing::join(vec![part, behind]).is_none());
    }
}
