//! Read buffers that are used again.
//!
//! A fresh buffer of 256 KiB costs more than filling it: the kernel maps and clears 64 pages first.

use std::sync::{Arc, Mutex, PoisonError};

use feedline_data::block::Buffer;

/// Buffers that come back when the last row in them is dropped. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Vec<u8>>>>);

/// Buffers kept for the next reader: what a large batch of records held until it was given back.
const MAX_KEPT: usize = 64;
/// Larger ones, for single large records, go back to the system.
const MAX_KEPT_BYTES: usize = 4 << 20;

impl Buffers {
    /// A buffer with what it held when it was last used: to be written over, not cleared, which would cost as much again as
    /// reading.
    pub(crate) fn take(&self) -> Vec<u8> {
        self.lock().pop().unwrap_or_default()
    }

    /// Takes back a buffer that was not shared after all.
    pub(crate) fn put(&self, bytes: Vec<u8>) {
        let mut kept = self.lock();
        if kept.len() < MAX_KEPT && bytes.capacity() <= MAX_KEPT_BYTES {
            kept.push(bytes);
        }
    }

    /// The bytes to be shared; the buffer comes back when nobody has a share any more.
    pub(crate) fn share(&self, bytes: Vec<u8>) -> Buffer {
        Buffer::from_owner(Lent { bytes, home: self.clone() })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Lent {
    bytes: Vec<u8>,
    home: Buffers,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.home.put(std::mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_with_its_memory() {
        let buffers = Buffers::default();
        let mut bytes = buffers.take();
        bytes.resize(1000, 7);
        let place = bytes.as_ptr();
        let shared = buffers.share(bytes);
        let slice = shared.slice(10..20);
        drop(shared);
        assert_eq!(buffers.take().capacity(), 0);
        drop(slice);
        let again = buffers.take();
        assert!(again.len() == 1000 && again.as_ptr() == place);
    }
}
