//! Memory that many columns share.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

/// Immutable bytes, reference-counted and sliceable, whoever owns them: a vector, a read buffer, an array of Python's.
///
/// Cloning and slicing copy nothing. The memory goes back to its owner when the last slice is dropped.
#[derive(Clone, Default)]
pub struct Buffer {
    bytes: Place,
    /// `None` where there are no bytes.
    owner: Option<Arc<Owner<dyn Send>>>,
}

/// Bytes that an owner keeps where they are.
#[derive(Clone, Copy)]
struct Place {
    start: *const u8,
    len: usize,
}

impl Default for Place {
    fn default() -> Place {
        Place { start: std::ptr::dangling(), len: 0 }
    }
}

/// What keeps memory in its place.
struct Owner<T: ?Sized> {
    writing: Writing,
    /// Bytes that are there because of the shares of it; 0 where somebody else has them anyway.
    num_bytes: usize,
    /// Never looked at again: only kept, and dropped.
    memory: T,
}

/// A piece of memory that several may have shares of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryShare {
    /// Tells it from other pieces, as long as a share of it is there.
    pub place: usize,
    /// Bytes of all of it.
    pub num_bytes: usize,
}

/// Who may write to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// Nobody: it is somebody else's.
    Never,
    /// Who is given it by those who have all of it ([`Buffer::keeping`]).
    OnceGiven,
    /// Who has it: it was given to them, and nobody else had any of it.
    Given,
}

