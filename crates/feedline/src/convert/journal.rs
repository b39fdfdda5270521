//! What a conversion has finished, kept beside its output, so that it can go on after a kill.
//!
//! A hidden file of JSON lines: the job, the plan, whether it replaces an earlier one, a line per finished shard, and a last
//! one when all is done. A shard's line is durable *before* the shard takes its final name. So a shard that is there
//! without a line is not ours, and a line whose shard is not there (or is another file by now, see `finished`) means that
//! the shard is made again. Were it the other way round, a shard could be there that nothing tells from a foreign file.
//!
//! A run with `--overwrite` says so in its journal, once what it replaces is gone. So the same command after a kill goes on
//! with it; after its end, or where another run has begun, the command begins anew.
//!
//! A line that a kill cut short is the last one; it is cut off, and what it was about is done again. The file is locked
//! while a conversion runs: two to one prefix would write into each other's set.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use feedline_io::{Error as IoError, ShardName};
use serde::{Deserialize, Serialize};

use super::bad_row::BadRow;
use super::image_change::{ImageChange, ImageCounts};
use super::input_state::InputState;
use super::options::{ColumnType, Format, Options, argument};
use super::outputs::Outputs;
use crate::error::{Error, Result};

/// Raised when the same input and options come to give other bytes, so that two halves never mix.
const VERSION: u32 = 1;

/// What is converted and how, as far as it decides the bytes that come out.
///
/// Not in it: the number of threads, and what is done about bad rows. A shard that was finished without a bad row is
/// the same either way, so `--on-error skip` goes on where a run without it has failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Job {
    version: u32,
    format: Format,
    shards: Option<u32>,
    compression: Option<String>,
    shuffle_seed: Option<u64>,
    columns: Option<Vec<String>>,
    types: Vec<(String, ColumnType)>,
    delimiter: Option<u8>,
    #[serde(default)]
    images: ImageChange,
    inputs: InputState,
}

impl Job {
    pub(super) fn new(options: &Options, format: Format, inputs: InputState) -> Job {
        let mut columns = options.columns.clone();
        columns.iter_mut().for_each(|columns| columns.sort_unstable());
        let mut types = options.types.clone();
        types.sort_unstable();
        Job {
            version: VERSION,
            format,
            shards: options.num_shards,
            compression: options.compression.map(|compression| compression.name().to_owned()),
            shuffle_seed: options.shuffle_seed,
            columns,
            types,
            delimiter: options.delimiter,
            images: options.images,
            inputs,
        }
    }

    pub(super) fn inputs(&self) -> &InputState {
        &self.inputs
    }

    /// What is different now from `before`, in words.
    fn differences(&self, before: &Job) -> Vec<String> {
        fn text<T: std::fmt::Debug>(value: Option<T>) -> String {
            value.map_or_else(|| "not given".to_owned(), |value| format!("{value:?}").replace('"', ""))
        }
        let given = |text: String| if text.is_empty() { "not given".to_owned() } else { text };
        let mut found = Vec::new();
        let mut compare = |what: &str, then: String, now: String| {
            if then != now {
                found.push(format!("{what}: {then} then, {now} now"));
            }
        };
        compare("feedline's output version", before.version.to_string(), self.version.to_string());
        compare("--from", before.format.to_string(), self.format.to_string());
        compare("--shards", text(before.shards), text(self.shards));
        compare("--compression", text(before.compression.as_ref()), text(self.compression.as_ref()));
        compare("--shuffle with seed", text(before.shuffle_seed), text(self.shuffle_seed));
        compare("--columns", text(before.columns.as_ref()), text(self.columns.as_ref()));
        let types = |job: &Job| {
            job.types
                .iter()
                .map(|(name, column_type)| format!("{name}={column_type}"))
                .collect::<Vec<_>>()
                .join(",")
        };
        compare("--types", given(types(before)), given(types(self)));
        compare("--delimiter", text(before.delimiter.map(char::from)), text(self.delimiter.map(char::from)));
        let (then, now) = (before.images, self.images);
        compare("--jpeg-restarts", then.restarts.to_string(), now.restarts.to_string());
        compare("--max-size", text(then.max_side), text(now.max_side));
        compare("--quality", text(then.quality), text(now.quality));
        found.extend(self.inputs.difference(&before.inputs));
        found
    }
}

