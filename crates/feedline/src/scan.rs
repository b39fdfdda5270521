//! Whole files on all cores: every record of every file looked at once.
//!
//! A file is cut into pieces without knowing where records begin. Each piece is scanned from the first place in it where
//! a valid record begins, which is a guess: a record may contain bytes that look like records. So the pieces are
//! stitched afterwards, in order. A piece counts only if it began where the one before it ended; otherwise it is
//! scanned again from there. The result is exactly that of reading from front to back, whatever the number of threads.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use feedline_formats::example::{self, RecordKind};
use feedline_formats::tfrecord::{Damage, FrameReader, ReadOptions, frame_bytes};
use feedline_formats::{Compression, Error as FormatError};
use feedline_io::{Blob, LocalStore, Store};

use crate::error::{Error, Result};
use crate::records::{ByteStream, OnDamage, RecordReader, detect_compression};

/// How to scan.
#[derive(Clone, Debug)]
pub struct ScanOptions {
    /// Threads to use, the caller's included.
    pub num_threads: usize,
    /// Whether to keep the length of every record (8 bytes each).
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
    /// The length of each record, if asked for.
    pub lengths: Vec<u64>,
    /// What is wrong with bad records, in order; at most [`MAX_ERRORS`] of them.
    pub errors: Vec<FormatError>,
    /// How many bad records there are in all.
    pub num_errors: u64,
    /// What was lost to damage between records.
    pub damage: Damage,
    /// Why the file could not be read to its end, if it could not.
    pub failure: Option<Error>,
}

/// The most errors kept for one file: a file that is no record file at all should not fill memory with messages.
pub const MAX_ERRORS: usize = 10_000;

/// Scans `files` and returns what was found in each, in order.
///
/// `progress` is called from any thread with the number of bytes of file just scanned; once `stop` is set the scan ends
/// early with whatever it has, which is then good for nothing but being dropped.
pub fn scan(
    files: &[ScanFile],
    options: &ScanOptions,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Vec<FileScan> {
    let mut opened: Vec<(FileScan, Option<Arc<dyn Blob>>)> = files.iter().map(open).collect();
    let pieces: Vec<Piece> = opened
        .iter()
        .enumerate()
        .flat_map(|(file, (scan, blob))| cut(file, scan, blob.is_some(), options.piece_bytes))
        .collect();
    let scanner = Scanner { files, opened: &opened, options, progress, stop };

    let results: Vec<Mutex<Option<Result<Found>>>> = pieces.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(index) else { break };
            let found = scanner.scan_piece(piece, None);
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.num_threads.min(pieces.len()) {
            scope.spawn(work);
        }
        work();
    });

    let mut stitched: Vec<Stitched> = files.iter().map(|_| Stitched::default()).collect();
    for (piece, result) in pieces.iter().zip(results) {
        if let Some(found) = result.into_inner().unwrap_or_else(PoisonError::into_inner) {
            stitched[piece.file].add(&scanner, piece, found);
        }
    }
    for ((scan, _), stitched) in opened.iter_mut().zip(stitched) {
        stitched.finish(scan);
    }
    opened.into_iter().map(|(scan, _)| scan).collect()
}

fn open(file: &ScanFile) -> (FileScan, Option<Arc<dyn Blob>>) {
    let mut scan = FileScan {
        path: file.path.clone(),
        file_bytes: 0,
        compression: None,
        num_records: 0,
        data_bytes: 0,
        lengths: Vec::new(),
        errors: Vec::new(),
        num_errors: 0,
        damage: Damage::default(),
        failure: None,
    };
    let opened = LocalStore.open(&file.path).map_err(Error::from).and_then(|blob| {
        scan.file_bytes = blob.size();
        scan.compression = detect_compression(&*blob)?;
        Ok(blob)
    });
    match opened {
        Ok(blob) => (scan, Some(blob)),
        Err(error) => {
            scan.failure = Some(error);
            (scan, None)
        }
    }
}

