//! Making TFRecord files of image folders, CSV, JSON lines or other TFRecord files.
//!
//! Same input and options, same bytes, whatever the number of threads and however often the run was killed and begun
//! again. Every row has a position by its place in the input; shard k of N holds the positions from `k*rows/N` up to
//! `(k+1)*rows/N`, of the input order or of a shuffled one. A row that is skipped leaves a hole and moves no other.
//!
//! | module | what is in it |
//! | --- | --- |
//! | `options` | what to convert and how |
//! | `inputs`, `image_folder`, `stage` | finding the input, and making compressed files readable at any place |
//! | `split`, `row_files` | where rows begin, and reading them in any order |
//! | `csv_source`, `json_source`, `image_folder`, `record_source` | rows as records, through the trait in `source` |
//! | `columns` | the features of one row |
//! | `order` | the shuffle |
//! | `driver` | groups of rows on all threads, written in order (`README.md`) |
//! | `journal`, `outputs` | what is finished, and the names of files |
//! | `bad_row` | a row that cannot be converted |
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
mod csv_source;
mod driver;
mod image_folder;
mod inputs;
mod journal;
mod json_source;
mod options;
mod order;
mod outputs;
mod parallel;
mod record_source;
mod row_files;
mod source;
mod split;
mod stage;

pub use bad_row::BadRow;
pub use options::{ColumnType, Format, OnError, Options};

use std::path::{Path, PathBuf};

use feedline_io::{AtomicFile, LocalStore, Store, remove_stale_temporaries};

use crate::error::Result;
use crate::records::detect_compression;
use csv_source::CsvSource;
use driver::Run;
use image_folder::ImageSource;
use inputs::{InputState, Inputs};
use journal::{Done, Job, Journal, Past, Plan, ShardDone, file_bytes};
use json_source::JsonSource;
use options::argument;
use order::Order;
use outputs::{Outputs, remove_file};
use record_source::RecordSource;
use source::Source;
use stage::{ReadableFile, STAGE_NAME, Stage, text_compression};

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

/// What came of a conversion.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What the input was.
    pub format: Format,
    /// Rows written.
    pub rows: u64,
    /// Rows skipped, in input order.
    pub skipped: Vec<BadRow>,
    /// Files in the written set.
    pub num_shards: u32,
    /// How many of them an earlier run had finished.
    pub num_shards_before: u32,
    /// Input files.
    pub input_files: u64,
    /// Their bytes.
    pub input_bytes: u64,
    /// Bytes of the written set.
    pub output_bytes: u64,
    /// Columns with their types; none where records pass as they are.
    pub columns: Vec<(String, ColumnType)>,
    /// Classes of images; 0 for other input.
    pub num_classes: u64,
    /// Files in class folders that are no images by their names.
    pub ignored_files: u64,
    /// A pattern of the written files.
    pub pattern: String,
    /// The names of the classes, one a line, if the input was images.
    pub labels: Option<PathBuf>,
    /// Each skipped row, one JSON object a line, if there are any.
    pub report: Option<PathBuf>,
}

