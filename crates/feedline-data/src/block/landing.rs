//! Memory for the rows of one column that several threads write, each its own part.

use std::fmt::Debug;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use super::{Buffer, Column};
use crate::{DType, Native};

/// Where memory for rows comes from, and where it goes back to when the last that shares it is dropped: batches are made and
/// dropped all the time, and fresh memory costs more than filling it, since the system clears it page by page first.
pub trait Memory: Debug + Send + Sync {
    /// Room for at least `num_bytes`.
    fn take(&self, num_bytes: usize) -> Room;

    /// Takes back what is not used any more.
    fn put_back(&self, room: Room);
}

/// How fresh memory is aligned: to lines of the cache, and as TensorFlow and JAX ask of arrays that they take as they are.
const ALIGNMENT: usize = 64;

/// Memory without content.
#[derive(Debug)]
pub struct Room(BytesMut);

impl Room {
    /// Fresh memory, aligned to 64 bytes.
    pub fn new(num_bytes: usize) -> Room {
        let mut memory = BytesMut::with_capacity(num_bytes + ALIGNMENT);
        let skipped = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        let mut aligned = memory.split_off(skipped);
        drop(aligned.split_off(num_bytes));
        Room(aligned)
    }

    /// How many bytes fit.
    pub fn num_bytes(&self) -> usize {
        self.0.capacity()
    }
}

/// Memory for rows of one fixed shape, one behind the other: cut into parts that are filled separately, on any thread, and
/// joined without a copy when all are full. How the results of many tasks become one batch.
#[derive(Debug)]
pub struct Landing {
    dtype: DType,
    row_shape: Arc<[usize]>,
    row_bytes: usize,
    /// The rows so far, with room for the others.
    memory: BytesMut,
    home: Arc<dyn Memory>,
}

impl Landing {
    /// Room for `rows` rows; `None` if rows have no fixed size (strings), or none at all.
    pub fn new(
        dtype: DType,
        row_shape: Arc<[usize]>,
        rows: usize,
        home: &Arc<dyn Memory>,
    ) -> Option<Landing> {
        let width = dtype.width()?;
        let row_bytes = row_shape.iter().product::<usize>().checked_mul(width).filter(|&bytes| bytes > 0)?;
        let memory = home.take(row_bytes.checked_mul(rows)?).0;
        // Allocators give more than is asked for here; whether they do is their business.
        let is_aligned = memory.as_ptr().addr().is_multiple_of(width);
        is_aligned.then_some(Landing { dtype, row_shape, row_bytes, memory, home: Arc::clone(home) })
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
        Landing { memory, row_shape: Arc::clone(&self.row_shape), home: Arc::clone(&self.home), ..*self }
    }

    /// The shape of a row.
    pub fn row_shape(&self) -> &[usize] {
        &self.row_shape
    }

    /// Bytes of the rows it has.
    pub fn byte_size(&self) -> usize {
        self.memory.len()
    }

    /// Copies the rows of `column` behind those it has; whether they fit: their number, type and shape.
    pub fn append(&mut self, column: &Column) -> bool {
        let fits = column.dtype() == self.dtype
            && column.common_shape() == Some(&*self.row_shape)
            && column.rows() * self.row_bytes <= self.memory.capacity() - self.memory.len();
        if let Some(buffer) = column.buffer().filter(|_| fits) {
            self.memory.extend_from_slice(buffer.as_bytes());
            return true;
        }
        false
    }

    /// Copies values behind those it has, of whole rows or parts of them; whether they fit.
    pub fn extend<T: Native>(&mut self, values: &[T]) -> bool {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let fits = T::DTYPE == self.dtype && bytes.len() <= self.memory.capacity() - self.memory.len();
        if fits {
            self.memory.extend_from_slice(bytes);
        }
        fits
    }

    /// Whether all its rows are there.
    pub fn is_full(&self) -> bool {
        self.memory.len() == self.memory.capacity()
    }

    /// The rows it has.
    pub fn into_column(self) -> Column {
        let rows = self.memory.len() / self.row_bytes;
        let lent = Lent { bytes: self.memory.freeze(), home: self.home };
        Column::from_buffer(self.dtype, self.row_shape.to_vec(), rows, Buffer::from_writable_lender(lent))
    }