/// A part of a file for one thread: the records that begin in `range`.
struct Piece {
    file: usize,
    range: Range<u64>,
}

fn cut(file: usize, scan: &FileScan, is_open: bool, piece_bytes: u64) -> Vec<Piece> {
    if !is_open {
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
    lengths: Vec<u64>,
    /// Record numbers in these count from the piece's first.
    errors: Vec<FormatError>,
    num_errors: u64,
    /// Record numbers passed, bad ones included.
    num_numbers: u64,
    damage: Damage,
}

struct Scanner<'a> {
    files: &'a [ScanFile],
    opened: &'a [(FileScan, Option<Arc<dyn Blob>>)],
    options: &'a ScanOptions,
    progress: &'a (dyn Fn(u64) + Sync),
    stop: &'a AtomicBool,
}

impl Scanner<'_> {
    /// Scans the records that begin in `piece`: from `from` on if that is known, else from where one seems to begin.
    fn scan_piece(&self, piece: &Piece, from: Option<u64>) -> Result<Found> {
        let (file, blob) = &self.opened[piece.file];
        let blob = Arc::clone(blob.as_ref().expect("pieces are cut from open files"));
        let kind = self.files[piece.file].kind;
        let start = from.unwrap_or(piece.range.start);
        let size = blob.size();
        let stream = match file.compression {
            Some(_) => ByteStream::new(blob, file.compression),
            None => ByteStream::range(blob, start, size),
        };
        let frames = FrameReader::new(ReadOptions::default()).at(start, 0);
        let mut reader = RecordReader::over(stream, frames).on_damage(OnDamage::Skip);
        if from.is_none() && start > 0 {
            reader.seek_record()?;
        }
        let (skipped, mut reported) = (reader.damage(), 0);
        let mut found = Found { first: reader.offset(), next: reader.offset(), ..Found::default() };
        while reader.offset() < piece.range.end && !self.stop.load(Ordering::Relaxed) {
            let Some(chunk) = reader.next_chunk()? else {
                found.next = reader.offset();
                break;
            };
            let mut offset = chunk.first_offset;
            for (number, record) in (chunk.first_record..).zip(&chunk.records) {
                if offset >= piece.range.end {
                    break;
                }
                found.take(number, offset, record, kind, self.options.keep_lengths);
                offset += frame_bytes(record.len() as u64);
            }
            found.next = offset;
            let done = reader.file_offset().min(piece.range.end).saturating_sub(start);
            (self.progress)(done.saturating_sub(reported));
            reported = reported.max(done);
        }
        for error in reader.take_errors() {
            found.keep(error);
        }
        found.errors.sort_by_key(FormatError::record);
        found.num_numbers = found.num_records + found.num_errors;
        found.damage = Damage {
            regions: reader.damage().regions - skipped.regions,
            bytes: reader.damage().bytes - skipped.bytes,
        };
        Ok(found)
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
        if keep_lengths {
            self.lengths.push(record.len() as u64);
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
    fn add(&mut self, scanner: &Scanner<'_>, piece: &Piece, found: Result<Found>) {
        if self.failure.is_some() || self.expected >= piece.range.end {
            return; // a record that began before the piece covers all of it: what was found inside is that record's data
        }
        let found = match found {
            Ok(found) if found.first != self.expected => scanner.scan_piece(piece, Some(self.expected)),
            found => found,
        };
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                self.failure = Some(error);
                return;
            }
        };
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
        total.damage.regions += found.damage.regions;
        total.damage.bytes += found.damage.bytes;
        self.expected = found.next;
    }

    fn finish(self, scan: &mut FileScan) {
        scan.num_records = self.total.num_records;
        scan.data_bytes = self.total.data_bytes;
        scan.lengths = self.total.lengths;
        scan.errors = self.total.errors;
        scan.num_errors = self.total.num_errors;
        scan.damage = self.total.damage;
        scan.failure = scan.failure.take().or(self.failure);
    }
}
