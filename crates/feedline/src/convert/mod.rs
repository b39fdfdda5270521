//! Making TFRecord files of image folders, CSV, JSON lines or other TFRecord files.
//!
//! Same input and options, same bytes, whatever the number of threads and however often the run was killed and begun
//! again. Every row has a position by its place in the input; shard k of N holds the positions from `k*rows/N` up to
//! `(k+1)*rows/N`, of the input order or of a shuffled one. A row that is skipped leaves a hole and moves no other. Where
//! nobody can tell how many rows were lost, what was lost in one piece holds one position (`loss`).
//!
//! | module | what is in it |
//! | --- | --- |
//! | `options` | what to convert and how |
//! | `inputs`, `input_state`, `image_folder` | finding the input, and telling whether it has changed |
//! | `stage`, `packed` | making files readable at any place, compressed ones too; telling those that are not read |
//! | `split`, `places`, `row_files` | where rows begin, and reading them in any order |
//! | `source`, `row_source` | what all inputs are to the converter; what those made of rows of files share |
//! | `csv_source`, `csv_header`, `json_source`, `json_columns`, `image_folder`, `record_source` | rows as records |
//! | `columns` | the features of one row |
//! | `order` | the shuffle |
//! | `driver` | groups of rows on all threads, written in order (`README.md`) |
//! | `journal`, `finished`, `outputs` | what is finished and still there, and the names of files |
//! | `bad_row`, `loss` | a row that cannot be converted; rows that cannot even be counted |
//! | `summary` | what came of it |
//!
//! ```
//! use feedline::convert::{Options, convert};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = |name: &str| folder.path().join(name).display().to_string();
//! std::fs::write(path("flowers.csv"), "petal,name\n1.5,iris\n0.5,rose\n")?;
//!
//! let summary = convert(&Options::new([path("flowers.csv")], path("train")), &())?;
//! assert_eq!((summary.rows, summary.num_shards), (2, 1));
//! assert!(folder.path().join("train-00000-of-00001.tfrecord").exists());
//! # Ok(())
//! # }
//! ```

mod bad_row;
mod columns;
mod csv_header;
mod csv_source;
mod driver;
#[cfg(test)]
mod failing_blob;
mod finished;
mod image_change;
mod image_folder;
mod input_state;
mod inputs;
mod journal;
mod json_columns;
mod json_source;
mod loss;
mod options;
mod order;
mod outputs;
mod packed;
mod parallel;
mod places;
mod record_source;
mod row_files;
mod row_source;
mod source;
mod split;
mod stage;
mod summary;

pub use bad_row::BadRow;
pub use image_change::{ImageChange, ImageCounts};
pub use options::{ColumnType, Format, OnError, Options};
pub use summary::Summary;

use std::path::{Path, PathBuf};

use feedline_io::remove_stale_temporaries;

use crate::error::{Error, Result};
use driver::Run;
use finished::finished_shards;
use image_folder::ImageSource;
use input_state::InputState;
use inputs::{InputFile, Inputs};
use journal::{Done, Job, Journal, Past, Plan, ShardDone};
use loss::skippable;
use options::argument;
use order::Order;
use outputs::Outputs;
use source::{Sink, Source, nothing_else};
use stage::{ReadableFile, STAGE_NAME, Stage};
use summary::About;

/// Input of a shard where their number is not given. A constant, so that it does not depend on the machine; of the size
/// that TensorFlow's guides advise (100 to 200 MB), which reads well from disks and object stores alike.
const SHARD_BYTES: u64 = 128 << 20;

/// What is told of a conversion while it runs; from any thread.
pub trait Progress: Sync {
    /// A phase begins: `total` units of work, of which `done` are done already.
    fn begin(&self, phase: Phase, total: u64, done: u64);

    /// So many more units are done.
    fn advance(&self, units: u64);
}

/// Tells nobody.
impl Progress for () {
    fn begin(&self, _: Phase, _: u64, _: u64) {}

    fn advance(&self, _: u64) {}
}

/// What a conversion is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Inflating compressed input; in bytes of it.
    Inflating,
    /// Finding where rows begin; in bytes.
    Counting,
    /// Converting; in rows.
    Converting,
}

