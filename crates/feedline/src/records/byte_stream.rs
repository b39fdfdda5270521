//! The bytes of a file from front to back, inflated on the way if need be, through one buffer that is reused.

use std::sync::Arc;

use feedline_formats::{Compression, Decompressor, Error as FormatError};
use feedline_io::Blob;

use crate::error::{Error, Result};
use crate::memory;

/// A buffer that grew past this for one huge record is given back once such records are over. Not earlier: where large
/// records alternate with small ones, growing again costs more than the memory.
const KEEP_BYTES: usize = 64 << 20;

/// A window that slides over the (uncompressed) bytes of a file.
///
/// [`ByteStream::bytes`] is the window, [`ByteStream::consume`] moves its start, [`ByteStream::fill`] its end. The buffer
/// is as large as one read ([`feedline_io::Access::chunk_bytes`]), so that bytes are still in the core's cache when
/// they are looked at; it grows only for a single item that is larger.
///
/// The file has the size it had when it was opened: what is appended later is not read, and one that has become shorter
/// is an error, because an end in the middle could pass for the real one.
pub struct ByteStream {
    blob: Arc<dyn Blob>,
    /// Next byte to read from the file, and the one to stop before.
    offset: u64,
    end: u64,
    inflate: Option<Inflate>,
    /// Its length is that of the memory in use, not of the window.
    buffer: Vec<u8>,
    /// The window within `buffer`.
    start: usize,
    filled: usize,
    at_end: bool,
    /// Damage in the compressed bytes, met behind the window.
    damaged: Option<FormatError>,
    /// Whether that is no more than an end that came too early.
    is_cut_off: bool,
}

struct Inflate {
    decompressor: Decompressor,
    input: Vec<u8>,
    start: usize,
    filled: usize,
}

impl ByteStream {
    /// All bytes of `blob`, inflated if `compression` says so.
    pub fn new(blob: Arc<dyn Blob>, compression: Option<Compression>) -> ByteStream {
        let end = blob.size();
        let mut stream = ByteStream::range(blob, 0, end);
        stream.inflate = compression.map(|compression| Inflate {
            decompressor: Decompressor::new(compression),
            input: Vec::new(),
            start: 0,
            filled: 0,
        });
        stream
    }

    /// Bytes `start` to `end` of an uncompressed `blob`.
    pub fn range(blob: Arc<dyn Blob>, start: u64, end: u64) -> ByteStream {
        let end = end.max(start);
        ByteStream {
            blob,
            offset: start,
            end,
            inflate: None,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            at_end: false,
            damaged: None,
            is_cut_off: false,
        }
    }

    /// The file.
    pub fn blob(&self) -> &Arc<dyn Blob> {
        &self.blob
    }

    /// Bytes of the file read so far: of the compressed file, if it is one.
    pub fn file_offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes of the file became how many of the stream, in what was read so far. The two are equal, unless the file is
    /// compressed.
    pub(crate) fn progress(&self) -> (u64, u64) {
        match &self.inflate {
            None => (self.offset, self.offset),
            Some(inflate) => {
                (self.offset - (inflate.filled - inflate.start) as u64, inflate.decompressor.num_made())
            }
        }
    }

