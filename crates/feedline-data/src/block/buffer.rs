//! Memory that many columns share.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use bytes::Bytes;

/// Immutable bytes, reference-counted and sliceable, whoever owns them: a vector, a read buffer, an array of Python's.
///
/// Cloning and slicing copy nothing. The memory goes back to its owner when the last slice is dropped.
#[derive(Clone, Default)]
pub struct Buffer(Bytes);

impl Buffer {
    /// Takes the vector's memory as it is.
    pub fn from_vec<T: Pod + Send>(values: Vec<T>) -> Buffer {
        Buffer(Bytes::from_owner(Lanes(values)))
    }

    /// Shares memory that something else owns; it is told by drop when the last share is gone.
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + 'static) -> Buffer {
        Buffer(Bytes::from_owner(owner))
    }

    /// Shares memory the `bytes` crate knows already.
    pub fn from_shared(bytes: Bytes) -> Buffer {
        Buffer(bytes)
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no byte.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The values.
    ///
    /// # Panics
    /// If the memory is not aligned for `T` or its length is no multiple of `T`'s size. Columns check both where
    /// memory enters them ([`Buffer::fits`]).
    pub fn as_slice<T: Pod>(&self) -> &[T] {
        // An empty slice of Bytes may point anywhere.
        if self.0.is_empty() { &[] } else { bytemuck::cast_slice(&self.0) }
    }

    /// Whether the memory can be read as values of `width` bytes.
    pub fn fits(&self, width: usize) -> bool {
        self.0.is_empty()
            || (self.0.len().is_multiple_of(width) && self.0.as_ptr().addr().is_multiple_of(width))
    }

    /// A part of it, sharing the memory.
    ///
    /// # Panics
    /// If `range` is not within it.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Buffer {
        Buffer(self.0.slice(range))
    }

    /// The same memory, with something to be dropped when the last slice of it is: how whoever hands it out learns of that.
    #[must_use]
    pub fn keeping(self, keeper: Arc<dyn Any + Send + Sync>) -> Buffer {
        Buffer(Bytes::from_owner(Kept { bytes: self.0, _keeper: keeper }))
    }

    /// It as the `bytes` crate knows it.
    pub(super) fn into_shared(self) -> Bytes {
        self.0
    }

    /// The memory as the `bytes` crate knows it, shared.
    pub fn to_shared(&self) -> Bytes {
        self.0.clone()
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len())
    }
}

/// A vector of numbers seen as the bytes it is made of.
struct Lanes<T>(Vec<T>);

impl<T: Pod> AsRef<[u8]> for Lanes<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

/// Memory and what is dropped with it.
struct Kept {
    bytes: Bytes,
    _keeper: Arc<dyn Any + Send + Sync>,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_goes_with_the_last_slice() {
        let keeper = Arc::new(());
        let buffer = Buffer::from_vec(vec![1_i32, 2, 3]).keeping(Arc::clone(&keeper) as _);
        let tail = buffer.slice(4..12);
        drop(buffer);
        assert_eq!((tail.as_slice::<i32>(), Arc::strong_count(&keeper)), (&[2, 3][..], 2));
        drop(tail);
        assert_eq!(Arc::strong_count(&keeper), 1);
    }

    #[test]
    fn slices_share_and_stay_typed() {
        let buffer = Buffer::from_vec(vec![1_i32, 2, 3, 4]);
        let tail = buffer.slice(8..16);
        drop(buffer);
        assert_eq!(tail.as_slice::<i32>(), [3, 4]);
        assert!(tail.slice(1..5).len() == 4 && !tail.slice(1..5).fits(4));
        assert_eq!(tail.slice(3..3).as_slice::<i64>(), [0_i64; 0]);
    }
}
