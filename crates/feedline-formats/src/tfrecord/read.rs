//! Splitting bytes into records.

use std::ops::Range;

use super::spans::Spans;
use super::{Damage, FOOTER_BYTES, HEADER_BYTES, MAX_RECORD_BYTES, frame_bytes};
use crate::checksum::masked_crc32c;
use crate::error::{Error, ErrorKind, Result};
use crate::{Compression, Packing, tfrecord::resync};

/// How strictly to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Whether data checksums are verified. Length checksums always are: without them a damaged length could
    /// send the reader anywhere.
    pub verify_data: bool,
    /// The longest record allowed, so that a wrong length cannot ask for all memory.
    pub max_record_bytes: u64,
}

impl Default for ReadOptions {
    /// Verify everything; records up to [`MAX_RECORD_BYTES`], which is what [`write_frame`](super::write_frame) writes.
    fn default() -> Self {
        ReadOptions { verify_data: true, max_record_bytes: MAX_RECORD_BYTES }
    }
}

/// Splits a stream of bytes into records, as views into the caller's buffer.
///
/// The reader keeps only a position: give it the bytes from there on in pieces of any size, and give again what
/// it did not take. It allocates nothing, except where lengths contradict each other (4 bytes for 512 of the file).
///
/// ```
/// use feedline_formats::tfrecord::{FrameReader, write_frame};
///
/// let mut file = Vec::new();
/// write_frame(&mut file, b"first")?;
/// write_frame(&mut file, b"second")?;
///
/// let mut reader = FrameReader::default();
/// let mut records = Vec::new();
/// // All but the last byte: the second record is not whole yet.
/// let taken = reader.read(&file[..file.len() - 1], &mut records)?;
/// assert_eq!(records, [b"first"]);
/// reader.read(&file[taken..], &mut records)?;
/// assert_eq!(records, [&b"first"[..], b"second"]);
/// # Ok::<(), feedline_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FrameReader {
    pub(super) options: ReadOptions,
    /// Offset in the stream of the next record's first byte.
    pub(super) offset: u64,
    /// Number of the next record.
    pub(super) record_index: u64,
    pub(super) damage: Damage,
    /// Whether a resync has begun and the damaged record has not been left yet.
    pub(super) at_damaged: bool,
    pub(super) spans: Spans,
}

/// A record's place in a buffer that holds all of it.
struct Frame {
    data_end: usize,
}

impl FrameReader {
    /// A reader at the start of a stream.
    pub fn new(options: ReadOptions) -> FrameReader {
        FrameReader { options, ..FrameReader::default() }
    }

    /// A reader whose next byte is byte `offset` of the stream, where record `record_index` begins.
    #[must_use]
    pub fn at(mut self, offset: u64, record_index: u64) -> FrameReader {
        self.offset = offset;
        self.record_index = record_index;
        self.spans = Spans::default();
        self
    }

    /// The offset in the stream of the next record: where the next buffer must begin.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of the next record.
    pub fn record_index(&self) -> u64 {
        self.record_index
    }

    /// What was skipped so far by [`FrameReader::resync`].
    pub fn damage(&self) -> Damage {
        self.damage
    }

