//! [`Blob`]: one file, opened for reading by position.

use crate::error::{Error, ErrorKind, Result};
use std::path::Path;
use std::sync::Arc;

/// How a blob likes to be read. Advice: any size and any number of concurrent reads is correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Bytes per request that read at full speed.
    pub chunk_bytes: usize,
    /// Requests to keep in flight. `1` means: read on your own thread, a hand-over costs more than it gives.
    pub in_flight: usize,
}

impl Access {
    /// Files of this machine: 256 KiB, one at a time.
    ///
    /// A `pread` of a cached file is a memory copy, so a hand-over to another thread costs more than the read.
    /// 256 KiB stays in the core's cache between the copy and the parser: two cores read 11.7 to 14.6 GB/s at that
    /// size, and 9.5 to 12 GB/s with a checksum over every byte ("ceiling" in `bench/runs/2026-11-15-xeon-2cores/`).
    pub const LOCAL: Self = Self { chunk_bytes: 256 << 10, in_flight: 1 };

    /// Object stores: 8 MiB, 32 at a time.
    ///
    /// The first byte of a request takes tens of milliseconds and the rest arrives at some tens of MB/s; at
    /// 8 MiB the waiting is the smaller part, and 32 of them fill a 10 Gbit/s card. A starting point, to be
    /// measured with the first store.
    pub const REMOTE: Self = Self { chunk_bytes: 8 << 20, in_flight: 32 };
}

/// Bytes that can be read by position, from many threads at once.
///
/// A blob has no cursor: every read says where. So it is shared as `Arc<dyn Blob>`, without locks.
pub trait Blob: Send + Sync {
    /// Its path or address, as given when it was opened; every error carries it.
    fn location(&self) -> &Path;

    /// Its size in bytes when it was opened.
    fn size(&self) -> u64;

    /// Fills `buffer` from `offset` on and returns how many bytes it wrote: fewer than asked for only where
    /// the blob ends, `0` at the end and beyond. An interrupted system call is no error: it is repeated.
    ///
    /// On an error the contents of `buffer` are unspecified.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize>;

    /// As [`read_at`](Blob::read_at), if that needs no waiting: for threads that must not wait. `None` where that is not
    /// known or not so, or the read fails; then the contents of `buffer` are unspecified, and `read_at` tells more.
    fn read_at_once(&self, buffer: &mut [u8], offset: u64) -> Option<usize> {
        let _ = (buffer, offset);
        None
    }

    /// How this blob likes to be read.
    fn access(&self) -> Access;

    /// Fills all of `buffer` from `offset` on; a blob that ends before is an [`ErrorKind::UnexpectedEnd`] with
    /// the numbers of bytes expected and found.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let num_read = self.read_at(buffer, offset)?;
        if num_read == buffer.len() { Ok(()) } else { Err(ended_early(self, buffer.len(), offset, num_read)) }
    }
}

/// "read 262144 bytes at byte 1048576", for error messages.
pub(crate) fn read_operation(len: usize, offset: u64) -> String {
    format!("read {len} bytes at byte {offset}")
}

#[cold]
fn ended_early<B: Blob + ?Sized>(blob: &B, len: usize, offset: u64, num_read: usize) -> Error {
    let (size, end) = (blob.size(), offset.saturating_add(len as u64));
    let found = format!("expected {len} bytes, found {num_read}");
    let error =
        |found| Error::new(ErrorKind::UnexpectedEnd, blob.location(), read_operation(len, offset), found);
    if end <= size {
        let ends = offset.saturating_add(num_read as u64);
        error(format!("{found}: the file had {size} bytes when it was opened and ends at byte {ends} now"))
            .with_hint("the file was cut or rewritten while it was read; keep writers away from files in use")
    } else {
        error(format!("{found}: the file has {size} bytes")).with_hint("ask for bytes within the file")
    }
}

impl<B: Blob + ?Sized> Blob for Arc<B> {
    fn location(&self) -> &Path {
        (**self).location()
    }

    fn size(&self) -> u64 {
        (**self).size()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn read_at_once(&self, buffer: &mut [u8], offset: u64) -> Option<usize> {
        (**self).read_at_once(buffer, offset)
    }

    fn access(&self) -> Access {
        (**self).access()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A blob that says it has `claimed` bytes and has `bytes`.
    struct Claims {
        claimed: u64,
        bytes: &'static [u8],
    }

    impl Blob for Claims {
        fn location(&self) -> &Path {
            Path::new("memory/claims")
        }

        fn size(&self) -> u64 {
            self.claimed
        }

        fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
            let rest = self.bytes.get(offset as usize..).unwrap_or_default();
            let len = rest.len().min(buffer.len());
            buffer[..len].copy_from_slice(&rest[..len]);
            Ok(len)
        }

        fn access(&self) -> Access {
            Access::LOCAL
        }
    }

    #[test]
    fn exact_reads_fill_the_buffer() {
        let blob: Arc<dyn Blob> = Arc::new(Claims { claimed: 5, bytes: b"hello" });
        let mut buffer = [0; 3];
        blob.read_exact_at(&mut buffer, 2).unwrap();
        assert_eq!(&buffer, b"llo");
        blob.read_exact_at(&mut [], 5).unwrap();
    }

    #[test]
    fn a_shrunken_file_is_told_from_a_read_beyond_the_end() {
        let mut buffer = [0; 4];
        let shrunk = Claims { claimed: 10, bytes: b"hello" }.read_exact_at(&mut buffer, 3).unwrap_err();
        assert_eq!(shrunk.kind(), ErrorKind::UnexpectedEnd);
        assert_eq!(
            shrunk.to_string(),
            "memory/claims: could not read 4 bytes at byte 3: expected 4 bytes, found 2: the file had 10 bytes \
             when it was opened and ends at byte 5 now\n\
             hint: the file was cut or rewritten while it was read; keep writers away from files in use"
        );
        let beyond = Claims { claimed: 5, bytes: b"hello" }.read_exact_at(&mut buffer, u64::MAX).unwrap_err();
        assert!(beyond.to_string().contains("expected 4 bytes, found 0: the file has 5 bytes"), "{beyond}");
        assert!(beyond.hint().contains("ask for bytes within the file"), "{beyond}");
    }
}
