//! Memory that two processes see: a file without a name (memfd), mapped by both.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Mapped memory of a file that never shrinks: whoever has it may touch all of it.
pub(super) struct SharedMemory {
    file: OwnedFd,
    start: *mut u8,
    len: usize,
}

// SAFETY: a pointer to mapped memory is good on every thread; who writes when is for the owner to say.
unsafe impl Send for SharedMemory {}
// SAFETY: as above; through a shared reference it can only be read.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    /// Memory of `len` bytes at least.
    pub(super) fn create(len: usize) -> io::Result<SharedMemory> {
        let file = memfd_create(c"feedline", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        // Touching mapped memory behind the end of its file would kill the process.
        fcntl_add_seals(&file, SealFlags::SHRINK)?;
        let mut memory = SharedMemory { file, start: ptr::null_mut(), len: 0 };
        memory.grow(len)?;
        Ok(memory)
    }

    /// Makes sure of `len` bytes; what is there stays.
    pub(super) fn grow(&mut self, len: usize) -> io::Result<()> {
        if len <= self.len {
            return Ok(());
        }
        // A power of two: sizes that vary a little are no reason to map anew. Pages nobody touches take no memory.
        let len = len.next_power_of_two().max(1 << 12);
        if (fstat(&self.file)?.st_size as usize) < len {
            ftruncate(&self.file, len as u64)?;
        }
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a new mapping, where the kernel wants it, of a file that has that many bytes and cannot shrink.
        let start = unsafe { mmap(ptr::null_mut(), len, protection, flags, &self.file, 0)? };
        self.unmap();
        (self.start, self.len) = (start.cast(), len);
        Ok(())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: mapped, for as long as `self` is there. The other process writes only while it has a request that says
        // so, and none is sent while somebody here reads (`worker.rs`).
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        if self.len == 0 {
            return &mut [];
        }
        // SAFETY: as above, and nobody else here has it.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }

    fn unmap(&mut self) {
        if self.len > 0 {
            // SAFETY: what was mapped, and slices of it cannot outlive `self`, which is borrowed alone.
            let _ = unsafe { munmap(self.start.cast(), self.len) };
        }
    }
}

impl AsFd for SharedMemory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        self.unmap();
    }
}