/// How the rows are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) rows: u64,
    pub(super) shards: u32,
}

impl Plan {
    /// The output positions of a shard.
    pub(super) fn positions(&self, shard: u32) -> std::ops::Range<u64> {
        // Widened: rows times shards may not fit.
        let cut = |shard: u32| (u128::from(self.rows) * u128::from(shard) / u128::from(self.shards)) as u64;
        cut(shard)..cut(shard + 1)
    }
}

/// A shard that is finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ShardDone {
    pub(super) shard: u32,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// When the last of them was written, and the checksum of all: what tells the file from another of its size.
    pub(super) modified_ns: i64,
    pub(super) checksum: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) skipped: Vec<BadRow>,
    #[serde(default, skip_serializing_if = "ImageCounts::is_empty")]
    pub(super) images: ImageCounts,
}

/// What is known only of the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Done {
    pub(super) columns: Vec<(String, ColumnType)>,
    pub(super) classes: u64,
    pub(super) ignored_files: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Job(Job),
    Plan(Plan),
    /// The run replaces an earlier one.
    Overwrite(bool),
    Shard(ShardDone),
    Done(Done),
}

/// What a journal tells of an earlier run.
#[derive(Default)]
pub(super) struct Past {
    pub(super) job: Option<Job>,
    pub(super) plan: Option<Plan>,
    /// Whether that run replaced one before it.
    pub(super) overwrite: bool,
    pub(super) shards: BTreeMap<u32, ShardDone>,
    pub(super) done: Option<Done>,
}

impl Past {
    /// Whether it has finished this shard.
    pub(super) fn has(&self, outputs: &Outputs, shard: &ShardName) -> bool {
        self.plan.is_some_and(|plan| outputs.is_of_set(shard, plan.shards))
            && self.shards.contains_key(&(shard.index() as u32))
    }

    /// Whether it is of this very job.
    pub(super) fn is_of(&self, job: &Job) -> bool {
        self.job.as_ref().is_some_and(|before| job.differences(before).is_empty())
    }

    /// Whether it is a run of this job with `--overwrite` that has not come to its end.
    pub(super) fn is_overwriting(&self, job: &Job) -> bool {
        self.overwrite && self.done.is_none() && self.is_of(job)
    }

    /// Refuses to go on with another job's output.
    pub(super) fn check(&self, job: &Job, prefix: &Path) -> Result<()> {
        let Some(before) = &self.job else { return Ok(()) };
        let differences = job.differences(before);
        if differences.is_empty() {
            return Ok(());
        }
        let prefix = prefix.display();
        let message = format!("{prefix}: files of another conversion are there ({})", differences.join("; "));
        // That command cannot be repeated any more where its input is another by now.
        let hint = if job.inputs.difference(&before.inputs).is_some() {
            "choose another prefix, or pass `--overwrite` to replace them"
        } else {
            "repeat that command to finish it, choose another prefix, or pass `--overwrite` to replace them"
        };
        Err(argument(message, hint))
    }
}