    /// The bytes read and not consumed.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.filled]
    }

    /// Whether no bytes follow [`ByteStream::bytes`].
    pub fn is_at_end(&self) -> bool {
        self.at_end
    }

    /// Whether bytes may follow [`ByteStream::bytes`]: neither the end nor damage was met.
    pub(crate) fn has_more(&self) -> bool {
        !self.at_end && self.damaged.is_none()
    }

    /// Whether the compressed bytes end too early and are otherwise sound, as far as can be told: what was read is what
    /// was written.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// Moves past the first `count` bytes of the window.
    pub fn consume(&mut self, count: usize) {
        self.start += count;
        debug_assert!(self.start <= self.filled);
    }

    /// Reads on, until the window holds at least `wanted` bytes or all there are; at least one read unless at the end.
    ///
    /// Damage in compressed bytes is an error only once every byte inflated before it has been handed out. Too little memory
    /// for `wanted` bytes is an error, too. A failed call changes nothing in the window and may be repeated.
    pub fn fill(&mut self, wanted: u64) -> Result<()> {
        self.fill_window(wanted, false)
    }

    /// [`ByteStream::fill`] that stops where `wanted` says, instead of reading on to the end of a chunk: for a large item of
    /// known length, so that no piece of the next one is read with it and moved to the front afterwards.
    pub(crate) fn fill_exactly(&mut self, wanted: u64) -> Result<()> {
        self.fill_window(wanted, true)
    }

    fn fill_window(&mut self, wanted: u64, exactly: bool) -> Result<()> {
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        self.move_to_front();
        let before = self.filled;
        let chunk = self.blob.access().chunk_bytes;
        while !self.at_end && self.damaged.is_none() {
            let held = self.filled - self.start;
            // Twice as much as there is rather than all that is wanted at once: a length that lies costs no more
            // memory than there are bytes.
            let mut target = wanted.min(held.saturating_mul(2)).max(chunk);
            // A caller who keeps much of the window gets a whole read behind it, not crumbs. Otherwise the window stays as
            // small as a read, for the cache's sake: with a read behind each leftover, ~110 KB records came 8 % slower.
            if exactly && wanted <= target {
                target = wanted;
            } else if target - held.min(target) < chunk / 2 {
                target = held + chunk;
            }
            let end = self.start + target;
            if self.buffer.len() < end {
                memory::resize(&mut self.buffer, end as u64)
                    .map_err(|_| Error::memory(self.blob.location(), "hold a part of it", end as u64))?;
            } else if self.buffer.len() > KEEP_BYTES.max(end) {
                self.buffer.truncate(end);
                self.buffer.shrink_to(end);
            }
            self.read_once(end)?;
            if self.filled - self.start >= wanted {
                break;
            }
        }
        match &self.damaged {
            Some(error) if self.filled == before => Err(Error::data(self.blob.location(), error.clone())),
            _ => Ok(()),
        }
    }

    /// Moves the window to the front of the buffer, unless it is longer than what was consumed since the last time. So each
    /// byte consumed pays for one that moves: after damage a caller may hold megabytes and consume them in steps of a few
    /// bytes, each step wanting a little more behind them.
    fn move_to_front(&mut self) {
        let held = self.filled - self.start;
        if held > self.start {
            return;
        }
        #[cfg(test)]
        tests::BYTES_MOVED.with(|moved| moved.set(moved.get() + held));
        self.buffer.copy_within(self.start..self.filled, 0);
        (self.start, self.filled) = (0, held);
    }

    /// One read into the buffer, of which the window then takes bytes up to `target` or fewer.
    fn read_once(&mut self, target: usize) -> Result<()> {
        let remaining = self.end - self.offset;
        let Some(inflate) = &mut self.inflate else {
            let count = (target - self.filled).min(usize::try_from(remaining).unwrap_or(usize::MAX));
            let read = read_some(&*self.blob, &mut self.buffer[self.filled..][..count], self.offset)?;
            self.filled += read;
            self.offset += read as u64;
            self.at_end = self.offset == self.end;
            return Ok(());
        };
        if inflate.start == inflate.filled && remaining > 0 {
            (inflate.start, inflate.filled) = (0, 0);
            let chunk = self.blob.access().chunk_bytes;
            inflate.input.resize(chunk.min(usize::try_from(remaining).unwrap_or(usize::MAX)), 0);
            inflate.filled = read_some(&*self.blob, &mut inflate.input, self.offset)?;
            self.offset += inflate.filled as u64;
        }
        let input = &inflate.input[inflate.start..inflate.filled];
        let room = target - self.filled;
        self.buffer.truncate(self.filled);
        let result = inflate.decompressor.push(input, &mut self.buffer, room);
        let made = self.buffer.len() - self.filled;
        self.filled += made;
        match result {
            Ok(taken) => inflate.start += taken,
            Err(error) => {
                self.damaged = Some(error);
                return Ok(());
            }
        }
        if self.offset == self.end && inflate.start == inflate.filled && made < room {
            match inflate.decompressor.finish() {
                Ok(()) => self.at_end = true,
                Err(error) => {
                    self.damaged = Some(error);
                    self.is_cut_off = true;
                }
            }
        }
        Ok(())
    }
}