/// Converts as `options` say; see the module's page.
///
/// Killed at any moment, it goes on when called again with the same input and options, and finished shards are not made
/// again. After an error, finished shards stay for the next call, and nothing else does.
pub fn convert(options: &Options, progress: &dyn Progress) -> Result<Summary> {
    options.check()?;
    let outputs = Outputs::new(&options.out_prefix, options.compression)?;
    let inputs = Inputs::list(options)?;
    outputs.check_inputs(inputs.paths())?;
    let job = Job::new(options, inputs.format(), InputState::of(&inputs)?);
    outputs.create_folder()?;
    let (journal, past) = Journal::open(outputs.journal())?;
    let past = if options.overwrite { Past::default() } else { past };
    past.check(&job, &options.out_prefix)?;
    if !options.overwrite {
        check_existing(&outputs, &past, &options.out_prefix)?;
    }
    let finished = finished_shards(&outputs, &past, options.on_error);
    if let (Some(plan), Some(done)) = (past.plan, &past.done)
        && finished.len() == plan.shards as usize
    {
        return finish(
            &Finish { outputs: &outputs, job: &job, format: inputs.format(), plan },
            finished,
            done.clone(),
            plan.shards,
        );
    }

    // Of a run that was killed.
    for name in outputs.names().iter().map(String::as_str).chain([STAGE_NAME]) {
        remove_stale_temporaries(outputs.folder(), name)?;
    }
    let format = inputs.format();
    let Opened { source, done, classes } = open_source(inputs, options, outputs.folder(), progress)?;
    let plan = plan(&*source, options)?;
    match past.plan {
        Some(before) if before != plan => {
            let message = format!("{}: the input has changed since the run before", options.out_prefix);
            return Err(argument(message, "begin again with `--overwrite`"));
        }
        Some(_) => {}
        None => {
            if options.overwrite {
                outputs.remove_existing()?;
            }
            journal.begin(&job, plan)?;
        }
    }
    let num_before = finished.len() as u32;
    let mut finished = finished;
    finished.extend(write_shards(&*source, plan, &finished, options, &outputs, &journal, progress)?);
    finished.sort_by_key(|done| done.shard);
    if let Some(classes) = classes {
        let lines: String = classes.iter().flat_map(|class| [class.as_str(), "\n"]).collect();
        write_file(&outputs.labels(), lines.as_bytes())?;
    }
    let summary =
        finish(&Finish { outputs: &outputs, job: &job, format, plan }, finished, done.clone(), num_before)?;
    journal.done(done)?;
    Ok(summary)
}

/// Refuses to write beside files that would then seem to be of the same set.
fn check_existing(outputs: &Outputs, past: &Past, prefix: &str) -> Result<()> {
    let existing = outputs.existing()?;
    let is_ours = |shard: &feedline_io::ShardName| {
        past.plan.is_some_and(|plan| outputs.is_of_set(shard, plan.shards))
            && past.shards.contains_key(&(shard.index() as u32))
    };
    let foreign: Vec<_> = existing.iter().filter(|(_, shard)| !is_ours(shard)).collect();
    let Some((path, _)) = foreign.first() else { return Ok(()) };
    let others = match foreign.len() - 1 {
        0 => String::new(),
        1 => " and 1 other".into(),
        count => format!(" and {count} others"),
    };
    let message = format!(
        "{}{others}: there already, and not of this conversion; a pattern such as `{prefix}-*` would mix the two sets",
        path.display()
    );
    Err(argument(message, "choose another prefix, or pass `--overwrite` to remove what is there"))
}

/// The shards of an earlier run that are there and need not be made again.
fn finished_shards(outputs: &Outputs, past: &Past, on_error: OnError) -> Vec<ShardDone> {
    let Some(plan) = past.plan else { return Vec::new() };
    let is_good = |done: &&ShardDone| {
        let bytes = outputs.shard(done.shard, plan.shards).ok().and_then(|path| file_bytes(&path));
        // A shard with holes is not what a run without `--on-error skip` writes: it fails at the first of them.
        bytes == Some(done.bytes) && (on_error == OnError::Skip || done.skipped.is_empty())
    };
    past.shards.values().filter(is_good).cloned().collect()
}

/// The input, ready to be converted.
struct Opened {
    source: Box<dyn Source>,
    done: Done,
    /// The names of the classes, if it is images.
    classes: Option<Vec<String>>,
}

