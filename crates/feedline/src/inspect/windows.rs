//! What to read of files that are too large to read: windows spread over them.

use std::path::Path;
use std::sync::Arc;

use feedline_formats::Compression;
use feedline_formats::tfrecord::{FrameReader, frame_bytes};
use feedline_io::Blob;

use super::sample::Collector;
use crate::error::Error;
use crate::problem::Problem;
use crate::records::{ByteStream, RecordReader};

/// Windows in all, or up to twice as many for files of different sizes. Each costs one or two reads of 256 KiB: some 10 MB, whatever the size of the files.
const NUM_WINDOWS: usize = 24;
/// Bytes of records in a window, unless a number of records was asked for.
const WINDOW_BYTES: u64 = 256 << 10;
/// How far to look for the beginning of a record before a window is given up.
const SEEK_BYTES: u64 = 4 << 20;

/// A part of a file to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Which of the files.
    pub(super) file: usize,
    /// Where to look for the first record.
    pub(super) start: u64,
    /// Records that begin here or behind are another window's.
    pub(super) end: u64,
    pub(super) max_records: u64,
    pub(super) max_bytes: u64,
}

/// Windows spread over files of these sizes; `num_records` is how many records are wanted in all, if that is known.
///
/// Larger files have more of them. A compressed file has one, at its beginning, as long as its share of windows would be
/// together. With more files than windows, some files have none.
pub(super) fn spread(files: &[(u64, Option<Compression>)], num_records: Option<u64>) -> Vec<Window> {
    let candidates: Vec<usize> = (0..files.len()).filter(|&file| files[file].0 > 0).collect();
    let num_files = candidates.len().min(NUM_WINDOWS);
    // The first, the last, and evenly between.
    let chosen: Vec<usize> =
        (0..num_files).map(|k| candidates[k * (candidates.len() - 1) / (num_files - 1).max(1)]).collect();
    let total: u128 = chosen.iter().map(|&file| u128::from(files[file].0)).sum();
    let mut windows = Vec::new();
    for (turn, &file) in chosen.iter().enumerate() {
        let (size, compression) = files[file];
        let share = (u128::from(size) * NUM_WINDOWS as u128 / total.max(1)) as u64;
        let share = share.max((NUM_WINDOWS / num_files) as u64);
        let (windows_here, windows_long) = if compression.is_some() { (1, share) } else { (share, 1) };
        for k in 0..windows_here {
            let place = |k: u64| (u128::from(size) * u128::from(k) / u128::from(windows_here)) as u64;
            // One window in each of many files: not always at the beginning, which may be sorted or special.
            let is_one_of_many = num_files == NUM_WINDOWS && compression.is_none();
            let start = if is_one_of_many { size / num_files as u64 * turn as u64 } else { place(k) };
            windows.push(Window {
                file,
                start,
                end: if compression.is_some() { u64::MAX } else { place(k + 1) },
                max_records: u64::MAX,
                max_bytes: num_records.map_or(WINDOW_BYTES * windows_long, |_| u64::MAX),
            });
        }
    }
    let num_windows = windows.len().max(1) as u64;
    for window in &mut windows {
        window.max_records = num_records.map_or(u64::MAX, |wanted| wanted.div_ceil(num_windows));
    }
    windows
}

/// A stretch of a file in which no record begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blind {
    pub(super) start: u64,
    pub(super) num_bytes: u64,
}

/// What a window showed.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) num_records: u64,
    /// Bytes those records take in the file.
    pub(super) span_bytes: u64,
    /// Bytes of the longest of them, its frame included.
    pub(super) longest: u64,
    /// Windows in which no record began as far as was looked, and the first of them.
    pub(super) num_blind: u64,
    pub(super) blind: Option<Blind>,
    /// How many bytes of the file became how many uncompressed ones, of those that were read.
    pub(super) progress: (u64, u64),
    /// Bytes of the file read.
    pub(super) bytes_read: u64,
    /// Whether the window ended because the file did.
    pub(super) at_end: bool,
    /// Whether it ended because it could not be read on. What was seen then says nothing of the rest: a record too large
    /// for the memory stands behind it, or a disk that fails.
    pub(super) failed: bool,
    /// The first problem, and whether it was met in the middle of the file.
    error: Option<(Error, bool)>,
    pub(super) num_problems: u64,
}

impl Window {
    /// Reads the window, showing every `stride`-th record to `collector`.
    pub(super) fn read(
        &self,
        blob: &Arc<dyn Blob>,
        compression: Option<Compression>,
        stride: u64,
        collector: &mut Collector,
    ) -> Seen {
        let mut seen = Seen::default();
        let stream = match compression {
            Some(_) => ByteStream::new(Arc::clone(blob), compression),
            None => ByteStream::range(Arc::clone(blob), self.start, blob.size()),
        };
        let mut reader = RecordReader::over(stream, FrameReader::default().at(self.start, 0));
        if let Err(error) = self.read_into(&mut reader, stride, collector, &mut seen) {
            seen.note(error, self.start > 0);
            seen.failed = true;
        }
        seen.progress = reader.progress();
        seen.bytes_read = reader.file_offset() - self.start;
        seen
    }