/// Converts as `options` say; see the module's page.
///
/// Killed at any moment, it goes on when called again with the same input and options, and finished shards are not made
/// again. After an error, finished shards stay for the next call, and nothing else does.
pub fn convert(options: &Options, progress: &dyn Progress) -> Result<Summary> {
    options.check()?;
    let outputs = Outputs::new(&options.out_prefix, options.compression)?;
    let (inputs, own_output) = list_inputs(options, &outputs)?;
    options.check_for(inputs.format())?;
    let job = Job::new(options, inputs.format(), InputState::of(&inputs)?);
    outputs.create_folder()?;
    let (journal, past) = Journal::open(outputs.journal())?;
    if let Some(path) = own_output.filter(|_| !past.is_of(&job)) {
        return Err(meets_output(&path, outputs.prefix()));
    }
    let is_replaced = options.overwrite && !past.is_overwriting(&job);
    // Of a run that failed before its first shard, with other options or on other input, the journal alone is left: there is
    // nothing to mix with, and what the error of that run advised must not need `--overwrite`.
    let is_bare = !past.is_of(&job) && outputs.are_free()?;
    let past = if is_replaced || is_bare { Past::default() } else { past };
    past.check(&job, outputs.prefix())?;
    if !options.overwrite {
        check_existing(&outputs, &past)?;
    }
    let finished = finished_shards(&outputs, &past, options)?;
    let (format, classes) = (inputs.format(), inputs.classes().map(<[String]>::to_vec));
    let about = |plan| About { outputs: &outputs, job: &job, format, plan, classes: classes.as_deref() };
    if let (Some(plan), Some(done)) = (past.plan, &past.done)
        && finished.len() == plan.shards as usize
    {
        return about(plan).finish(finished, done.clone(), plan.shards);
    }

    // Of a run that was killed.
    for name in outputs.names().iter().map(String::as_str).chain([STAGE_NAME]) {
        remove_stale_temporaries(outputs.folder(), name)?;
    }
    let Opened { source, done } = open_source(inputs, options, outputs.folder(), progress)?;
    let plan = plan(&*source, options, format == Format::Csv)?;
    match past.plan {
        Some(before) if before != plan => {
            let message =
                format!("{}: the input has changed since the run before", outputs.prefix().display());
            return Err(argument(message, "begin again with `--overwrite`"));
        }
        // What came to lie beside the set since that run began.
        Some(_) if options.overwrite => outputs.remove_existing(|shard| !past.has(&outputs, shard))?,
        Some(_) => {}
        None => {
            if options.overwrite {
                outputs.remove_existing(|_| true)?;
            }
            journal.begin(&job, plan, options.overwrite)?;
        }
    }
    let num_before = finished.len() as u32;
    let mut finished = finished;
    finished.extend(write_shards(&*source, plan, &finished, options, &outputs, &journal, progress)?);
    finished.sort_by_key(|done| done.shard);
    let summary = about(plan).finish(finished, done.clone(), num_before)?;
    journal.done(done)?;
    Ok(summary)
}

/// Lists the input. A pattern that also matches what this conversion wrote before (`*.tfrecord` to a prefix in the same
/// folder) does not mean that; what was left out for it comes back beside the rest.
///
/// Only what stands in the journal of this prefix is left out. And only where the rest is the input of that same journal
/// is the caller to go on: otherwise somebody may mean to convert those files, and the output would replace them.
fn list_inputs(options: &Options, outputs: &Outputs) -> Result<(Inputs, Option<PathBuf>)> {
    let past = Journal::peek(&outputs.journal())?;
    let written = outputs.identities(|shard| past.has(outputs, shard), past.plan.is_some())?;
    let mut own = None;
    let inputs = Inputs::list(options, |path| {
        let is_own = written.contains(path);
        if is_own {
            own.get_or_insert_with(|| path.to_owned());
        }
        is_own
    })?;
    let in_the_way = outputs.identities(|_| true, true)?;
    if let Some(file) = inputs.files().find(|file| in_the_way.contains(&file.path)) {
        return Err(meets_output(&file.path, outputs.prefix()));
    }
    Ok((inputs, own))
}

fn meets_output(path: &Path, prefix: &Path) -> Error {
    let message =
        format!("{}: the input has the name of an output of `{}`", path.display(), prefix.display());
    argument(message, "choose another output prefix, or a pattern that does not match the output")
}

/// Refuses to write beside files that would then seem to be of the same set, or over files that are not ours.
fn check_existing(outputs: &Outputs, past: &Past) -> Result<()> {
    let existing = outputs.existing()?.into_iter();
    let shards = existing.filter(|(_, shard)| !past.has(outputs, shard)).map(|(path, _)| path);
    let beside = [outputs.labels(), outputs.report()];
    let beside = beside.into_iter().filter(|path| past.plan.is_none() && path.exists());
    let foreign: Vec<PathBuf> = shards.chain(beside).collect();
    let Some(path) = foreign.first() else { return Ok(()) };
    let others = match foreign.len() - 1 {
        0 => String::new(),
        1 => " and 1 other".into(),
        count => format!(" and {count} others"),
    };
    let prefix = outputs.prefix().display();
    let message = format!(
        "{}{others}: there already, and not of this conversion; a pattern such as `{prefix}*` would mix the two sets",
        path.display()
    );
    Err(argument(message, "choose another prefix, or pass `--overwrite` to remove what is there"))
}