// SAFETY: the bytes are only read, and stay in their place until the last share of the owner, which may be sent to other threads, is dropped. Of
// an owner that is shared nothing but `writing` and `num_bytes`, which never change, is looked at.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Takes the vector's memory as it is.
    pub fn from_vec<T: Pod + Send>(values: Vec<T>) -> Buffer {
        let num_bytes = values.capacity() * size_of::<T>();
        Buffer::of(Lanes(values), Writing::OnceGiven, num_bytes)
    }

    /// Shares memory that something else has for reasons of its own, as an array of the user's; it is told by drop when the last
    /// share is gone. Nobody ever writes to it.
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + 'static) -> Buffer {
        Buffer::of(owner, Writing::Never, 0)
    }

    /// As [`Buffer::from_owner`], of memory that is there for the sake of what is shared of it, and used again when nobody has any: its bytes
    /// count ([`Buffer::memory`]).
    pub fn from_lender(owner: impl AsRef<[u8]> + Send + 'static) -> Buffer {
        let num_bytes = owner.as_ref().len();
        Buffer::of(owner, Writing::Never, num_bytes)
    }

    /// As [`Buffer::from_lender`], of memory that nobody looks at until it is given back: whoever gets all of it in the end may write to it.
    pub fn from_writable_lender(owner: impl AsRef<[u8]> + Send + 'static) -> Buffer {
        let num_bytes = owner.as_ref().len();
        Buffer::of(owner, Writing::OnceGiven, num_bytes)
    }

    fn of<T: AsRef<[u8]> + Send + 'static>(memory: T, writing: Writing, num_bytes: usize) -> Buffer {
        let owner = Arc::new(Owner { writing, num_bytes, memory });
        // Once it does not move any more: the bytes may be a part of it.
        let bytes = owner.memory.as_ref();
        Buffer { bytes: Place { start: bytes.as_ptr(), len: bytes.len() }, owner: Some(owner) }
    }

    /// The memory it is a share of: which, and how many bytes are there because of its shares. `None` where there are none: somebody else
    /// has it anyway.
    pub fn memory(&self) -> Option<MemoryShare> {
        let owner = self.owner.as_ref().filter(|owner| owner.num_bytes > 0)?;
        Some(MemoryShare { place: Arc::as_ptr(owner).addr(), num_bytes: owner.num_bytes })
    }

    /// The same bytes, as somebody has them who counts them already: a source, a cache.
    #[must_use]
    pub fn counted_elsewhere(self) -> Buffer {
        let bytes = self.bytes;
        Buffer { bytes, owner: Some(Arc::new(Owner { writing: Writing::Never, num_bytes: 0, memory: self })) }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len
    }

    /// Whether there is no byte.
    pub fn is_empty(&self) -> bool {
        self.bytes.len == 0
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: these are bytes that the owner had when it was put in its place, or a part of them, and the owner is kept there as
        // long as this is. An owner has the same bytes all its life: that is what `AsRef` of owners means here, as with `bytes::Bytes`.
        unsafe { std::slice::from_raw_parts(self.bytes.start, self.bytes.len) }
    }

    /// The values.
    ///
    /// # Panics
    /// If the memory is not aligned for `T` or its length is no multiple of `T`'s size. Columns check both where
    /// memory enters them ([`Buffer::fits`]).
    pub fn as_slice<T: Pod>(&self) -> &[T] {
        // No bytes may be anywhere.
        if self.is_empty() { &[] } else { bytemuck::cast_slice(self.as_bytes()) }
    }

    /// Whether the memory can be read as values of `width` bytes.
    pub fn fits(&self, width: usize) -> bool {
        self.is_empty()
            || (self.bytes.len.is_multiple_of(width) && self.bytes.start.addr().is_multiple_of(width))
    }

    /// A part of it, sharing the memory.
    ///
    /// # Panics
    /// If `range` is not within it.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Buffer {
        let part = &self.as_bytes()[range];
        let bytes = Place { start: part.as_ptr(), len: part.len() };
        Buffer { bytes, owner: self.owner.clone() }
    }

    /// The same memory, with something to be dropped when the last slice of it is: how whoever hands it out learns of that. If nobody
    /// else has any of it, who gets it may write to it ([`Buffer::may_be_written`]).
    #[must_use]
    pub fn keeping(mut self, keeper: Arc<dyn Any + Send + Sync>) -> Buffer {
        // With `get_mut` and not by the count, so that what others did with their shares has happened before.
        let is_alone =
            self.owner.as_mut().and_then(Arc::get_mut).is_some_and(|owner| owner.writing != Writing::Never);
        let writing = if is_alone { Writing::Given } else { Writing::Never };
        let bytes = self.bytes;
        Buffer {
            bytes,
            // Whoever has it from now on is told about it by the keeper.
            owner: Some(Arc::new(Owner {
                writing,
                num_bytes: 0,
                memory: Kept { _buffer: self, _keeper: keeper },
            })),
        }
    }

    /// Whether who holds it may write to it: it was handed out to them ([`Buffer::keeping`]), and nobody else (a source, a cache,
    /// another column) sees it.
    pub fn may_be_written(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.writing == Writing::Given)
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
    _buffer: Buffer,
    _keeper: Arc<dyn Any + Send + Sync>,
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
    fn only_memory_that_nobody_else_has_may_be_written() {
        let given = |buffer: Buffer| buffer.keeping(Arc::new(())).slice(0..4).may_be_written();
        let own = || Buffer::from_vec(vec![1_i32, 2, 3]);
        assert!(!own().may_be_written() && given(own()), "handed out whole");
        let shared = own();
        assert!(!given(shared.clone()) && !given(shared.slice(0..4)), "somebody has it");
        assert!(given(shared), "and not any more");
        assert!(!given(Buffer::from_owner(vec![0; 8])) && given(Buffer::from_writable_lender(vec![0; 8])));
        // What came back from whoever got it, and is a source now.
        let source = own().keeping(Arc::new(()));
        assert!(!given(source.clone()) && source.may_be_written());
    }

    #[test]
    fn a_slice_keeps_all_of_the_memory() {
        let whole = Buffer::from_vec(vec![1_i32; 100]);
        let (one, two) = (whole.slice(0..4), whole.slice(8..12));
        assert_eq!((one.memory(), one.memory().map(|memory| memory.num_bytes)), (two.memory(), Some(400)));
        assert_ne!(one.memory(), Buffer::from_vec(vec![1_i32; 100]).memory());
        assert_eq!(
            Buffer::from_lender(vec![0; 8]).slice(0..1).memory().map(|memory| memory.num_bytes),
            Some(8)
        );
        let theirs = [Buffer::default(), Buffer::from_owner(vec![0; 8]), whole.counted_elsewhere()];
        assert!(theirs.iter().all(|buffer| buffer.memory().is_none()));
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
