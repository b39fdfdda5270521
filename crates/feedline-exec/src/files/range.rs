//! The rows that begin in a range of a file that is not compressed.
//!
//! The range is read a little at a time, and what was read is split and checksummed while it is still in the core's cache.
//! The last row is read to its end, which may lie behind the range.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use feedline_data::block::{Places, Strings};
use feedline_formats::tfrecord::HEADER_BYTES;
use feedline_io::Blob;

use super::open::{machine, make_room, new_buffer};
use super::split::Splitter;
use super::split_error::SplitError;
use super::{Buffers, FilePlace, Piece, RowKind, RowPlaces};
use crate::error::ExecError;

/// How a range is read.
pub(super) struct RangeReader<'a> {
    pub(super) blob: &'a dyn Blob,
    pub(super) kind: RowKind,
    pub(super) buffers: &'a Buffers,
    /// Bytes of one request.
    pub(super) read_bytes: usize,
    /// Rows that are likely to begin in the range.
    pub(super) num_rows: usize,
    /// Bytes of a row at most.
    pub(super) max_row_bytes: u64,
    /// Asked before more than the range is held, with the number of bytes; `false` gives up.
    pub(super) may_hold: &'a mut dyn FnMut(usize) -> bool,
}

/// What was found in a range.
#[derive(Debug)]
pub(super) struct RangeRows {
    /// Where the first row begins.
    first: u64,
    rows: Strings,
    places: RowPlaces,
    /// Rows that are damaged, or larger than a row may be. Their record numbers count from the first row of the range.
    damaged: Vec<(usize, SplitError)>,
    /// Why there are no more rows, if that is not the end of the range.
    failure: Option<Failure>,
    /// Bytes of memory the rows keep.
    pub(super) held_bytes: u64,
    /// Time spent in requests.
    pub(super) read_time: Duration,
}

#[derive(Debug)]
enum Failure {
    /// Its record number counts from the first row of the range.
    Split(SplitError),
    Machine(ExecError),
}

impl RangeRows {
    /// Where the first row begins.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Where the row behind the last begins; `None` if the file cannot be read on.
    pub(super) fn next(&self) -> Option<u64> {
        self.failure.is_none().then_some(self.places.end)
    }

    /// Bytes a row takes, on average; 0 if there is none.
    pub(super) fn row_bytes(&self) -> u64 {
        (self.places.end - self.first).checked_div(self.rows.len() as u64).unwrap_or(0)
    }

    /// The rows as a piece of the file whose first has number `first_row`, if there are any, and what is wrong behind them.
    pub(super) fn into_piece(self, first_row: u64, blob: &dyn Blob) -> (Option<Piece>, Option<ExecError>) {
        let places = RowPlaces { first_row, ..self.places };
        let error = self.failure.map(|failure| match failure {
            Failure::Machine(error) => error,
            Failure::Split(error) => error.in_file(blob.location(), first_row),
        });
        let in_file = |error: SplitError| error.in_file(blob.location(), first_row);
        let damaged = self.damaged.into_iter().map(|(row, error)| (row, in_file(error))).collect();
        let piece = (!self.rows.is_empty()).then_some(Piece {
            rows: self.rows,
            places,
            damaged,
            held_bytes: self.held_bytes,
        });
        (piece, error)
    }

    /// Where the row behind the last stands in the file, if the first has number `first_row`.
    pub(super) fn end(&self, first_row: u64) -> FilePlace {
        FilePlace { offset: self.places.end, row: first_row + self.rows.len() as u64 }
    }
}

/// A range being read.
struct Reading<'a, 'b> {
    reader: &'b mut RangeReader<'a>,
    bytes: Vec<u8>,
    /// The first byte of `bytes` in the file.
    base: u64,
    filled: usize,
    /// Bytes split into rows, and before them, not looked at because they belong to another range.
    taken: usize,
    places: Places,
    damaged: Vec<(usize, SplitError)>,
    read_time: Duration,
}