/// The input, ready to be converted.
struct Opened {
    source: Box<dyn Source>,
    done: Done,
}

/// Opens the input: finds every row, and the columns and their types.
fn open_source(inputs: Inputs, options: &Options, folder: &Path, progress: &dyn Progress) -> Result<Opened> {
    let done = |source: &dyn Source| Done { columns: source.columns(), classes: 0, ignored_files: 0 };
    let classes = inputs.classes().map_or(0, <[String]>::len) as u64;
    let (format, files) = match inputs {
        Inputs::Images(images) => {
            let source = ImageSource::new(images, options);
            let done = Done { classes, ignored_files: source.num_ignored(), ..done(&source) };
            return Ok(Opened { source: Box::new(source), done });
        }
        Inputs::Files { format, files } => (format, files),
    };
    let files = open_files(&files, format, options, folder, progress)?;
    progress.begin(Phase::Counting, files.iter().map(|file| file.size).sum(), 0);
    let advance = |bytes| progress.advance(bytes);
    let source: Box<dyn Source> = match format {
        Format::Csv => Box::new(csv_source::open(files, options, &advance)?),
        Format::JsonL => Box::new(json_source::open(files, options, &advance)?),
        Format::TfRecord | Format::Images => Box::new(record_source::open(files, options, &advance)?),
    };
    let done = done(&*source);
    Ok(Opened { source, done })
}

/// Opens the files, inflating the compressed ones.
fn open_files(
    files: &[InputFile],
    format: Format,
    options: &Options,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Vec<ReadableFile>> {
    let stage = Stage::new(folder, format, options.on_error, files.len());
    let mut compressed_bytes = 0;
    for file in files.iter().filter(|file| file.loss.is_none()) {
        compressed_bytes += skippable(stage.bytes_to_inflate(&file.path), options.on_error)?.unwrap_or(0);
    }
    if compressed_bytes > 0 {
        progress.begin(Phase::Inflating, compressed_bytes, 0);
    }
    parallel::try_map(options.num_threads, files, |InputFile { path, loss }| match loss {
        Some(loss) => Ok(ReadableFile::lost(path, loss.clone())),
        None => stage.open(path, &|bytes| progress.advance(bytes)),
    })
}

fn plan(source: &dyn Source, options: &Options, is_csv: bool) -> Result<Plan> {
    let num_rows = source.num_rows();
    if num_rows == 0 {
        let inputs: Vec<String> = options.inputs.iter().map(|input| input.display().to_string()).collect();
        let behind = if is_csv { "behind the header" } else { "in it" };
        let message = format!("{}: there is not a single row {behind}", inputs.join(", "));
        return Err(argument(message, "check that this is the input you mean"));
    }
    if source.num_lost() == num_rows {
        let mut first = Sink { skip_bad_rows: true, ..Sink::default() };
        source.encode(&[0], &mut first)?;
        return Err(first.skipped.first().map_or_else(
            || argument("nothing in the input can be read", "check that this is the input you mean"),
            nothing_else,
        ));
    }
    let by_size = u32::try_from(source.num_bytes().div_ceil(SHARD_BYTES).max(1)).unwrap_or(u32::MAX);
    Ok(Plan { rows: num_rows, shards: options.num_shards.unwrap_or(by_size) })
}

/// Writes the shards that are not among `finished`.
fn write_shards(
    source: &dyn Source,
    plan: Plan,
    finished: &[ShardDone],
    options: &Options,
    outputs: &Outputs,
    journal: &Journal,
    progress: &dyn Progress,
) -> Result<Vec<ShardDone>> {
    let is_finished = |shard: &u32| finished.iter().any(|done| done.shard == *shard);
    let (before, shards): (Vec<u32>, Vec<u32>) = (0..plan.shards).partition(is_finished);
    let rows_before =
        before.iter().map(|&shard| plan.positions(shard)).map(|rows| rows.end - rows.start).sum();
    progress.begin(Phase::Converting, plan.rows, rows_before);
    driver::run(&Run {
        source,
        order: &Order::new(plan.rows, options.shuffle_seed),
        plan,
        shards: &shards,
        outputs,
        compression: options.compression,
        on_error: options.on_error,
        journal,
        num_threads: options.num_threads.max(1),
        progress: &|rows| progress.advance(rows),
    })
}
