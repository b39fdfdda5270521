//! Whole files on all cores: every record of every file looked at once.
//!
//! A file is cut into pieces without knowing where records begin. Each piece is scanned from the first place in it where
//! a valid record begins, which is a guess: a record may contain bytes that look like records. So the pieces are
//! stitched afterwards, in order. A piece counts only if it began where the one before it ended; otherwise it is
//! scanned again from there. The result is exactly that of reading from front to back, whatever the number of threads.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use feedline_formats::example::{self, RecordKind};
use feedline_formats::tfrecord::{Damage, FrameReader, ReadOptions, frame_bytes};
use feedline_formats::{Compression, Error as FormatError};
use feedline_io::{Blob, LocalStore, Store};

use crate::error::{Error, Result};
use crate::parallel;
use crate::place_sum::PlaceSum;
use crate::records::{ByteStream, OnDamage, RecordReader, detect_compression};

/// How to scan.
#[derive(Clone, Debug)]
pub struct ScanOptions {
    /// Threads to use, the caller's included.
    pub num_threads: usize,
    /// Whether to keep the length of every record (4 bytes each).
    pub keep_lengths: bool,
    /// Bytes of a file that one thread takes at a time.
    pub piece_bytes: u64,
}

impl Default for ScanOptions {
    fn default() -> Self {
        ScanOptions {
            num_threads: std::thread::available_parallelism().map_or(1, usize::from),
            keep_lengths: false,
            // Small enough that two cores finish together, large enough that reading past the end of a piece
            // (a record at most) does not matter.
            piece_bytes: 32 << 20,
        }
    }
}

/// A file to scan.
#[derive(Clone, Debug)]
pub struct ScanFile {
    /// Where it is.
    pub path: PathBuf,
    /// What its records must be; anything will do for [`RecordKind::Bytes`].
    pub kind: RecordKind,
}

/// What was found in one file.
#[derive(Debug)]
pub struct FileScan {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub file_bytes: u64,
    /// How it is compressed.
    pub compression: Option<Compression>,
    /// Valid records.
    pub num_records: u64,
    /// Bytes of their data.
    pub data_bytes: u64,
    /// The length of each record with valid checksums, if asked for.
    pub lengths: Vec<u32>,
    /// Where the records with valid checksums begin.
    pub(crate) place_sum: PlaceSum,
    /// What is wrong with bad records, in order; at most [`MAX_ERRORS`] of them.
    pub errors: Vec<FormatError>,
    /// How many bad records there are in all.
    pub num_errors: u64,
    /// What was lost to damage between records.
    pub damage: Damage,
    /// Why the file could not be read to its end, if it could not; what was found before that is counted.
    pub failure: Option<Error>,
}

/// The most errors kept for one file: a file that is no record file at all should not fill memory with messages.
pub const MAX_ERRORS: usize = 1_000_000;

