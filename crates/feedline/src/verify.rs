//! Whether files are intact: every checksum, and that every record parses.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use feedline_formats::Compression;
use feedline_formats::example::RecordKind;
use feedline_io::{LocalStore, Store};

use crate::error::Result;
use crate::parallel;
use crate::problem::Problem;
use crate::records::{guess_kind, index_path, load_index};
use crate::scan::{FileScan, ScanFile, ScanOptions, scan};

/// How to verify.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Threads to use, the caller's included.
    pub num_threads: usize,
    /// What records must be; `None` goes by the first records of each file.
    pub kind: Option<RecordKind>,
}

/// What was found in one file.
#[derive(Debug)]
pub struct FileVerification {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub file_bytes: u64,
    /// How it is compressed.
    pub compression: Option<Compression>,
    /// What its records were held to.
    pub kind: RecordKind,
    /// Intact records.
    pub num_records: u64,
    /// Whether an index that fits lies beside it.
    pub has_index: bool,
    /// What is wrong, in the order of the file; at most [`crate::scan::MAX_ERRORS`] of the bad records, and the index.
    pub problems: Vec<Problem>,
    /// How many problems there are in all.
    pub num_problems: u64,
}

/// Verifies `paths` on all threads and returns what was found in each, in order.
///
/// A file that cannot be read is a problem of that file. An index beside a file that is not of this state of it is
/// one, too. `progress` and `stop` are those of [`scan`].
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use feedline::records::RecordWriter;
/// use feedline::verify::{VerifyOptions, verify};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("data.tfrecord");
/// let mut writer = RecordWriter::create(&path, None)?;
/// writer.write(b"first")?;
/// writer.write(b"second")?;
/// writer.finish()?;
///
/// // Damage a byte of the second record.
/// let mut bytes = std::fs::read(&path)?;
/// bytes[35] ^= 1;
/// std::fs::write(&path, bytes)?;
///
/// let options = VerifyOptions { num_threads: 2, kind: None };
/// let found = verify(&[path], &options, &|_| {}, &AtomicBool::new(false)).remove(0);
/// assert_eq!((found.num_records, found.num_problems), (1, 1));
/// assert_eq!((found.problems[0].record, found.problems[0].byte), (Some(1), Some(21)));
/// # Ok(())
/// # }
/// ```
pub fn verify(
    paths: &[PathBuf],
    options: &VerifyOptions,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Vec<FileVerification> {
    let guesses = parallel::map(options.num_threads, paths, |path| {
        // A file that cannot be read is reported by the scan.
        options.kind.unwrap_or_else(|| guess_kind(path).unwrap_or(RecordKind::Bytes))
    });
    // Files verified together belong together: where some hold Examples, one that holds nothing of the kind is bad, not
    // a file of something else.
    let common =
        [RecordKind::SequenceExample, RecordKind::Example].into_iter().find(|kind| guesses.contains(kind));
    let held_to = |guess: RecordKind| match (options.kind, guess) {
        (None, RecordKind::Bytes) => common.unwrap_or(RecordKind::Bytes),
        _ => guess,
    };
    let files: Vec<ScanFile> = paths
        .iter()
        .zip(&guesses)
        .map(|(path, &guess)| ScanFile { path: path.clone(), kind: held_to(guess) })
        .collect();
    let scan_options = ScanOptions { num_threads: options.num_threads, ..ScanOptions::default() };
    let scans = scan(&files, &scan_options, progress, stop);
    let pairs: Vec<(FileScan, RecordKind)> =
        scans.into_iter().zip(files.iter().map(|file| file.kind)).collect();
    parallel::map(options.num_threads, &pairs, |(scan, kind)| report(scan, *kind))
}

fn report(scan: &FileScan, kind: RecordKind) -> FileVerification {
    let mut problems: Vec<Problem> =
        scan.errors.iter().map(|error| Problem::in_data(&scan.path, error, scan.num_records > 0)).collect();
    let mut num_problems = scan.num_errors;
    let mut add = |problem: Problem| {
        problems.push(problem);
        num_problems += 1;
    };
    let mut has_index = false;
    match &scan.failure {
        Some(failure) => add(Problem::new(&scan.path, failure)),
        None => match check_index(scan) {
            Ok(found) => has_index = found,
            Err(problem) => add(problem),
        },
    }
    FileVerification {
        path: scan.path.clone(),
        file_bytes: scan.file_bytes,
        compression: scan.compression,
        kind,
        num_records: scan.num_records,
        has_index,
        problems,
        num_problems,
    }
}

/// Whether there is an index; an error if it is of no use.
fn check_index(scan: &FileScan) -> Result<bool, Problem> {
    let path = index_path(&scan.path);
    let index = LocalStore.open(&scan.path).map_err(Into::into).and_then(|blob| load_index(&*blob));
    let Some(index) = index.map_err(|error| Problem::new(&path, &error))? else { return Ok(false) };
    if scan.num_errors == 0 && index.len() != scan.num_records {
        return Err(Problem {
            path,
            record: None,
            byte: None,
            reason: format!("the index has {} records, the file has {}", index.len(), scan.num_records),
            hint: Some("make it again with `feedline index --force`".into()),
        });
    }
    Ok(true)
}