/// Where the last row ends that begins in `range`, at whose start one begins, as the lengths of the rows say; nothing else
/// is read. `None` where that cannot be told so cheaply, or a length is no length or more than `max_row_bytes`.
pub(super) fn look_ahead(
    blob: &dyn Blob,
    kind: RowKind,
    range: &Range<u64>,
    max_row_bytes: u64,
) -> Option<u64> {
    let mut offset = range.start;
    let mut head = [0; HEADER_BYTES];
    while offset < range.end {
        blob.read_exact_at(&mut head, offset).ok()?;
        let row_bytes = kind.bytes_by_head(&head).filter(|&bytes| bytes <= max_row_bytes)?;
        offset = offset.checked_add(row_bytes).filter(|&end| end <= blob.size())?;
    }
    Some(offset)
}

impl RangeReader<'_> {
    /// The rows that begin in `range`: from its start if one is known to begin there, else from the first that seems to.
    /// `None` if none seems to, or if it cannot be told without holding more than is allowed.
    pub(super) fn read(&mut self, range: Range<u64>, is_start_known: bool) -> Option<RangeRows> {
        if !(self.may_hold)((range.end - range.start) as usize) {
            return None;
        }
        let before = if is_start_known { 0 } else { self.kind.bytes_before() };
        let mut reading = Reading::new(self, range.start - before as u64..range.end);
        reading.taken = before;
        if is_start_known || reading.find_row(&range) {
            let first = reading.offset();
            if let Some(failure) = reading.split_range(&range, is_start_known) {
                return Some(reading.finish(first, failure));
            }
        }
        let bytes = std::mem::take(&mut reading.bytes);
        self.buffers.put(bytes);
        None
    }
}

impl<'a, 'b> Reading<'a, 'b> {
    fn new(reader: &'b mut RangeReader<'a>, Range { start: base, end }: Range<u64>) -> Reading<'a, 'b> {
        let mut bytes = reader.buffers.take();
        if bytes.is_empty() {
            bytes = new_buffer((end - base) as usize);
        }
        let places = Places::with_capacity(reader.num_rows);
        let damaged = Vec::new();
        Reading { reader, bytes, base, filled: 0, taken: 0, places, damaged, read_time: Duration::ZERO }
    }

    /// The next row in the file.
    fn offset(&self) -> u64 {
        self.base + self.taken as u64
    }

    /// Bytes of the file from `base` on.
    fn bytes_left(&self) -> u64 {
        self.reader.blob.size() - self.base
    }

    /// Reads on until `end` bytes are there, or the file ends.
    fn fill(&mut self, end: usize) -> Result<(), ExecError> {
        let end = end.min(usize::try_from(self.bytes_left()).unwrap_or(usize::MAX));
        if end <= self.filled {
            return Ok(());
        }
        let blob = self.reader.blob;
        make_room(&mut self.bytes, end, blob.location())?;
        let started = Instant::now();
        let read = blob.read_exact_at(&mut self.bytes[self.filled..end], self.base + self.filled as u64);
        self.read_time += started.elapsed();
        read.map_err(|error| machine(&error))?;
        self.filled = end;
        Ok(())
    }

    /// Moves to the first row that seems to begin in `range`. Errors wait for the one who knows where it begins.
    fn find_row(&mut self, range: &Range<u64>) -> bool {
        let limit = (range.end - self.base) as usize;
        // A row that begins at the last byte shows only behind it.
        let end = limit - 1 + self.reader.kind.bytes_behind();
        loop {
            let wanted = (self.filled + self.reader.read_bytes).min(end.max(limit));
            if self.fill(wanted).is_err() {
                return false;
            }
            let seen = &self.bytes[..self.filled];
            match self.reader.kind.find_row((seen, self.base), self.taken, self.bytes_left()) {
                Ok(place) => {
                    self.taken = place;
                    return place < limit;
                }
                Err(looked) => self.taken = looked,
            }
            if self.filled < wanted || self.filled >= end.max(limit) {
                return false;
            }
        }
    }