    /// Takes every whole record from the front of `buffer` and returns the number of bytes taken.
    ///
    /// The rest is the beginning of a record; give it again with more behind it ([`FrameReader::bytes_wanted`] says
    /// how much more makes a difference).
    ///
    /// At a damaged record this returns its error; the records before it are in `records`, and
    /// [`FrameReader::offset`] is where it begins. Go on with [`FrameReader::resync`] or stop.
    pub fn read<'b>(&mut self, buffer: &'b [u8], records: &mut Vec<&'b [u8]>) -> Result<usize> {
        self.read_places(buffer, usize::MAX, |place| records.push(&buffer[place]))
    }

    /// [`FrameReader::read`] for callers that cannot hold views yet, or want no more than `max_records`: calls `visit` with
    /// the place of each record's data in `buffer`.
    #[inline]
    pub fn read_places(
        &mut self,
        buffer: &[u8],
        max_records: usize,
        mut visit: impl FnMut(Range<usize>),
    ) -> Result<usize> {
        let mut position = 0;
        for _ in 0..max_records {
            let Some(frame) = self.frame(&buffer[position..])? else { break };
            visit(position + HEADER_BYTES..position + frame.data_end);
            position += self.advance(&frame);
        }
        Ok(position)
    }

    /// The next record alone, or `None` while `buffer` does not hold all of it. Moves past the record: the next
    /// buffer must begin [`frame_bytes`] of its length further on.
    pub fn next<'b>(&mut self, buffer: &'b [u8]) -> Result<Option<&'b [u8]>> {
        let Some(frame) = self.frame(buffer)? else { return Ok(None) };
        self.advance(&frame);
        Ok(Some(&buffer[HEADER_BYTES..frame.data_end]))
    }

    /// How many bytes from the current offset on hold the next record, as far as `buffer` (its beginning) tells. A
    /// header that is damaged or asks for too much is all that is wanted: [`FrameReader::read`] will say so.
    pub fn bytes_wanted(&self, buffer: &[u8]) -> u64 {
        let header = buffer.first_chunk::<HEADER_BYTES>().filter(|_| resync::valid_header(buffer));
        match header.map(|header| split_header(header).0) {
            Some(length) if length <= self.options.max_record_bytes => frame_bytes(length),
            _ => HEADER_BYTES as u64,
        }
    }

    /// Call when the stream has ended and `rest` was not taken: an error if that is a piece of a record.
    pub fn finish(&self, rest: &[u8]) -> Result<()> {
        if rest.is_empty() {
            return Ok(());
        }
        // Too short for a length, and the file of another tool all the same.
        if let Some(packing) = Packing::sniff(rest).filter(|_| self.offset == 0 && rest.len() < HEADER_BYTES)
        {
            return Err(self.error(ErrorKind::Packed(packing)));
        }
        let needed = rest.first_chunk::<8>().filter(|_| rest.len() >= HEADER_BYTES);
        let needed = needed.map(|length| frame_bytes(u64::from_le_bytes(*length)));
        Err(self.error(ErrorKind::Truncated { needed, available: rest.len() as u64 }))
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind).in_record(self.record_index).at_byte(self.offset)
    }

    fn advance(&mut self, frame: &Frame) -> usize {
        let bytes = frame.data_end + FOOTER_BYTES;
        self.offset += bytes as u64;
        self.record_index += 1;
        bytes
    }

    /// Checks the record at the start of `buffer`; `None` while it is not whole.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "a call for each record took a tenth of the time of reading small ones"
    )]
    fn frame(&mut self, buffer: &[u8]) -> Result<Option<Frame>> {
        let Some(header) = buffer.first_chunk::<HEADER_BYTES>() else { return Ok(None) };
        let (length, stored) = split_header(header);
        let found = masked_crc32c(&header[..8]);
        if found != stored {
            return Err(self.bad_length(buffer, found, stored));
        }
        if length > self.options.max_record_bytes {
            return Err(self.error(ErrorKind::TooLong { length, limit: self.options.max_record_bytes }));
        }
        if buffer.len() as u64 - (HEADER_BYTES as u64) < length.saturating_add(FOOTER_BYTES as u64) {
            return Ok(None);
        }
        let data_end = HEADER_BYTES + length as usize;
        if self.options.verify_data {
            self.check_data(self.offset, buffer, data_end)
                .map_err(|(found, stored)| self.error(ErrorKind::DataChecksum { found, stored }))?;
        }
        Ok(Some(Frame { data_end }))
    }

    /// Whether the data of the record at `buffer`, byte `offset` of the stream, matches the checksum behind it; both
    /// checksums if not.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as `frame`")]
    pub(super) fn check_data(
        &mut self,
        offset: u64,
        buffer: &[u8],
        data_end: usize,
    ) -> Result<(), (u32, u32)> {
        let data_offset = offset + HEADER_BYTES as u64;
        let found = self.spans.masked_crc32c(data_offset, &buffer[HEADER_BYTES..], data_end - HEADER_BYTES);
        let stored = resync::le_u32(&buffer[data_end..]);
        if found == stored {
            return Ok(());
        }
        self.spans.failed(offset + data_end as u64);
        Err((found, stored))
    }

    #[cold]
    fn bad_length(&self, buffer: &[u8], found: u32, stored: u32) -> Error {
        let is_first = self.offset == 0;
        self.error(match (Compression::detect(buffer), Packing::sniff(buffer)) {
            (Some(compression), _) if is_first => ErrorKind::Compressed(compression),
            (_, Some(packing)) if is_first => ErrorKind::Packed(packing),
            _ => ErrorKind::LengthChecksum { found, stored },
        })
    }
}

#[inline]
pub(super) fn split_header(header: &[u8; HEADER_BYTES]) -> (u64, u32) {
    let (length, checksum) = header.split_at(8);
    (u64::from_le_bytes(length.try_into().expect("8 bytes")), resync::le_u32(checksum))
}
