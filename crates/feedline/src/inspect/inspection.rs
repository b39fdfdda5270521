//! Putting together what is known of a set of files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use feedline_formats::Compression;
use feedline_formats::example::RecordKind;
use feedline_io::{Blob, LocalStore, Store};

use super::count::{self, Count};
use super::sample::{Collector, RecordSample};
use super::windows::{Seen, Window, spread};
use crate::error::{Error, Result};
use crate::parallel;
use crate::problem::Problem;
use crate::records::{detect_compression, index_path, load_index};
use crate::scan::{ScanFile, ScanOptions, scan};

/// How to inspect.
#[derive(Clone, Debug)]
pub struct InspectOptions {
    /// Threads to use, the caller's included.
    pub num_threads: usize,
    /// Records to look at; `None` is as many as a few megabytes of file hold.
    pub sample: Option<u64>,
    /// Whether to count every record, however long that takes.
    pub exact: bool,
}

/// What is in a set of files.
#[derive(Debug)]
pub struct Inspection {
    /// Each file, in the order given.
    pub files: Vec<FileInspection>,
    /// What the records looked at hold, over all files.
    pub sample: RecordSample,
}

/// What is known of one file.
#[derive(Debug)]
pub struct FileInspection {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub file_bytes: u64,
    /// How it is compressed.
    pub compression: Option<Compression>,
    /// Its (valid) records.
    pub count: Count,
    /// Its index.
    pub index: IndexState,
    /// The first thing found wrong with it. Parts that were not read may hide more.
    pub problem: Option<Problem>,
    /// How many things were found wrong.
    pub num_problems: u64,
    /// A byte that was looked at from which on no record begins for much longer than any record looked at: damage, most likely,
    /// or records of quite another size. The number of records leaves such places out.
    pub blind_byte: Option<u64>,
}

/// Whether a file has an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// There is none.
    Missing,
    /// It is up to date.
    Valid,
    /// It is stale or damaged.
    Unusable(Problem),
}

/// Files of this many bytes together are read whole: that takes less than a second.
const SMALL_BYTES: u64 = 64 << 20;
/// What a compressed byte counts for: it is about four when inflated, and inflating is slow.
const COMPRESSED_WEIGHT: u64 = 4;
/// Of larger sets, files up to this size are still counted exactly, if they are small together.
const SMALL_FILE_BYTES: u64 = 16 << 20;
/// What is read of large files in order to look into records, unless a number of records was asked for. Where records are
/// huge, a few windows use it up.
const MAX_WINDOWS_BYTES: u64 = 32 << 20;
/// Records looked at of files that are read whole. To count records is fast, to look into them is not.
const MAX_LOOKED_AT: u64 = 50_000;
/// Records counted by their headers, each of which may cost a seek: a few seconds on the slowest disks.
const MAX_HEADERS: u64 = 500;