/// Scans `files` and returns what was found in each, in order.
///
/// `progress` is called from any thread with the number of bytes of file just scanned, which add up to the sizes of
/// the files that can be read; once `stop` is set the scan ends early with whatever it has, which is then good for
/// nothing but being dropped. Few files are open at a time, however many there are.
pub fn scan(
    files: &[ScanFile],
    options: &ScanOptions,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Vec<FileScan> {
    let mut scans: Vec<FileScan> = parallel::map(options.num_threads, files, look_at);
    let pieces: Vec<Piece> =
        scans.iter().enumerate().flat_map(|(file, scan)| cut(file, scan, options.piece_bytes)).collect();
    let scanner = Scanner { files, scans: &scans, options, progress, stop };
    let found = parallel::map(options.num_threads, &pieces, |piece| scanner.scan_piece(piece, None));

    let mut stitched: Vec<Stitched> = files.iter().map(|_| Stitched::default()).collect();
    for (piece, found) in pieces.iter().zip(found) {
        stitched[piece.file].add(&scanner, piece, found);
    }
    for (scan, stitched) in scans.iter_mut().zip(stitched) {
        stitched.finish(scan);
    }
    scans
}

/// Size and compression of a file; nothing of it is scanned if they cannot be had.
fn look_at(file: &ScanFile) -> FileScan {
    let mut scan = FileScan {
        path: file.path.clone(),
        file_bytes: 0,
        compression: None,
        num_records: 0,
        data_bytes: 0,
        lengths: Vec::new(),
        place_sum: PlaceSum::default(),
        errors: Vec::new(),
        num_errors: 0,
        damage: Damage::default(),
        failure: None,
    };
    let looked = LocalStore.open(&file.path).map_err(Error::from).and_then(|blob| {
        scan.compression = detect_compression(&*blob)?;
        scan.file_bytes = blob.size();
        Ok(())
    });
    scan.failure = looked.err();
    scan
}

/// Opens the file again for a piece of it: with a thousand files, holding all of them open would meet the limit of most
/// systems.
fn open_again(scan: &FileScan) -> Result<Arc<dyn Blob>> {
    let blob = LocalStore.open(&scan.path)?;
    if blob.size() == scan.file_bytes {
        return Ok(blob);
    }
    let found =
        format!("the file had {} bytes when the scan began and has {} now", scan.file_bytes, blob.size());
    let error = feedline_io::Error::new(feedline_io::ErrorKind::Other, &scan.path, "scan", found);
    Err(error.with_hint("wait until it is written, then run the same command again").into())
}

/// A part of a file for one thread: the records that begin in `range`.
struct Piece {
    file: usize,
    range: Range<u64>,
}

fn cut(file: usize, scan: &FileScan, piece_bytes: u64) -> Vec<Piece> {
    if scan.failure.is_some() {
        return Vec::new();
    }
    if scan.compression.is_some() {
        // Offsets in the uncompressed bytes, of which nobody knows the number.
        return vec![Piece { file, range: 0..u64::MAX }];
    }
    let size = scan.file_bytes;
    let starts = (0..size).step_by(usize::try_from(piece_bytes.max(1)).unwrap_or(usize::MAX));
    starts.map(|start| Piece { file, range: start..size.min(start.saturating_add(piece_bytes)) }).collect()
}

/// What one thread found in one piece.
#[derive(Default)]
struct Found {
    /// Where the first record begins, or the end of the file.
    first: u64,
    /// Where the first record behind the piece begins, as far as this piece can tell.
    next: u64,
    num_records: u64,
    data_bytes: u64,
    lengths: Vec<u32>,
    place_sum: PlaceSum,
    /// Record numbers in these count from the piece's first.
    errors: Vec<FormatError>,
    num_errors: u64,
    /// Record numbers passed, bad ones included.
    num_numbers: u64,
    damage: Damage,
    /// Why the file could not be read on from `next`.
    failure: Option<Error>,
}

struct Scanner<'a> {
    files: &'a [ScanFile],
    scans: &'a [FileScan],
    options: &'a ScanOptions,
    progress: &'a (dyn Fn(u64) + Sync),
    stop: &'a AtomicBool,
}

impl Scanner<'_> {
    /// Scans the records that begin in `piece`: from `from` on if that is known, else from where one seems to begin.
    fn scan_piece(&self, piece: &Piece, from: Option<u64>) -> Found {
        let mut found = Found::default();
        if self.stop.load(Ordering::Relaxed) {
            return found;
        }
        let file_bytes = self.scans[piece.file].file_bytes;
        let mut progress = PieceProgress {
            report: self.progress,
            first: piece.range.start,
            // A piece scanned a second time has been reported before.
            remaining: if from.is_some() { 0 } else { piece.range.end.min(file_bytes) - piece.range.start },
        };
        found.failure = self.scan_records(piece, from, &mut found, &mut progress).err();
        // Of a chunk, what is wrong inside its records was noted before the damage in front of it.
        found.errors.sort_by_key(FormatError::record);
        found.num_numbers = found.num_records + found.num_errors;
        progress.finish();
        found
    }

    fn scan_records(
        &self,
        piece: &Piece,
        from: Option<u64>,
        found: &mut Found,
        progress: &mut PieceProgress<'_>,
    ) -> Result<()> {
        let scan = &self.scans[piece.file];
        let start = from.unwrap_or(piece.range.start);
        (found.first, found.next) = (start, start);
        let stream = match scan.compression {
            Some(_) => ByteStream::new(open_again(scan)?, scan.compression),
            None => ByteStream::range(open_again(scan)?, start, scan.file_bytes),
        };
        let frames = FrameReader::new(ReadOptions::default()).at(start, 0);
        let mut reader = RecordReader::over(stream, frames).on_damage(OnDamage::Skip);
        if from.is_none() && start > 0 {
            // No further than the piece: inside one huge record, every piece would read to the end of the file.
            reader.seek_record(piece.range.end)?;
            (found.first, found.next) = (reader.offset(), reader.offset());
        }
        let skipped = reader.damage();
        let result = self.take_chunks(piece, &mut reader, found, progress);
        for error in reader.take_errors() {
            found.keep(error);
        }
        found.damage = reader.damage() - skipped;
        result
    }

    fn take_chunks(
        &self,
        piece: &Piece,
        reader: &mut RecordReader,
        found: &mut Found,
        progress: &mut PieceProgress<'_>,
    ) -> Result<()> {
        let kind = self.files[piece.file].kind;
        while reader.offset() < piece.range.end && !self.stop.load(Ordering::Relaxed) {
            let Some(chunk) = reader.next_chunk()? else {
                found.next = reader.offset();
                break;
            };
            let (first_record, mut offset) = (chunk.first_record, chunk.first_offset);
            for (number, record) in (first_record..).zip(&chunk.records) {
                if offset >= piece.range.end {
                    break;
                }
                found.take(number, offset, record, kind, self.options.keep_lengths);
                offset += frame_bytes(record.len() as u64);
            }
            found.next = offset;
            for error in reader.take_errors() {
                found.keep(error);
            }
            progress.at(reader.file_offset());
        }
        Ok(())
    }
}