    /// Takes the rows that begin in `range`; what stands in the way of more. `None`: it gave up, which it does not where the
    /// first row `is_known`.
    #[allow(
        clippy::option_option,
        reason = "gave up, went through, or met a failure: told in the line above"
    )]
    fn split_range(&mut self, range: &Range<u64>, is_known: bool) -> Option<Option<Failure>> {
        let mut splitter = Splitter::new(self.reader.kind, self.offset(), 0, self.reader.max_row_bytes);
        let limit = (range.end - self.base) as usize;
        let size = self.bytes_left();
        loop {
            if self.filled < limit
                && let Err(error) = self.fill((self.filled + self.reader.read_bytes).min(limit))
            {
                return Some(Some(Failure::Machine(error)));
            }
            let seen = self.filled.min(limit);
            // (Where a row of one size begins is known before it is read so far.)
            if self.taken <= seen
                && let Err(error) = self.split(&mut splitter, seen, seen as u64 == size, usize::MAX)
                && let Err(error) = self.pass_large(&mut splitter, error)
            {
                return Some(Some(Failure::Split(error)));
            }
            if self.filled >= limit {
                break;
            }
        }
        // The last row, if it ends behind the range.
        while self.taken < limit {
            let wanted = match splitter.bytes_wanted(&self.bytes[self.taken..self.filled]) {
                Ok(bytes) => bytes,
                // Most likely no record.
                Err(_) if !is_known => return None,
                Err(error) => match self.pass_large(&mut splitter, error) {
                    Ok(()) => continue,
                    Err(error) => return Some(Some(Failure::Split(error))),
                },
            };
            let end = (self.taken as u64).saturating_add(wanted);
            if !is_known && end > size && self.reader.kind == RowKind::Record {
                return None; // most likely no record
            }
            let end = end.min(size) as usize;
            if end > self.filled {
                if !(self.reader.may_hold)(end) {
                    return None;
                }
                if let Err(error) = self.fill(end) {
                    return Some(Some(Failure::Machine(error)));
                }
            }
            if let Err(error) = self.split(&mut splitter, self.filled, self.filled as u64 == size, 1) {
                return Some(Some(Failure::Split(error)));
            }
        }
        Some(None)
    }

    /// A row that is larger than a row may be is an error in its place, if it is known where the next begins: behind all that was read.
    fn pass_large(&mut self, splitter: &mut Splitter, error: SplitError) -> Result<(), SplitError> {
        let Some(row_bytes) = error.passable_bytes() else { return Err(error) };
        let end = self.offset().saturating_add(row_bytes).min(self.reader.blob.size());
        let data = self.taken + self.reader.kind.head_bytes();
        self.damaged.push((self.places.len(), error));
        self.places.push(data..data);
        splitter.pass_row(end);
        self.taken = (end - self.base) as usize;
        Ok(())
    }

    /// Splits what lies before `end`.
    fn split(
        &mut self,
        splitter: &mut Splitter,
        end: usize,
        is_end: bool,
        max_rows: usize,
    ) -> Result<(), SplitError> {
        let (base, places, damaged) = (self.taken, &mut self.places, &mut self.damaged);
        let split = splitter.split(&self.bytes[base..end], is_end, max_rows, |place, damage| {
            damaged.extend(damage.map(|error| (places.len(), SplitError::Data(error))));
            places.push(base + place.start..base + place.end);
        });
        self.taken = (splitter.offset() - self.base) as usize;
        split.map(|_| ())
    }

    fn finish(self, first: u64, failure: Option<Failure>) -> RangeRows {
        let places = Arc::new(self.places);
        let held_bytes = self.bytes.len() as u64;
        let rows = Strings::of_places(&self.reader.buffers.share(self.bytes), &places);
        let places = RowPlaces {
            places,
            base: self.base,
            head_bytes: self.reader.kind.head_bytes() as u64,
            end: self.base + self.taken as u64,
            first_row: 0,
        };
        RangeRows {
            first,
            rows,
            places,
            damaged: self.damaged,
            failure,
            held_bytes,
            read_time: self.read_time,
        }
    }
}
