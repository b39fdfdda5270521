//! Making the sidecar indexes of many files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use feedline_formats::example::RecordKind;
use feedline_formats::tfrecord::IndexBuilder;
use feedline_io::{AtomicFile, LocalStore, Store, modified_ns, shown};

use crate::error::{Error, Result};
use crate::parallel;
use crate::records::{content_check, detect_compression, index_path, load_index};
use crate::scan::{FileScan, ScanFile, ScanOptions, scan};

/// How to index.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// Threads to use, the caller's included.
    pub num_threads: usize,
    /// Whether to make an index again that is up to date.
    pub force: bool,
    /// Whether only to look: an index that is missing or stale is then an error of its file.
    pub check: bool,
}

/// What became of one file.
#[derive(Debug)]
pub struct IndexReport {
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    pub outcome: Result<IndexOutcome>,
}

/// An index that now lies beside its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexOutcome {
    /// Records of the file.
    pub num_records: u64,
    /// Whether it was made now; otherwise it was up to date.
    pub is_new: bool,
}

/// Bytes of files scanned before their indexes are written. Many small files share the threads, and what is done is on
/// disk if the command is stopped; the lengths kept meanwhile are a thousandth of this for all but tiny records.
const BATCH_BYTES: u64 = 4 << 30;

/// Makes the index of each of `paths` that has none, or a stale one; each appears complete or not at all.
///
/// Whether one is stale is told by the check in it, of the size and of parts of the contents ([`load_index`]); where the file was
/// written after its index, by reading all of the file.
///
/// Compressed files and damaged ones are errors of those files: the k-th record of the first cannot be read alone, and of
/// the second it is not known which one is the k-th. `progress` is called from any thread with the number of bytes
/// done, which add up to the sizes of all files; once `stop` is set no further file is indexed.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use feedline::index::{IndexOptions, index};
/// use feedline::records::{IndexedFile, RecordWriter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("data.tfrecord");
/// let mut writer = RecordWriter::create(&path, None)?;
/// for record in [b"first", b"other", b"third"] {
///     writer.write(record)?;
/// }
/// writer.finish()?;
///
/// let options = IndexOptions { num_threads: 2, force: false, check: false };
/// let reports = index(&[path.clone()], &options, &|_| {}, &AtomicBool::new(false));
/// assert_eq!(reports[0].outcome.as_ref().unwrap().num_records, 3);
///
/// let mut buffer = Vec::new();
/// assert_eq!(IndexedFile::open(&path)?.read(2, &mut buffer)?, Some(&b"third"[..]));
/// # Ok(())
/// # }
/// ```
pub fn index(
    paths: &[PathBuf],
    options: &IndexOptions,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Vec<IndexReport> {
    let states = parallel::map(options.num_threads, paths, |path| look_at(path, options));
    let mut reports: Vec<IndexReport> = Vec::with_capacity(paths.len());
    let mut needed = Vec::new();
    for (place, (path, (file_bytes, state))) in paths.iter().zip(states).enumerate() {
        let outcome = match state {
            Ok(State::UpToDate { num_records }) => Ok(IndexOutcome { num_records, is_new: false }),
            Ok(State::Needed { check, is_doubted }) => {
                needed.push(Needed { place, path: path.clone(), file_bytes, check, is_doubted });
                // Stands until the index is written.
                Err(stopped(path))
            }
            Err(error) => Err(error),
        };
        if needed.last().is_none_or(|last| last.place != place) {
            progress(file_bytes);
        }
        reports.push(IndexReport { path: path.clone(), outcome });
    }
    for batch in batches(&needed) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        for (needed, outcome) in batch.iter().zip(make(batch, options, progress, stop)) {
            reports[needed.place].outcome = outcome;
        }
    }
    reports
}

enum State {
    UpToDate { num_records: u64 },
    Needed { check: u32, is_doubted: bool },
}

struct Needed {
    /// Which of the files.
    place: usize,
    path: PathBuf,
    file_bytes: u64,
    /// Content check before the scan.
    check: u32,
    /// Whether an index is there that may be right.
    is_doubted: bool,
}

/// The size of a file, and whether it needs an index.
fn look_at(path: &Path, options: &IndexOptions) -> (u64, Result<State>) {
    let blob = match LocalStore.open(path) {
        Ok(blob) => blob,
        Err(error) => return (0, Err(error.into())),
    };
    let state = || {
        if let Some(compression) = detect_compression(&*blob)? {
            return Err(Error::Argument {
                message: format!(
                    "{}: the file is {compression}-compressed, so that no record can be read without those before it",
                    shown(path)
                ),
                hint: "`feedline convert --compression none` makes a copy that can be indexed".into(),
            });
        }
        let found = load_index(&*blob);
        match found {
            Ok(Some(_)) if !options.force && is_younger_than_its_index(path) => {
                Ok(State::Needed { check: content_check(&*blob)?, is_doubted: true })
            }
            Ok(Some(index)) if !options.force => Ok(State::UpToDate { num_records: index.len() }),
            Ok(None) if options.check => Err(Error::Argument {
                message: format!("{}: there is no index beside it", shown(path)),
                hint: format!("make one with `feedline index {}`", shown(path)),
            }),
            Err(error) if options.check => Err(error),
            // A stale one is replaced; one that cannot be read perhaps can, and otherwise writing says why not.
            _ => Ok(State::Needed { check: content_check(&*blob)?, is_doubted: false }),
        }
    };
    (blob.size(), state())
}

