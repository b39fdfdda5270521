//! A record file from front to back.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use feedline_formats::tfrecord::{Damage, FrameReader, HEADER_BYTES, ReadOptions, Resync};
use feedline_formats::{Compression, Error as FormatError};
use feedline_io::{Blob, ErrorKind as IoErrorKind, LocalStore, Store};

use super::byte_stream::ByteStream;
use super::detect_compression;
use crate::error::{Error, Result};

/// What to do about damaged records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDamage {
    /// Stop with the error.
    #[default]
    Raise,
    /// Go on at the next valid record; the errors are kept ([`RecordReader::take_errors`]).
    Skip,
}

/// Records from this size on are read one at a time, to the byte: a piece of the next one read along would have to be moved
/// to the front of the buffer (~110 KB records came some 5 % slower that way).
const LARGE_RECORD_BYTES: u64 = 64 << 10;

/// Reads the records of one file in order, many at a time, as views into its buffer.
///
/// Checksums are verified. Each call reads about 256 KiB, so that a record is still in the core's cache when the caller
/// looks at it: ~110 KB records come as fast as a plain read and checksum of the same bytes (`bench/`).
pub struct RecordReader {
    stream: ByteStream,
    frames: FrameReader,
    on_damage: OnDamage,
    /// Bytes of the last chunk, to be consumed once the caller has let go of it.
    taken: usize,
    /// Damage at the reader's place, not yet raised or skipped.
    damaged: Option<FormatError>,
    skipped: Vec<FormatError>,
    /// Where the records of the current chunk lie in the stream's window. Kept apart from the views given out, because
    /// whether there is anything to give is known only after reading.
    places: Vec<Range<usize>>,
}

/// Consecutive records.
#[derive(Debug)]
pub struct Chunk<'a> {
    /// Number of the first one, counted from 0.
    pub first_record: u64,
    /// Where the first one begins in the (uncompressed) file; they follow each other without gaps.
    pub first_offset: u64,
    /// Their data.
    pub records: Vec<&'a [u8]>,
}

impl RecordReader {
    /// Opens a file of this machine, its compression told from its first bytes.
    pub fn open(path: impl AsRef<Path>) -> Result<RecordReader> {
        let blob = LocalStore.open(path.as_ref())?;
        let compression = detect_compression(&*blob)?;
        Ok(RecordReader::new(blob, compression, ReadOptions::default()))
    }

    /// Reads an open file.
    pub fn new(blob: Arc<dyn Blob>, compression: Option<Compression>, options: ReadOptions) -> RecordReader {
        RecordReader::over(ByteStream::new(blob, compression), FrameReader::new(options))
    }

    /// Reads from `stream`, which must begin where `frames` stands.
    pub(crate) fn over(stream: ByteStream, frames: FrameReader) -> RecordReader {
        RecordReader {
            stream,
            frames,
            on_damage: OnDamage::Raise,
            taken: 0,
            damaged: None,
            skipped: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The same reader, with another way to treat damage.
    #[must_use]
    pub fn on_damage(mut self, on_damage: OnDamage) -> RecordReader {
        self.on_damage = on_damage;
        self
    }

    /// The next records, as many as one read gives, at least one; `None` at the end of the file.
    ///
    /// Records that stand before an error are given first. After an error the reader stays where it is and gives the
    /// same error again. Damage in compressed bytes is an error whatever [`OnDamage`] says: nothing behind it can be read.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>> {
        self.next_records(1, usize::MAX)
    }

    /// The next `num_records` records (at least one), or those that are left before the end of the file or an error;
    /// otherwise as [`RecordReader::next_chunk`]. All of them lie in the reader's buffer, which grows to hold them.
    pub fn next_batch(&mut self, num_records: usize) -> Result<Option<Chunk<'_>>> {
        self.next_records(num_records.max(1), num_records.max(1))
    }

