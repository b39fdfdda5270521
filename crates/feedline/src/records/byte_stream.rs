//! The bytes of a file from front to back, inflated on the way if need be, through one buffer that is reused.

use std::sync::Arc;

use feedline_formats::tfrecord::{FrameReader, HEADER_BYTES};
use feedline_formats::{Compression, Decompressor};
use feedline_io::Blob;

use crate::error::{Error, Result};

/// A window that slides over the (uncompressed) bytes of a file.
///
/// [`ByteStream::bytes`] is the window, [`ByteStream::consume`] moves its start, [`ByteStream::fill`] its end. The buffer
/// is as large as one read ([`feedline_io::Access::chunk_bytes`]), so that bytes are still in the core's cache when
/// they are looked at; it grows only for a single item that is larger.
pub struct ByteStream {
    blob: Arc<dyn Blob>,
    /// Next byte to read from the file, and the one to stop before.
    offset: u64,
    end: u64,
    inflate: Option<Inflate>,
    buffer: Vec<u8>,
    /// The window within `buffer`.
    start: usize,
    filled: usize,
    at_end: bool,
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
        ByteStream { blob, offset: start, end, inflate: None, buffer: Vec::new(), start: 0, filled: 0, at_end: false }
    }

    /// The file.
    pub fn blob(&self) -> &Arc<dyn Blob> {
        &self.blob
    }

    /// Bytes of the file read so far: of the compressed file, if it is one.
    pub fn file_offset(&self) -> u64 {
        self.offset
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

    /// Moves past the first `count` bytes of the window.
    pub fn consume(&mut self, count: usize) {
        self.start += count;
        debug_assert!(self.start <= self.filled);
    }

    /// Reads on, until the window holds at least `wanted` bytes or all there are; at least one read unless at the end.
    pub fn fill(&mut self, wanted: u64) -> Result<()> {
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        while !self.at_end {
            let chunk = self.blob.access().chunk_bytes;
            // Twice as much as there is rather than all that is wanted at once: a length that lies costs no more
            // memory than there are bytes.
            let room = wanted.min(self.filled.saturating_mul(2)).max(chunk);
            if self.buffer.len() < room || self.buffer.len() == self.filled {
                self.buffer.resize(room.max(self.filled + chunk), 0);
            }
            self.read_once()?;
            if self.filled >= wanted {
                break;
            }
        }
        Ok(())
    }

    fn read_once(&mut self) -> Result<()> {
        let Some(inflate) = &mut self.inflate else {
            let room = self.buffer.len() - self.filled;
            let count = room.min(usize::try_from(self.end - self.offset).unwrap_or(usize::MAX));
            let space = &mut self.buffer[self.filled..][..count];
            let read = self.blob.read_at(space, self.offset)?;
            self.filled += read;
            self.offset += read as u64;
            self.at_end = self.offset == self.end || read < count;
            return Ok(());
        };
        if inflate.start == inflate.filled && self.offset < self.end {
            inflate.input.resize(self.blob.access().chunk_bytes, 0);
            inflate.filled = self.blob.read_at(&mut inflate.input, self.offset)?;
            inflate.start = 0;
            self.offset += inflate.filled as u64;
            if inflate.filled == 0 {
                self.end = self.offset;
            }
        }
        let input = &inflate.input[inflate.start..inflate.filled];
        let room = self.buffer.len() - self.filled;
        self.buffer.truncate(self.filled);
        let result = inflate.decompressor.push(input, &mut self.buffer, room);
        let made = self.buffer.len() - self.filled;
        self.filled += made;
        // Back to full length, so that the window's arithmetic is the same as without compression.
        self.buffer.resize(self.filled.max(self.blob.access().chunk_bytes), 0);
        let taken = result.map_err(|error| Error::data(self.blob.location(), error))?;
        inflate.start += taken;
        if self.offset >= self.end && inflate.start == inflate.filled && made < room {
            inflate.decompressor.finish().map_err(|error| Error::data(self.blob.location(), error))?;
            self.at_end = true;
        }
        Ok(())
    }
}

/// How a record file is compressed, told from its first bytes; `None` if it is not, or is no record file at all.
pub fn detect_compression(blob: &dyn Blob) -> Result<Option<Compression>> {
    let mut head = [0; HEADER_BYTES];
    let read = blob.read_at(&mut head, 0)?;
    let head = &head[..read];
    // A first record whose length happens to look like a gzip header still has a matching checksum.
    if FrameReader::default().next(head).is_ok() && head.len() == HEADER_BYTES {
        return Ok(None);
    }
    Ok(Compression::sniff(head))
}