/// The journal of a running conversion.
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Opens the journal at `path`, or makes an empty one, and locks it.
    pub(super) fn open(path: PathBuf) -> Result<(Journal, Past)> {
        let failed = |error| {
            let error = IoError::io(&path, "open the journal", error);
            let hint = "the folder must let files be made in it; give a prefix in another one";
            Error::from(error.or_hint(hint))
        };
        let mut file = loop {
            let options = &mut File::options();
            let file =
                options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    let message = format!("{}: another conversion to this prefix is running", path.display());
                    return Err(argument(message, "wait for it, stop it, or choose another prefix"));
                }
                // On a file system without locks nobody can tell; one user's two runs are the user's to avoid.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            // A run that ended just now may have removed the file between the two lines above.
            if file.metadata().map_err(failed)?.nlink() > 0 {
                break file;
            }
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let (past, valid) = read_lines(&text);
        if valid < text.len() {
            file.set_len(valid as u64).map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok((Journal { path, file: Mutex::new(file) }, past))
    }

    /// What the journal at `path` tells, if there is one; without locking it, so that it may change at any time.
    pub(super) fn peek(path: &Path) -> Result<Past> {
        match fs::read(path) {
            Ok(text) => Ok(read_lines(&text).0),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(Past::default())
            }
            Err(error) => Err(IoError::io(path, "read the journal", error).into()),
        }
    }

    /// Begins anew.
    pub(super) fn begin(&self, job: &Job, plan: Plan, overwrite: bool) -> Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let emptied = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0)));
        emptied.map_err(|error| self.failed(error))?;
        drop(file);
        self.append(&Line::Job(job.clone()))?;
        if overwrite {
            self.append(&Line::Overwrite(true))?;
        }
        // Last: without a plan nothing is gone on with.
        self.append(&Line::Plan(plan))
    }

    /// Notes that a shard is complete, before it takes its name.
    pub(super) fn shard(&self, shard: ShardDone) -> Result<()> {
        self.append(&Line::Shard(shard))
    }

    /// Notes that everything is.
    pub(super) fn done(&self, done: Done) -> Result<()> {
        self.append(&Line::Done(done))
    }

    fn append(&self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_vec(line).map_err(|error| self.failed(error.into()))?;
        text.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&text).and_then(|()| file.sync_data()).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: std::io::Error) -> Error {
        IoError::io(&self.path, "write the journal", error).into()
    }
}

impl Drop for Journal {
    /// A run that failed before it wrote anything leaves nothing behind.
    fn drop(&mut self) {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The lines of a journal up to the first that is not whole, and where that one begins.
fn read_lines(text: &[u8]) -> (Past, usize) {
    let (mut past, mut valid) = (Past::default(), 0);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let parsed = line.strip_suffix(b"\n").and_then(|line| serde_json::from_slice(line).ok());
        match parsed {
            Some(Line::Job(job)) => past.job = Some(job),
            Some(Line::Plan(plan)) => past.plan = Some(plan),
            Some(Line::Overwrite(overwrite)) => past.overwrite = overwrite,
            Some(Line::Shard(shard)) => _ = past.shards.insert(shard.shard, shard),
            Some(Line::Done(done)) => past.done = Some(done),
            None => break,
        }
        valid += line.len();
    }
    (past, valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_shard_and_shards_are_even() {
        for (rows, shards) in [(0, 1), (1, 1), (10, 3), (2, 5), (1_000_003, 64), (u64::MAX, 7)] {
            let plan = Plan { rows, shards };
            let mut next = 0;
            for shard in 0..shards {
                let positions = plan.positions(shard);
                assert_eq!(positions.start, next);
                let even = rows / u64::from(shards);
                assert!((even..=even + 1).contains(&(positions.end - positions.start)));
                next = positions.end;
            }
            assert_eq!(next, rows);
        }
    }

    #[test]
    fn a_line_cut_short_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".journal");
        let done = |shard| ShardDone {
            shard,
            rows: 5,
            bytes: 100,
            modified_ns: 1,
            checksum: 2,
            skipped: Vec::new(),
            images: ImageCounts::default(),
        };
        let (journal, past) = Journal::open(path.clone()).unwrap();
        assert!(past.job.is_none());
        journal.shard(done(0)).unwrap();
        journal.shard(done(1)).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for cut in first..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (journal, past) = Journal::open(path.clone()).unwrap();
            assert_eq!(past.shards.len(), 1, "cut at {cut}");
            journal.shard(done(1)).unwrap();
            drop(journal);
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn one_at_a_time_and_an_empty_one_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".journal");
        let first = Journal::open(path.clone()).unwrap();
        let error = Journal::open(path.clone()).err().unwrap().to_string();
        assert!(error.contains("another conversion") && error.contains("hint: "), "{error}");
        drop(first);
        assert!(!path.exists());
    }
}
