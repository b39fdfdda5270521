//! The entropy-coded bytes without what JPEG puts between them: stuffed zeros and restart markers.
//!
//! Within a scan the byte FF is written as FF 00, so that markers can be found without decoding. Taken out a
//! chunk at a time, only as far as the decoder gets, the rest is plain bits that are read eight bytes at a time.

use memchr::memchr;

/// Bytes taken per call: a block row of a photo, more or less.
const CHUNK: usize = 16 << 10;
/// Zeros behind the last byte, so that eight bytes can be read at any of them.
const PADDING: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Segments {
    plain: Vec<u8>,
    /// Where in `plain` the bytes behind each restart marker begin.
    restarts: Vec<usize>,
    /// In the file: where the scan begins and how far it has been read.
    start: usize,
    position: usize,
    is_finished: bool,
    /// Whether the header announces restarts. If not, one of their markers is the scan's end, as any other; and if so, one that is not
    /// the next one.
    has_restarts: bool,
}

impl Segments {
    /// Begins with the scan at `start`, keeping the memory of the one before.
    pub(super) fn begin(&mut self, start: usize, has_restarts: bool) {
        self.plain.clear();
        self.restarts.clear();
        (self.start, self.position) = (start, start);
        (self.is_finished, self.has_restarts) = (false, has_restarts);
    }

    pub(super) fn plain(&self) -> &[u8] {
        &self.plain
    }

    /// How many bytes there are, as far as is known; the padding is not counted.
    pub(super) fn len(&self) -> usize {
        self.plain.len() - if self.is_finished { PADDING } else { 0 }
    }

    /// Makes sure that `num_bytes` behind `position` are there, or the scan's end.
    #[inline]
    pub(super) fn ensure(&mut self, bytes: &[u8], position: usize, num_bytes: usize) {
        while !self.is_finished && self.plain.len() < position + num_bytes {
            self.read_chunk(bytes);
        }
    }

    /// Makes sure that all of the scan is there.
    pub(super) fn ensure_all(&mut self, bytes: &[u8]) {
        while !self.is_finished {
            self.read_chunk(bytes);
        }
    }

    /// The `index`th restart: where the bytes behind it begin.
    pub(super) fn restart(&mut self, bytes: &[u8], index: usize) -> Option<usize> {
        while !self.is_finished && self.restarts.len() <= index {
            self.read_chunk(bytes);
        }
        self.restarts.get(index).copied()
    }

    /// Steps over the first `num_intervals` restart intervals without taking their bytes; `None` if the markers are
    /// not the ones expected.
    pub(super) fn skip_intervals(&mut self, bytes: &[u8], num_intervals: usize) -> Option<()> {
        for interval in 0..num_intervals {
            loop {
                let at = self.position + memchr(0xff, bytes.get(self.position..)?)?;
                match *bytes.get(at + 1)? {
                    0x00 => self.position = at + 2,
                    0xff => self.position = at + 1,
                    code if usize::from(code) == 0xd0 + interval % 8 => {
                        self.position = at + 2;
                        break;
                    }
                    _ => return None,
                }
            }
            self.restarts.push(0);
        }
        self.start = self.position;
        Some(())
    }

    fn read_chunk(&mut self, bytes: &[u8]) {
        let end = bytes.len().min(self.position + CHUNK);
        while self.position < end {
            let rest = &bytes[self.position..end];
            let Some(len) = memchr(0xff, rest) else {
                self.plain.extend_from_slice(rest);
                self.position = end;
                break;
            };
            match bytes.get(self.position + len + 1) {
                Some(0x00) => {
                    self.plain.extend_from_slice(&rest[..=len]);
                    self.position += len + 2;
                }
                Some(0xff) => {
                    self.plain.extend_from_slice(&rest[..len]);
                    self.position += len + 1; // fill byte before a marker
                }
                Some(&code) if self.has_restarts && usize::from(code) == 0xd0 + self.restarts.len() % 8 => {
                    self.plain.extend_from_slice(&rest[..len]);
                    self.restarts.push(self.plain.len());
                    self.position += len + 2;
                }
                // A marker, or an FF that is the last byte: the end of the scan.
                Some(_) | None => {
                    self.plain.extend_from_slice(&rest[..len]);
                    self.position += len;
                    self.finish();
                    return;
                }
            }
        }
        if self.position >= bytes.len() {
            self.finish();
        }
    }

    fn finish(&mut self) {
        self.is_finished = true;
        self.plain.extend_from_slice(&[0; PADDING]);
    }

    /// Where in the file the byte at `position` of the plain bytes is. For errors: it walks there.
    pub(super) fn offset_in_file(&self, bytes: &[u8], position: usize) -> usize {
        let mut at = self.start;
        let mut left = position.min(self.len());
        while left > 0 && at < self.position {
            match (bytes.get(at), bytes.get(at + 1)) {
                (Some(0xff), Some(0x00)) => (at, left) = (at + 2, left - 1),
                (Some(0xff), Some(0xff)) => at += 1,
                (Some(0xff), Some(_)) => at += 2,
                _ => (at, left) = (at + 1, left - 1),
            }
        }
        at
    }
}
