//! Whether files are intact: every checksum, and that every record parses.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use feedline_formats::example::RecordKind;
use feedline_formats::tfrecord::{Damage, RecordIndex, frame_bytes};
use feedline_formats::{Compression, Error as FormatError, ErrorKind};
use feedline_io::{LocalStore, Store};

use crate::error::Result;
use crate::parallel;
use crate::place_sum::PlaceSum;
use crate::problem::Problem;
use crate::records::{RecordReader, guess_kind, index_path, load_index};
use crate::scan::{FileScan, ScanFile, ScanOptions, scan};

/// How to verify.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Threads to use, the caller's included.
    pub num_threads: usize,
    /// What records must be. `None` is `SequenceExample`s where the first records of a file are, else Examples: records that are
    /// neither are bad unless [`RecordKind::Bytes`] says that they may be anything.
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
    /// What was lost to damage; [`Damage::lost_records`] says whether the number of records is known or a lower bound.
    pub damage: Damage,
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
/// use feedline::formats::example::RecordKind;
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
/// let options = VerifyOptions { num_threads: 2, kind: Some(RecordKind::Bytes) };
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
    // Files verified together belong together: where some hold SequenceExamples, one that seems to hold neither is held to
    // that, too. Nothing is let through for looking like nothing known: a file all of whose records are broken does.
    let has_sequences = guesses.contains(&RecordKind::SequenceExample);
    let common = if has_sequences { RecordKind::SequenceExample } else { RecordKind::Example };
    let held_to = |guess: RecordKind| match (options.kind, guess) {
        (None, RecordKind::Bytes) => common,
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

const OF_ANOTHER_KIND: &str = "the record passed its checksum, so it was written like this; if it is meant to be something \
                               else, say so: `--records sequence`, or `--records bytes` for checksums alone";

fn report(scan: &FileScan, kind: RecordKind) -> FileVerification {
    let problem = |error: &FormatError| {
        let mut problem = Problem::in_data(&scan.path, error, scan.num_records > 0);
        if matches!(error.kind(), ErrorKind::Wire { .. }) {
            problem.hint = Some(OF_ANOTHER_KIND.into());
        }
        problem
    };
    let mut problems: Vec<Problem> = scan.errors.iter().map(problem).collect();
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
        damage: scan.damage,
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
    // Where there is damage it is not known which records the index should have.
    if scan.damage.regions > 0 {
        return Ok(true);
    }
    // Size and sampled content fit, or it would not have been loaded; a file rewritten between the samples is left.
    let starts = index.places_from(0).map(|place| place.start);
    if starts.collect::<PlaceSum>() == scan.place_sum {
        return Ok(true);
    }
    let (record, byte, reason) = match first_difference(&scan.path, &index) {
        Ok(Some(Difference { record, in_index, in_file })) => {
            let at = |byte: Option<u64>| byte.map_or("nowhere".to_owned(), |byte| format!("at byte {byte}"));
            let reason = format!("the index has the record {}, the file {}", at(in_index), at(in_file));
            (Some(record), in_file, reason)
        }
        // The file changes meanwhile.
        _ => (None, None, "the index has the records in other places than the file".to_owned()),
    };
    let hint = Some("make it again with `feedline index --force`".into());
    Err(Problem { path, record, byte, reason, hint })
}

/// A record that is not where the index has it.
struct Difference {
    record: u64,
    in_index: Option<u64>,
    in_file: Option<u64>,
}

/// The first record whose place differs, found by reading up to there: what a stale index costs, and no other.
fn first_difference(path: &Path, index: &RecordIndex) -> Result<Option<Difference>> {
    let mut reader = RecordReader::open(path)?;
    let mut places = index.places_from(0).map(|place| place.start);
    let mut record = 0;
    while let Some(chunk) = reader.next_chunk()? {
        let mut start = chunk.first_offset;
        for data in &chunk.records {
            let in_index = places.next();
            if in_index != Some(start) {
                return Ok(Some(Difference { record, in_index, in_file: Some(start) }));
            }
            start += frame_bytes(data.len() as u64);
            record += 1;
        }
    }
    Ok(places.next().map(|start| Difference { record, in_index: Some(start), in_file: None }))
}