/// Looks into the files at `paths`.
///
/// Small files are read whole. Of large ones a few megabytes are read, at places spread over them, and the number of
/// records is that of the index or, without one, an estimate, unless `exact` is asked for. A file that cannot be read or is damaged is
/// a problem of that file; what can be said of it is said.
///
/// `progress` is called with bytes of file read in order to count, of which there are at most those of all files.
pub fn inspect(
    paths: &[PathBuf],
    options: &InspectOptions,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Inspection {
    let mut files = parallel::map(options.num_threads, paths, |path| look_at(path.as_path()));
    let weight = |file: &FileInspection| {
        file.file_bytes.saturating_mul(if file.compression.is_some() { COMPRESSED_WEIGHT } else { 1 })
    };
    let is_small = files.iter().map(weight).fold(0, u64::saturating_add) <= SMALL_BYTES;
    let mut collector = Collector::default();
    let is_whole = if is_small {
        read_whole(&mut files, options.sample.unwrap_or(MAX_LOOKED_AT), &mut collector)
    } else {
        let total = read_windows(&mut files, options.sample, &mut collector);
        let is_small_file = |file: &FileInspection| weight(file) <= SMALL_FILE_BYTES;
        let small_ones =
            files.iter().filter(|file| is_small_file(file)).map(weight).fold(0, u64::saturating_add);
        if options.exact {
            count_all(files.iter_mut(), options, progress, stop);
        } else {
            if small_ones <= SMALL_BYTES {
                count_all(files.iter_mut().filter(|file| is_small_file(file)), options, progress, stop);
            }
            estimate_rest(&mut files, &total);
        }
        false
    };
    let sample = collector.finish(is_whole);
    Inspection { files, sample }
}

/// Size, compression and index of a file.
fn look_at(path: &Path) -> FileInspection {
    let mut file = FileInspection {
        path: path.to_owned(),
        file_bytes: 0,
        compression: None,
        count: Count::Unknown,
        index: IndexState::Missing,
        problem: None,
        num_problems: 0,
        blind_byte: None,
    };
    let mut looked = || -> Result<Arc<dyn Blob>> {
        let blob = LocalStore.open(path)?;
        file.compression = detect_compression(&*blob)?;
        file.file_bytes = blob.size();
        Ok(blob)
    };
    match looked() {
        Ok(blob) => {
            let size = blob.size();
            match load_index(&*blob) {
                Ok(Some(index)) => {
                    file.index = IndexState::Valid;
                    file.count = Count::Exact(index.len());
                }
                Ok(None) if size == 0 => file.count = Count::Exact(0),
                Ok(None) => {}
                Err(error) => file.index = IndexState::Unusable(Problem::new(&index_path(path), &error)),
            }
        }
        Err(error) => file.note(Some(Problem::new(path, &error)), 1),
    }
    file
}

impl FileInspection {
    fn note(&mut self, problem: Option<Problem>, num_problems: u64) {
        self.num_problems += num_problems;
        self.problem = self.problem.take().or(problem);
    }

    fn note_error(&mut self, error: &Error) {
        self.note(Some(Problem::new(&self.path, error)), 1);
    }

    /// Takes note of the number of its (valid) records. An index that says otherwise is of another file, unless damage is why.
    fn counted(&mut self, num_records: u64) {
        if let (IndexState::Valid, Count::Exact(in_index), 0) = (&self.index, self.count, self.num_problems)
            && in_index != num_records
        {
            let path = index_path(&self.path);
            let reason = format!("the index has {in_index} records, the file {num_records}");
            let hint = Some("make it again with `feedline index --force`".into());
            self.index = IndexState::Unusable(Problem { path, record: None, byte: None, reason, hint });
        }
        self.count = Count::Exact(num_records);
        self.blind_byte = None;
    }

    fn open(&mut self) -> Option<Arc<dyn Blob>> {
        // A file that could not be looked at has its problem already.
        if self.problem.is_some() && self.file_bytes == 0 {
            return None;
        }
        match LocalStore.open(&self.path) {
            Ok(blob) => Some(blob),
            Err(error) => {
                self.note_error(&error.into());
                None
            }
        }
    }
}

/// Reads every record and looks at `max_records` of them; returns whether it looked at all.
fn read_whole(files: &mut [FileInspection], max_records: u64, collector: &mut Collector) -> bool {
    let stride = stride(files, max_records);
    let mut num_records = 0;
    let mut is_complete = true;
    for (place, file) in files.iter_mut().enumerate() {
        let Some(blob) = file.open() else {
            is_complete = false;
            continue;
        };
        let window =
            Window { file: place, start: 0, end: u64::MAX, max_records: u64::MAX, max_bytes: u64::MAX };
        let seen = window.read(&blob, file.compression, stride, collector);
        num_records += seen.num_records;
        is_complete &= seen.num_problems == 0;
        file.note(seen.problem(&file.path), seen.num_problems);
        file.counted(seen.num_records);
    }
    is_complete && num_records == collector.num_records()
}

/// Every how manieth record to look at for about `max_records` in all, going by the first records of the first file.
fn stride(files: &[FileInspection], max_records: u64) -> u64 {
    let total: u64 = files.iter().map(|file| file.file_bytes).sum();
    let Some(file) = files.iter().find(|file| file.file_bytes > 0) else { return 1 };
    let Ok(blob) = LocalStore.open(&file.path) else { return 1 };
    let window = Window { file: 0, start: 0, end: u64::MAX, max_records: 1000, max_bytes: 1 << 20 };
    let seen = window.read(&blob, file.compression, 1, &mut Collector::default());
    let estimated = extrapolate(&seen, file.compression, total).unwrap_or(0);
    estimated.div_ceil(max_records.max(1)).max(1)
}

/// Reads windows of the files and returns what the ones in uncompressed files showed together.
fn read_windows(files: &mut [FileInspection], num_records: Option<u64>, collector: &mut Collector) -> Seen {
    let sizes: Vec<(u64, Option<Compression>)> =
        files.iter().map(|file| (file.file_bytes, file.compression)).collect();
    let windows = spread(&sizes, num_records);
    let mut seen_in_files = Vec::new();
    let mut bytes_read = 0;
    for windows in windows.chunk_by(|a, b| a.file == b.file) {
        let file = &mut files[windows[0].file];
        let Some(blob) = file.open() else { continue };
        let (mut here, mut num_windows) = (Seen::default(), 0);
        for window in windows {
            // One in each file all the same: what is in it may be like nothing in the others.
            if num_records.is_none() && bytes_read > MAX_WINDOWS_BYTES && num_windows > 0 {
                break;
            }
            num_windows += 1;
            let mut seen = window.read(&blob, file.compression, 1, collector);
            bytes_read += seen.bytes_read;
            // Only a window that is the whole file tells its end.
            seen.at_end &= windows.len() == 1 && window.start == 0 && seen.num_problems == 0;
            here.add(seen);
        }
        seen_in_files.push((windows[0].file, num_windows, here));
    }
    let longest = seen_in_files.iter().map(|(_, _, here)| here.longest).max().unwrap_or(0);
    let mut total = Seen::default();
    for (place, num_windows, here) in seen_in_files {
        let file = &mut files[place];
        file.note(here.problem(&file.path), here.num_problems);
        if here.failed {
            continue;
        }
        // Among records that long, a window may well lie within one; twice as far, something is wrong.
        let blind = here.blind.filter(|blind| blind.num_bytes > 2 * longest);
        file.blind_byte = blind.map(|blind| blind.start);
        if blind.is_some() && 2 * here.num_blind > num_windows {
            continue; // what the others showed says nothing of the rest
        }
        let num_seeing = if blind.is_some() { num_windows - here.num_blind } else { num_windows };
        if file.count == Count::Unknown {
            let file_bytes =
                (u128::from(file.file_bytes) * u128::from(num_seeing) / u128::from(num_windows)) as u64;
            file.count = match extrapolate(&here, file.compression, file_bytes) {
                _ if here.at_end => Count::Exact(here.num_records),
                Some(number) => Count::Estimated(number),
                None => Count::Unknown,
            };
        }
        if file.compression.is_none() {
            total.num_records += here.num_records;
            total.span_bytes += here.span_bytes;
        }
    }
    total
}

/// Records in `file_bytes`, if all are like those of the window.
fn extrapolate(seen: &Seen, compression: Option<Compression>, file_bytes: u64) -> Option<u64> {
    // A window ends with the record that fills it, so the mean over windows is the mean over records (Wald).
    let span = match (compression, seen.progress) {
        // What records take in the file is the share of theirs in the bytes inflated so far, which end further on.
        (Some(_), (taken, made)) => seen.span_bytes as f64 * taken as f64 / made.max(1) as f64,
        (None, _) => seen.span_bytes as f64,
    };
    (seen.num_records > 0 && span > 0.0)
        .then(|| (file_bytes as f64 * seen.num_records as f64 / span).round() as u64)
}

/// Counts every record of the files; unless `exact` is asked for, of those whose number is not known, by an index or
/// otherwise.
fn count_all<'a>(
    files: impl Iterator<Item = &'a mut FileInspection>,
    options: &InspectOptions,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) {
    let mut unknown: Vec<&mut FileInspection> =
        files.filter(|file| options.exact || !file.count.is_exact()).collect();
    let to_scan: Vec<ScanFile> =
        unknown.iter().map(|file| ScanFile { path: file.path.clone(), kind: RecordKind::Bytes }).collect();
    let scan_options = ScanOptions { num_threads: options.num_threads, ..ScanOptions::default() };
    for (file, scan) in unknown.iter_mut().zip(scan(&to_scan, &scan_options, progress, stop)) {
        let failed = u64::from(scan.failure.is_some());
        let first =
            scan.errors.first().map(|error| Problem::in_data(&scan.path, error, scan.num_records > 0));
        let first = first.or_else(|| scan.failure.as_ref().map(|error| Problem::new(&scan.path, error)));
        // The scan saw all that the windows saw.
        (file.problem, file.num_problems) =
            (first.or(file.problem.take()), (scan.num_errors + failed).max(file.num_problems));
        if failed == 0 || scan.num_records > 0 {
            file.counted(scan.num_records);
        } else {
            file.count = Count::Unknown;
        }
    }
}

/// Estimates the files in which there was no window from those in which there was; where that makes few records,
/// counts them instead.
fn estimate_rest(files: &mut [FileInspection], total: &Seen) {
    let is_unseen = |file: &&mut FileInspection| {
        file.count == Count::Unknown && file.compression.is_none() && file.blind_byte.is_none()
    };
    for file in files.iter_mut().filter(is_unseen) {
        if let Some(number) = extrapolate(total, None, file.file_bytes) {
            file.count = Count::Estimated(number);
        }
    }
    let uncounted = |file: &&mut FileInspection| !file.count.is_exact() && file.compression.is_none();
    let estimated: u64 = files.iter_mut().filter(uncounted).filter_map(|file| file.count.number()).sum();
    if estimated > MAX_HEADERS {
        return;
    }
    let mut remaining = 2 * MAX_HEADERS;
    for file in files.iter_mut().filter(uncounted) {
        let Some(blob) = file.open() else { continue };
        if let Ok(Some(number)) = count::by_headers(&*blob, remaining) {
            file.counted(number);
            remaining -= number;
        }
    }
}