/// Reports the bytes of a piece, each once.
struct PieceProgress<'a> {
    report: &'a (dyn Fn(u64) + Sync),
    /// The first byte not reported.
    first: u64,
    remaining: u64,
}

impl PieceProgress<'_> {
    fn at(&mut self, offset: u64) {
        let done = offset.saturating_sub(self.first).min(self.remaining);
        if done > 0 {
            self.first += done;
            self.remaining -= done;
            (self.report)(done);
        }
    }

    fn finish(&mut self) {
        self.at(u64::MAX);
    }
}

impl Found {
    fn take(&mut self, number: u64, offset: u64, record: &[u8], kind: RecordKind, keep_lengths: bool) {
        let valid = match kind {
            RecordKind::Example => example::is_valid_example(record),
            RecordKind::SequenceExample => example::is_valid_sequence_example(record),
            RecordKind::Bytes => Ok(()),
        };
        match valid {
            Ok(()) => {
                self.num_records += 1;
                self.data_bytes += record.len() as u64;
            }
            Err(error) => self.keep(error.in_record(number).at_byte(offset)),
        }
        self.place_sum.add(offset);
        if keep_lengths {
            // Longer ones are errors of framing, by `ReadOptions`.
            self.lengths.push(record.len() as u32);
        }
    }

    fn keep(&mut self, error: FormatError) {
        self.num_errors += 1;
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }
}

/// The pieces of one file put together.
#[derive(Default)]
struct Stitched {
    /// Where the next piece must begin.
    expected: u64,
    total: Found,
    failure: Option<Error>,
}

impl Stitched {
    fn add(&mut self, scanner: &Scanner<'_>, piece: &Piece, mut found: Found) {
        if self.failure.is_some() || self.expected >= piece.range.end {
            return; // a record that began before the piece covers all of it: what was found inside is that record's data
        }
        if found.first != self.expected {
            found = scanner.scan_piece(piece, Some(self.expected));
        }
        self.failure = found.failure;
        let total = &mut self.total;
        let base = total.num_numbers;
        let room = MAX_ERRORS - total.errors.len();
        let renumbered = found.errors.into_iter().map(|error| {
            let record = error.record().unwrap_or(0);
            error.in_record(base + record)
        });
        total.errors.extend(renumbered.take(room));
        total.num_errors += found.num_errors;
        total.num_numbers += found.num_numbers;
        total.num_records += found.num_records;
        total.data_bytes += found.data_bytes;
        total.lengths.extend(found.lengths);
        total.place_sum.join(found.place_sum);
        total.damage += found.damage;
        self.expected = found.next;
    }

    fn finish(self, scan: &mut FileScan) {
        scan.num_records = self.total.num_records;
        scan.data_bytes = self.total.data_bytes;
        scan.lengths = self.total.lengths;
        scan.place_sum = self.total.place_sum;
        scan.errors = self.total.errors;
        scan.num_errors = self.total.num_errors;
        scan.damage = self.total.damage;
        scan.failure = scan.failure.take().or(self.failure);
    }
}