/// Opens the input: finds every row, and the columns and their types.
fn open_source(inputs: Inputs, options: &Options, folder: &Path, progress: &dyn Progress) -> Result<Opened> {
    let done = |source: &dyn Source| Done { columns: source.columns(), classes: 0, ignored_files: 0 };
    let (format, paths) = match inputs {
        Inputs::Images(images) => {
            let source = ImageSource::new(images, options)?;
            let classes = source.classes().to_vec();
            let done =
                Done { classes: classes.len() as u64, ignored_files: source.num_ignored(), ..done(&source) };
            return Ok(Opened { source: Box::new(source), done, classes: Some(classes) });
        }
        Inputs::Files { format, paths } => (format, paths),
    };
    let files = open_files(&paths, format, options, folder, progress)?;
    progress.begin(Phase::Counting, files.iter().map(|file| file.size).sum(), 0);
    let advance = |bytes| progress.advance(bytes);
    let source: Box<dyn Source> = match format {
        Format::Csv => Box::new(CsvSource::open(files, options, &advance)?),
        Format::JsonL => Box::new(JsonSource::open(files, options, &advance)?),
        Format::TfRecord | Format::Images => Box::new(RecordSource::open(files, options, &advance)?),
    };
    let done = done(&*source);
    Ok(Opened { source, done, classes: None })
}

/// Opens the files, inflating the compressed ones.
fn open_files(
    paths: &[PathBuf],
    format: Format,
    options: &Options,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Vec<ReadableFile>> {
    let compression = |blob: &dyn feedline_io::Blob| match format {
        Format::TfRecord => detect_compression(blob),
        _ => text_compression(blob),
    };
    let mut compressed_bytes = 0;
    for path in paths {
        let blob = LocalStore.open(path)?;
        compressed_bytes += compression(&*blob)?.map_or(0, |_| blob.size());
    }
    if compressed_bytes > 0 {
        progress.begin(Phase::Inflating, compressed_bytes, 0);
    }
    let stage = Stage::new(folder, paths.len());
    parallel::try_map(options.num_threads, paths, |path| {
        stage.open(path, compression, &|bytes| progress.advance(bytes))
    })
}

fn plan(source: &dyn Source, options: &Options) -> Result<Plan> {
    if source.num_rows() == 0 {
        let message = format!("{}: there is not a single row in it", options.inputs.join(", "));
        return Err(argument(message, "check that this is the input you mean"));
    }
    let by_size = u32::try_from(source.num_bytes().div_ceil(SHARD_BYTES).max(1)).unwrap_or(u32::MAX);
    Ok(Plan { rows: source.num_rows(), shards: options.num_shards.unwrap_or(by_size) })
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

/// What the end of a conversion is about.
struct Finish<'a> {
    outputs: &'a Outputs,
    job: &'a Job,
    format: Format,
    plan: Plan,
}

/// Writes the report of skipped rows and adds everything up.
fn finish(about: &Finish<'_>, shards: Vec<ShardDone>, done: Done, num_before: u32) -> Result<Summary> {
    let Finish { outputs, job, format, plan } = about;
    let (mut rows, mut output_bytes, mut skipped) = (0, 0, Vec::new());
    for shard in shards {
        rows += shard.rows;
        output_bytes += shard.bytes;
        skipped.extend(shard.skipped);
    }
    skipped.sort_by_key(|row| row.position);
    let report = outputs.report();
    if skipped.is_empty() {
        remove_file(&report)?;
    } else {
        let mut lines = Vec::new();
        for row in &skipped {
            serde_json::to_writer(&mut lines, row)
                .map_err(|error| feedline_io::Error::io(&report, "write", error.into()))?;
            lines.push(b'\n');
        }
        write_file(&report, &lines)?;
    }
    Ok(Summary {
        format: *format,
        rows,
        num_shards: plan.shards,
        num_shards_before: num_before,
        input_files: job.inputs().num_files,
        input_bytes: job.inputs().num_bytes,
        output_bytes,
        columns: done.columns,
        num_classes: done.classes,
        ignored_files: done.ignored_files,
        pattern: outputs.pattern(plan.shards),
        labels: (done.classes > 0).then(|| outputs.labels()),
        report: (!skipped.is_empty()).then_some(report),
        skipped,
    })
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    Ok(file.commit()?)
}
