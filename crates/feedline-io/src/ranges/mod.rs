//! [`read_ranges`]: many ranges of one blob, with neighbours joined and requests overlapped.
//!
//! README.md beside this file has the protocol between the threads and why it cannot hang.

mod fetch;
mod plan;
mod threads;
#[cfg(test)]
mod threads_tests;

pub use threads::IoThreads;

use crate::blob::Blob;
use crate::error::Result;
use plan::Plan;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A stretch of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByteRange {
    /// Where it begins.
    pub offset: u64,
    /// How many bytes it has.
    pub len: usize,
}

/// The bytes of one range: a view into the buffer of the request it was read with.
///
/// Cloning shares the buffer. Views of neighbouring ranges keep the same buffer alive; [`Self::backing_bytes`]
/// is what memory accounting must count.
#[derive(Clone)]
pub struct ByteView {
    /// `None` for an empty range: nothing was read for it.
    buffer: Option<Arc<Vec<u8>>>,
    start: usize,
    len: usize,
}

impl ByteView {
    /// Size of the buffer this view keeps alive, shared with the views of the same request.
    pub fn backing_bytes(&self) -> usize {
        self.buffer.as_ref().map_or(0, |buffer| buffer.len())
    }
}

impl Deref for ByteView {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let view = self.buffer.as_ref().and_then(|buffer| buffer.get(self.start..self.start + self.len));
        view.unwrap_or_default()
    }
}

impl AsRef<[u8]> for ByteView {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for ByteView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ByteView({} of {} bytes)", self.len, self.backing_bytes())
    }
}

/// Reads `ranges` of `blob` and returns their bytes in the same order.
///
/// Ranges may overlap and come in any order. Those at most `max_gap_bytes` apart are read with one request of at
/// most the blob's [`chunk_bytes`](crate::Access::chunk_bytes): for an object store a request costs as much as
/// about 1 MiB of transfer, for a local file as much as about 4 KiB of copying. One range is never split; to
/// read a long stretch with several requests, ask for it in chunks.
///
/// Up to [`in_flight`](crate::Access::in_flight) requests run at once, on the caller's thread and on `threads`;
/// for a local file that is one, on the caller's thread, and `threads` stay unused. Blocks until all are done,
/// so it does not belong on a worker that must not wait.
///
/// A range beyond the end is an error before anything is read. Of several failing requests, the error is that of
/// the one lowest in the blob, whatever the timing; a panic in a request becomes an error.
///
/// ```
/// use feedline_io::{Blob, ByteRange, IoThreads, LocalBlob, read_ranges};
/// use std::sync::Arc;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("digits");
/// std::fs::write(&path, "0123456789")?;
/// let blob: Arc<dyn Blob> = Arc::new(LocalBlob::open(path)?);
/// let ranges = [ByteRange { offset: 7, len: 2 }, ByteRange { offset: 1, len: 3 }];
/// let views = read_ranges(&blob, &ranges, 4096, &IoThreads::default())?;
/// assert_eq!((&*views[0], &*views[1]), (&b"78"[..], &b"123"[..]));
/// # Ok(())
/// # }
/// ```
pub fn read_ranges(
    blob: &Arc<dyn Blob>,
    ranges: &[ByteRange],
    max_gap_bytes: u64,
    threads: &IoThreads,
) -> Result<Vec<ByteView>> {
    plan::check(&**blob, ranges)?;
    let access = blob.access();
    let Plan { requests, places } = Plan::new(ranges, max_gap_bytes, access.chunk_bytes);
    let buffers = if access.in_flight <= 1 || requests.len() <= 1 {
        requests.iter().map(|request| fetch::read(&**blob, *request)).collect::<Result<Vec<_>>>()?
    } else {
        fetch::overlapped(Arc::clone(blob), requests, access.in_flight, threads)?
    };
    let views = places.iter().zip(ranges).map(|(place, range)| ByteView {
        buffer: place.and_then(|place| buffers.get(place.request).cloned()),
        start: place.map_or(0, |place| place.start),
        len: range.len,
    });
    Ok(views.collect())
}

#[cfg(test)]
mod tests;