/// Whether the file was written after its index. Where a folder was copied that says nothing, so it is no verdict: only a reason
/// to read the file, for what changed between the windows of its check.
fn is_younger_than_its_index(path: &Path) -> bool {
    let written = |path: &Path| fs::metadata(path).map(|metadata| modified_ns(&metadata));
    matches!((written(path), written(&index_path(path))), (Ok(file), Ok(index)) if file > index)
}

fn stopped(path: &Path) -> Error {
    Error::Argument {
        message: format!("{}: not indexed, because the command was stopped", shown(path)),
        hint: "run the same command again; what is done is not done twice".into(),
    }
}

fn batches(needed: &[Needed]) -> Vec<&[Needed]> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (place, file) in needed.iter().enumerate() {
        bytes += file.file_bytes;
        if bytes >= BATCH_BYTES {
            batches.push(&needed[start..=place]);
            (start, bytes) = (place + 1, 0);
        }
    }
    if start < needed.len() {
        batches.push(&needed[start..]);
    }
    batches
}

fn make(
    batch: &[Needed],
    options: &IndexOptions,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Vec<Result<IndexOutcome>> {
    let files: Vec<ScanFile> =
        batch.iter().map(|needed| ScanFile { path: needed.path.clone(), kind: RecordKind::Bytes }).collect();
    let scan_options =
        ScanOptions { num_threads: options.num_threads, keep_lengths: true, ..ScanOptions::default() };
    let scans = scan(&files, &scan_options, progress, stop);
    if stop.load(Ordering::Relaxed) {
        return batch.iter().map(|needed| Err(stopped(&needed.path))).collect();
    }
    // The scans move into the threads that write, each once.
    let work: Vec<(&Needed, Mutex<Option<FileScan>>)> =
        batch.iter().zip(scans.into_iter().map(|scan| Mutex::new(Some(scan)))).collect();
    parallel::map(options.num_threads, &work, |(needed, scan)| {
        let scan = scan.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        scan.map_or_else(|| Err(stopped(&needed.path)), |scan| write(needed, scan, options.check))
    })
}

/// Writes the index of a file that was scanned; where there is one that may be right, compares it first, and with `only_check`
/// does nothing else.
fn write(needed: &Needed, scan: FileScan, only_check: bool) -> Result<IndexOutcome> {
    let path = &scan.path;
    if let Some(failure) = scan.failure {
        return Err(failure);
    }
    if let Some(error) = scan.errors.first() {
        let problem = crate::Problem::in_data(path, error, scan.num_records > 0);
        let others = match scan.num_errors {
            1 => String::new(),
            count => format!(" (and {} more bad records)", count - 1),
        };
        return Err(Error::Argument {
            message: format!("{problem}{others}; a damaged file is not indexed"),
            hint: format!("`feedline verify {}` lists every bad record", shown(path)),
        });
    }
    let blob = LocalStore.open(path)?;
    let check = content_check(&*blob)?;
    if (blob.size(), check) != (scan.file_bytes, needed.check) {
        return Err(Error::Argument {
            message: format!("{}: the file changed while it was indexed", shown(path)),
            hint: "wait until it is written, then run the same command again".into(),
        });
    }
    let num_records = scan.lengths.len() as u64;
    let mut builder = IndexBuilder::default();
    scan.lengths.iter().for_each(|&length| builder.push(u64::from(length)));
    let bytes = builder.finish(scan.file_bytes, check).map_err(|error| Error::data(path, error))?;
    if needed.is_doubted && fs::read(index_path(path)).is_ok_and(|there| there == bytes) {
        if !only_check {
            // So that the next run need not read the file again; it may all the same, where this fails.
            let index = fs::File::options().write(true).open(index_path(path));
            _ = index.and_then(|index| index.set_modified(SystemTime::now()));
        }
        return Ok(IndexOutcome { num_records, is_new: false });
    }
    if only_check {
        return Err(Error::Argument {
            message: format!(
                "{}: the file was changed after it was indexed, and its records are at other places now",
                shown(&index_path(path))
            ),
            hint: format!("make it again with `feedline index {}`", shown(path)),
        });
    }
    let mut file = AtomicFile::create(index_path(path))?;
    file.write_all(&bytes)?;
    file.commit()?;
    Ok(IndexOutcome { num_records, is_new: true })
}