    fn read_into(
        &self,
        reader: &mut RecordReader,
        stride: u64,
        collector: &mut Collector,
        seen: &mut Seen,
    ) -> Result<(), Error> {
        if self.start > 0 && !reader.seek_record(self.start.saturating_add(SEEK_BYTES))? {
            // Inside a huge record, or of none: what the other windows showed tells which.
            seen.num_blind = 1;
            seen.blind = Some(Blind { start: self.start, num_bytes: reader.file_offset() - self.start });
            return Ok(());
        }
        let is_whole = self.start == 0 && self.max_bytes == u64::MAX && self.max_records == u64::MAX;
        while !self.is_full(seen) && reader.offset() < self.end {
            match reader.next_chunk() {
                Ok(Some(chunk)) => {
                    let mut offset = chunk.first_offset;
                    for record in &chunk.records {
                        if self.is_full(seen) || offset >= self.end {
                            break;
                        }
                        if seen.num_records.is_multiple_of(stride) {
                            collector.observe(record);
                        }
                        let num_bytes = frame_bytes(record.len() as u64);
                        seen.num_records += 1;
                        seen.span_bytes += num_bytes;
                        seen.longest = seen.longest.max(num_bytes);
                        offset += num_bytes;
                    }
                }
                Ok(None) => {
                    seen.at_end = true;
                    break;
                }
                Err(error @ Error::Data { .. }) => {
                    seen.note(error, self.start > 0);
                    let limit = if is_whole { u64::MAX } else { reader.offset().saturating_add(SEEK_BYTES) };
                    // An error here is the one just noted: that of a compressed stream, which cannot be passed over.
                    if !reader.skip_damaged(limit).unwrap_or(false) {
                        break;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn is_full(&self, seen: &Seen) -> bool {
        seen.num_records >= self.max_records || seen.span_bytes >= self.max_bytes
    }
}

impl Seen {
    /// Adds what another window of the same file showed, further on.
    pub(super) fn add(&mut self, other: Seen) {
        self.num_records += other.num_records;
        self.span_bytes += other.span_bytes;
        self.longest = self.longest.max(other.longest);
        self.num_blind += other.num_blind;
        self.blind = self.blind.or(other.blind);
        self.progress = other.progress;
        self.bytes_read += other.bytes_read;
        self.at_end = other.at_end;
        self.failed |= other.failed;
        self.error = self.error.take().or(other.error);
        self.num_problems += other.num_problems;
    }

    fn note(&mut self, error: Error, in_middle: bool) {
        self.num_problems += 1;
        self.error.get_or_insert((error, in_middle));
    }

    /// The first problem of the file at `path`, now that all of it was seen that will be: whether there are records decides
    /// whether it is a damaged file or something else. In the middle of a file, nobody knows the number of a record.
    pub(super) fn problem(&self, path: &Path) -> Option<Problem> {
        let (error, in_middle) = self.error.as_ref()?;
        let problem = match error {
            Error::Data { path, error } => Problem::in_data(path, error, self.num_records > 0),
            error => Problem::new(path, error),
        };
        let record = problem.record.filter(|_| !in_middle);
        Some(Problem { record, ..problem })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_spread_over_files_and_positions() {
        let places = |windows: &[Window]| -> Vec<(usize, u64)> {
            windows.iter().map(|window| (window.file, window.start)).collect()
        };
        let one = spread(&[(2400, None)], None);
        assert_eq!(places(&one), (0..24).map(|k| (0, 100 * k)).collect::<Vec<_>>());
        assert!(one.windows(2).all(|pair| pair[0].end == pair[1].start) && one[23].end == 2400);

        let three = spread(&[(80, None), (0, None), (80, Some(Compression::Gzip)), (160, None)], Some(100));
        assert_eq!(
            three.chunk_by(|a, b| a.file == b.file).map(<[Window]>::len).collect::<Vec<_>>(),
            [8, 1, 12]
        );
        assert!(three.iter().all(|window| window.file != 1 && window.max_records == 100_u64.div_ceil(21)));

        let compressed = spread(&[(1000, Some(Compression::Gzip))], None);
        assert_eq!((compressed.len(), compressed[0].max_bytes), (1, 24 * WINDOW_BYTES));

        let many = spread(&vec![(1000, None); 1000], None);
        assert_eq!((many.len(), many[0].file, many[23].file), (24, 0, 999));
        assert!(many.windows(2).all(|pair| pair[0].file < pair[1].file && pair[0].start < pair[1].start));
        assert!(many.iter().all(|window| window.start < 1000));

        assert_eq!(spread(&[], None), []);
        assert_eq!(spread(&[(5, None)], Some(0))[0].max_records, 0);
    }
}