/// Reads at least one byte; a file that has none left where there were some is an error.
fn read_some(blob: &dyn Blob, space: &mut [u8], offset: u64) -> Result<usize> {
    match blob.read_at(space, offset)? {
        0 if !space.is_empty() => {
            // For its error, which says what the size was and what it is.
            blob.read_exact_at(space, offset)?;
            Ok(space.len())
        }
        read => Ok(read),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};

    use feedline_io::Access;

    use super::*;

    thread_local! {
        /// Bytes moved within buffers by this thread.
        pub(super) static BYTES_MOVED: Cell<usize> = const { Cell::new(0) };
    }

    /// Bytes in memory that can shrink, read in small chunks.
    struct Memory {
        bytes: Vec<u8>,
        size_now: AtomicU64,
        chunk_bytes: usize,
    }

    impl Memory {
        fn new(bytes: Vec<u8>, chunk_bytes: usize) -> Arc<Memory> {
            Arc::new(Memory { size_now: AtomicU64::new(bytes.len() as u64), bytes, chunk_bytes })
        }
    }

    impl Blob for Memory {
        fn location(&self) -> &Path {
            Path::new("memory")
        }

        fn size(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, buffer: &mut [u8], offset: u64) -> feedline_io::Result<usize> {
            let size = self.size_now.load(Ordering::Relaxed) as usize;
            let rest = self.bytes[..size].get(offset as usize..).unwrap_or_default();
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }

        fn access(&self) -> Access {
            Access { chunk_bytes: self.chunk_bytes, in_flight: 1 }
        }
    }

    #[test]
    fn a_length_that_lies_costs_no_memory() {
        let mut stream = ByteStream::new(Memory::new(vec![7; 10_000], 1000), None);
        stream.fill(u64::MAX).unwrap();
        assert!(stream.is_at_end());
        assert_eq!(stream.bytes().len(), 10_000);
        assert!(stream.buffer.capacity() < 40_000, "{}", stream.buffer.capacity());
    }

    #[test]
    fn a_long_window_consumed_in_small_steps_is_not_moved_with_each() {
        const SIZE: usize = 100_000;
        let content: Vec<u8> = (0..=255).cycle().take(SIZE).collect();
        let mut stream = ByteStream::new(Memory::new(content.clone(), 1000), None);
        BYTES_MOVED.set(0);
        let mut consumed = 0;
        for held in (SIZE / 2..SIZE).step_by(10) {
            stream.fill_exactly(held as u64).unwrap();
            assert_eq!(stream.bytes(), &content[consumed..consumed + held.min(SIZE - consumed)]);
            stream.consume(10);
            consumed += 10;
        }
        assert!(BYTES_MOVED.get() <= SIZE, "{} bytes were moved", BYTES_MOVED.get());
        assert!(stream.buffer.len() <= 2 * SIZE);
    }

    #[test]
    fn after_one_large_item_reads_are_small_again() {
        let mut stream = ByteStream::new(Memory::new((0..=255).cycle().take(100_000).collect(), 1000), None);
        stream.fill(50_000).unwrap();
        let at = stream.bytes().len();
        stream.consume(at);
        stream.fill(12).unwrap();
        assert_eq!(stream.bytes().len(), 1000);
        assert_eq!(stream.bytes()[0], (at % 256) as u8);
    }

    #[test]
    fn a_file_that_shrinks_is_an_error_after_what_could_be_read() {
        let blob = Memory::new(vec![1; 5000], 1000);
        let mut stream = ByteStream::new(Arc::clone(&blob) as Arc<dyn Blob>, None);
        stream.fill(0).unwrap();
        blob.size_now.store(1500, Ordering::Relaxed);
        stream.consume(1000);
        stream.fill(1).unwrap();
        assert_eq!((stream.bytes().len(), stream.is_at_end()), (500, false));
        stream.consume(500);
        for _ in 0..2 {
            let error = stream.fill(1).unwrap_err().to_string();
            assert!(error.contains("ends at byte 1500 now") && error.contains("hint:"), "{error}");
        }
    }
}