    /// Reads until there are `least` records, and takes no more than `most` of those then at hand.
    fn next_records(&mut self, least: usize, most: usize) -> Result<Option<Chunk<'_>>> {
        self.stream.consume(std::mem::take(&mut self.taken));
        self.places.clear();
        let (mut first_record, mut first_offset) = (self.frames.record_index(), self.frames.offset());
        while self.places.len() < least {
            if let Some(error) = &self.damaged {
                if !self.places.is_empty() {
                    break; // what stands before it is given first
                }
                if self.on_damage == OnDamage::Raise {
                    return Err(Error::data(self.stream.blob().location(), error.clone()));
                }
                self.skip_damaged(u64::MAX)?;
                (first_record, first_offset) = (self.frames.record_index(), self.frames.offset());
            }
            let unread = &self.stream.bytes()[self.taken..];
            let wanted = self.frames.bytes_wanted(unread);
            if (unread.len() as u64) < wanted
                && let Err(error) = self.fill_for_record(wanted)
            {
                if self.places.is_empty() {
                    return Err(error);
                }
                break; // the same error comes again, once the records before it are given
            }
            let unread = &self.stream.bytes()[self.taken..];
            if unread.is_empty() && self.stream.is_at_end() {
                break;
            }
            let (before, base) = (self.places.len(), self.taken);
            let start = self.frames.offset();
            let read = self.frames.read_places(unread, most - before, |place| {
                self.places.push(base + place.start..base + place.end);
            });
            self.taken += (self.frames.offset() - start) as usize;
            self.damaged = match read {
                Err(error) => Some(error),
                Ok(taken) if self.places.len() == before && self.stream.is_at_end() => {
                    self.frames.finish(&unread[taken..]).err()
                }
                Ok(_) => None,
            };
        }
        if self.places.is_empty() {
            return Ok(None);
        }
        let bytes = self.stream.bytes();
        let records = self.places.iter().map(|place| &bytes[place.clone()]).collect();
        Ok(Some(Chunk { first_record, first_offset, records }))
    }

    /// Moves to the first place from here on where a valid record begins, or to the end: for a reader put down in the
    /// middle of a file. Gives up at `limit`, or soon behind it; whether it found a record is the result.
    pub(crate) fn seek_record(&mut self, limit: u64) -> Result<bool> {
        self.fill(0)?;
        let found = self.frames.resync_more(self.stream.bytes(), !self.stream.has_more());
        self.settle(found, limit)
    }

    /// Moves from the damaged record that the last call stopped at to the next valid one, or to the end. Gives up at
    /// `limit`, or soon behind it; whether it found a record is the result.
    pub(crate) fn skip_damaged(&mut self, limit: u64) -> Result<bool> {
        let Some(error) = self.damaged.take() else { return Ok(false) };
        let before = self.frames.damage();
        let found = self.frames.resync(self.stream.bytes(), !self.stream.has_more());
        let settled = self.settle(found, limit);
        self.skipped.push(error.with_damage(self.frames.damage() - before));
        settled
    }

    fn settle(&mut self, mut found: Resync, limit: u64) -> Result<bool> {
        loop {
            match found {
                Resync::Found { skipped } => {
                    self.stream.consume(skipped);
                    return Ok(true);
                }
                Resync::End { skipped } => {
                    self.stream.consume(skipped);
                    return Ok(false);
                }
                Resync::NeedMore { skipped, wanted } => {
                    self.stream.consume(skipped);
                    if self.frames.offset() >= limit {
                        return Ok(false);
                    }
                    match self.fill(wanted) {
                        // What there is of a damaged compressed stream is looked through before that is reported.
                        Ok(()) | Err(Error::Data { .. }) => {}
                        Err(error) => return Err(error),
                    }
                    found = self.frames.resync_more(self.stream.bytes(), !self.stream.has_more());
                }
            }
        }
    }

    /// Reads on until the next record, which takes `wanted` bytes, is whole.
    fn fill_for_record(&mut self, wanted: u64) -> Result<()> {
        let end = self.taken as u64 + wanted;
        if wanted < LARGE_RECORD_BYTES {
            return self.fill(end);
        }
        // Up to the end of the next record's header, from which its length is known in turn.
        match self.stream.fill_exactly(end + HEADER_BYTES as u64) {
            // What is wrong there is not yet this record's business.
            Err(_) if self.stream.bytes().len() as u64 >= end => Ok(()),
            filled => filled.map_err(|error| self.place(error, wanted)),
        }
    }

    /// [`ByteStream::fill`], its errors placed at the record that could not be read.
    fn fill(&mut self, wanted: u64) -> Result<()> {
        self.stream.fill(wanted).map_err(|error| self.place(error, wanted))
    }

    /// The error, placed at the record that could not be read and takes about `wanted` bytes.
    fn place(&self, error: Error, wanted: u64) -> Error {
        match error {
            Error::Io(error) if error.kind() == IoErrorKind::OutOfMemory => {
                let (record, byte) = (self.frames.record_index(), self.frames.offset());
                Error::memory(error.location(), &format!("hold record {record} (byte {byte})"), wanted)
            }
            Error::Data { path, error } => {
                let error = error.in_record(self.frames.record_index()).at_byte(self.frames.offset());
                Error::Data { path, error }
            }
            error => error,
        }
    }

    /// Offset (in the uncompressed bytes) of the record after those given out.
    pub fn offset(&self) -> u64 {
        self.frames.offset()
    }

    /// Number of the record after those given out.
    pub fn record_index(&self) -> u64 {
        self.frames.record_index()
    }

    /// Bytes of the file read so far, for progress.
    pub fn file_offset(&self) -> u64 {
        self.stream.file_offset()
    }

    /// See [`ByteStream::progress`].
    pub(crate) fn progress(&self) -> (u64, u64) {
        self.stream.progress()
    }

    /// What was skipped so far.
    pub fn damage(&self) -> Damage {
        self.frames.damage()
    }

    /// The errors skipped since the last call, each with what it cost ([`FormatError::damage`]).
    pub fn take_errors(&mut self) -> Vec<FormatError> {
        std::mem::take(&mut self.skipped)
    }
}