    /// The rows of all parts, in the order they were taken; `None` if they are not parts of one memory, all full.
    pub fn join(parts: impl IntoIterator<Item = Landing>) -> Option<Column> {
        let mut parts = parts.into_iter();
        let mut whole = parts.next()?;
        for part in parts {
            // Joining what does not lie side by side would copy.
            if !std::ptr::eq(whole.memory.as_ptr_range().end, part.memory.as_ptr()) {
                return None;
            }
            whole.memory.unsplit(part.memory);
        }
        Some(whole.into_column())
    }
}

/// Rows in use: the memory goes back when they are not.
struct Lent {
    bytes: Bytes,
    home: Arc<dyn Memory>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // Parts that were not joined share their memory; the last of them has it to itself.
        if let Ok(mut memory) = std::mem::take(&mut self.bytes).try_into_mut() {
            memory.clear();
            self.home.put_back(Room(memory));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Debug, Default)]
    struct Kept(Mutex<Vec<Room>>);

    impl Memory for Kept {
        fn take(&self, num_bytes: usize) -> Room {
            let kept = self.0.lock().expect("no panic").pop();
            kept.filter(|room| room.num_bytes() >= num_bytes).unwrap_or_else(|| Room::new(num_bytes))
        }

        fn put_back(&self, room: Room) {
            self.0.lock().expect("no panic").push(room);
        }
    }

    fn kept() -> Arc<dyn Memory> {
        Arc::new(Kept::default())
    }

    fn column(values: &[i32]) -> Column {
        Column::from_vec(vec![2], values.len() / 2, values.to_vec())
    }

    #[test]
    fn parts_filled_in_any_order_are_one_column() {
        let mut landing = Landing::new(DType::Int32, [2].into(), 3, &kept()).expect("fixed rows");
        let (mut first, mut second) = (landing.take(1), landing.take(2));
        let place = first.memory.as_ptr();
        assert!(second.append(&column(&[3, 4])) && !second.is_full());
        assert!(second.append(&column(&[5, 6])) && first.append(&column(&[1, 2])));
        let whole = Landing::join([first, second]).expect("both are full");
        assert_eq!((whole.as_slice::<i32>(), whole.rows()), (&[1, 2, 3, 4, 5, 6][..], 3));
        assert_eq!(whole.buffer().expect("numbers").as_bytes().as_ptr(), place);
    }

    #[test]
    fn fresh_memory_is_aligned() {
        for num_bytes in [0, 1, 100, 4096, 1 << 20] {
            let room = Room::new(num_bytes);
            assert!(room.0.as_ptr().addr().is_multiple_of(ALIGNMENT) && room.num_bytes() == num_bytes);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Landing::new(DType::String, [].into(), 3, &kept()).is_none());
        assert!(Landing::new(DType::Int32, [0].into(), 3, &kept()).is_none());
        let mut landing = Landing::new(DType::Int32, [2].into(), 4, &kept()).expect("fixed rows");
        let mut part = landing.take(2);
        assert!(
            !part.append(&column(&[0; 6])) && !part.append(&Column::from_vec(vec![4], 1, vec![1, 2, 3, 4]))
        );
        assert!(!part.append(&Column::from_vec(vec![2], 2, vec![1_u32, 2, 3, 4])));
        let mut behind = landing.take(2);
        assert!(behind.append(&column(&[1, 2, 3, 4])));
        // The first part is empty, so the second does not begin where it ends.
        assert!(Landing::join([part, behind]).is_none());
    }

    #[test]
    fn memory_comes_back_when_the_last_share_of_it_goes() {
        let home = kept();
        let mut landing = Landing::new(DType::Int32, [2].into(), 2, &home).expect("fixed rows");
        let place = landing.memory.as_ptr();
        let (mut first, mut second) = (landing.take(1), landing.take(1));
        drop(landing);
        assert!(first.append(&column(&[1, 2])) && second.append(&column(&[3, 4])));
        let whole = Landing::join([first, second]).expect("both are full");
        let tail = whole.slice(1..2);
        drop(whole);
        assert_ne!(home.take(16).0.as_ptr(), place);
        drop(tail);
        let again = home.take(16);
        assert!(again.0.as_ptr() == place && again.num_bytes() >= 16);
    }
}
