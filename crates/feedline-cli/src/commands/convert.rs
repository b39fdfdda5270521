//! `feedline convert`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use feedline::convert::{
    ColumnType, Format, ImageChange, ImageCounts, OnError, Options, Phase, Progress, Summary, convert,
};
use feedline::formats::Compression;
use feedline::io::shown;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::common::count;
use crate::ui::{self, Ui};

/// Convert images, CSV, JSON lines or TFRecord to sharded TFRecord
///
/// Writes OUT-00000-of-00008.tfrecord and so on (.tfrecord.gz or .tfrecord.zlib if compressed), on all cores. The same
/// input and options give the same bytes on any machine, with any number of threads.
///
/// Killed or failed, it goes on where it was when the same command is given again: finished files are not made again,
/// and the result is that of an uninterrupted run. Files appear under their names only when complete. What is finished
/// is noted in .OUT.feedline-convert beside them. A finished file that is missing, or is not as it was written, is made
/// again: told by its size and time, and where only the time differs by its checksum.
#[derive(clap::Args)]
#[command(after_long_help = DETAILS, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files or patterns such as 'data/*.csv' (`feedline help` explains patterns), plain or compressed by gzip or zlib; or a
    /// folder with one folder of images per class
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// What the names of the written files begin with, such as out/train; the folder is made if need be
    #[arg(required = true, value_name = "OUT")]
    out: PathBuf,

    /// What the input is
    #[arg(long, value_enum, default_value_t = From::Auto, value_name = "FORMAT")]
    from: From,

    /// Files to write [default: one for every 128 MiB of input]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    shards: Option<u32>,

    /// Compress the files; readers in TensorFlow must then be told which way
    #[arg(long, value_enum, default_value_t = Compress::None, value_name = "HOW")]
    compression: Compress,

    /// Shuffle all rows, over all files
    #[arg(long)]
    shuffle: bool,

    /// Another order of shuffling for another number [default: 0]
    #[arg(long, value_name = "NUMBER", requires = "shuffle")]
    seed: Option<u64>,

    /// Columns (features) to keep [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    columns: Option<Vec<String>>,

    /// Types of CSV and JSON columns, where those inferred from the first 1000 rows will not do: int64, float32, string
    #[arg(long, value_name = "NAME=TYPE,…", value_delimiter = ',', value_parser = parse_type)]
    types: Vec<(String, ColumnType)>,

    /// What separates CSV fields [default: a tab for .tsv files, else a comma]
    #[arg(long, value_name = "CHARACTER", value_parser = parse_delimiter)]
    delimiter: Option<u8>,

    /// Make JPEGs ready for crops: a restart marker a row, so that the cost of a crop goes by its size; no pixel changes
    #[arg(long)]
    jpeg_restarts: bool,

    /// Scale larger JPEGs down until the longer side has N pixels
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_size: Option<u32>,

    /// Quality of JPEGs that are written anew, 1 to 100; without --max-size all are [default: 90]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(1..=100))]
    quality: Option<u8>,

    /// What to do about rows and images that cannot be converted
    #[arg(long, value_enum, default_value_t = OnBadRow::Fail, value_name = "WHAT")]
    on_error: OnBadRow,

    /// Replace the files of an earlier conversion to OUT; given again after a kill, it goes on
    #[arg(long)]
    overwrite: bool,
}

/// At the end of the short help and of the long one.
macro_rules! examples {
    () => {
        "\
Examples:
  feedline convert photos/ out/train --shards 8            photos/cat/1.jpg, photos/dog/1.jpg, …
  feedline convert 'logs/*.csv.gz' out/logs                many files as one set
  feedline convert data.csv out/train --columns id,price,text --types id=string
  feedline convert data.jsonl out/train --shuffle --seed 7 --compression gzip
  feedline convert 'old-*.tfrecord' out/new -n 64          other shards, same records
  feedline convert photos/ out/train --jpeg-restarts       crops of them decode faster
  feedline convert 'old-*.tfrecord' out/small --max-size 400 --quality 90
  feedline convert photos/ out/train --on-error skip       leave broken images out, list them
  feedline convert data.csv out/train --json | jq .rows    for scripts"
    };
}

const EXAMPLES: &str = examples!();

const DETAILS: &str = concat!(
    "\
What becomes of the input:
  images     class folders sorted by name get the labels 0, 1, …, listed in OUT.labels.txt.
             Features: image (the file's bytes, untouched), label, class, filename, format,
             height, width. Headers and completeness are checked, pixels are not decoded. Hidden
             files, and files with endings of other things (.txt), are left alone.
  csv        the first row names the columns, the first 1000 rows say their types: int64 if all
             values are whole numbers, float32 if all are numbers (nan and inf, too), else
             string. A number that does not fit is text: whole ones beyond int64, which are
             names of things rather than amounts, and others beyond float32 (1e39). A later
             value that does not fit its column is a bad row; --types decides otherwise. Empty
             fields: the feature is absent. float32 rounds to the nearest.
             Quotes as in RFC 4180, newlines in quotes too.
  jsonl      one object a line. Lists become several values, true and false 1 and 0, null is
             absent, objects in objects are flattened: a.b. Whole numbers and others in one
             column are float32.
  tfrecord   records pass untouched, unless --columns chooses features of Examples, or images in
             them are changed.

Images:
  --jpeg-restarts writes the bits of a JPEG again, with restart markers and better tables: any
  decoder gives the same pixels, which is checked, metadata stay, and feedline jumps to the rows
  a crop needs. What cannot be written so (damage, arithmetic coding, some progressive CMYK)
  stays as it is; bytes behind an image's end mark are dropped. --max-size and --quality write
  JPEGs anew, without metadata. All of it holds for image folders and for JPEGs in the byte
  features of records; other formats stay as they are, and so do features of a record that say an
  image's height and width.

Shuffling and compressed input:
  Rows are read in the order of the output; shuffled, that is at random, so the input should be
  on an SSD or in memory. Compressed input is first inflated to a nameless file in the output
  folder, which needs the room for it.

Bad rows:
  The first one ends the run, with its file and line. With --on-error skip each is left out and
  listed in OUT.skipped.jsonl. No other row moves for it: which file a row is in follows from
  its place in the input. A run that failed can be gone on with by adding --on-error skip.

  Where nobody can tell how many rows are lost, what is lost in one piece takes one place and is
  listed as \"at least 1\": records behind a damaged length, a file that cannot be opened (a link
  that leads nowhere, no permission, a folder), a CSV file whose header is not that of the first
  one, the rest of a CSV file behind a quote that is never closed, and what stood behind the end
  of a compressed file that was cut off. The rows before are converted, those behind stand as if
  it had been one row; so they may be in other files than if nothing had been lost, but always
  in the same ones. Compressed text that is damaged otherwise is lost as a whole: nothing says
  from where on it is wrong.

Input and output in one folder:
  'data/*.tfrecord' to data/all also matches data/all-00000-of-00001.tfrecord when the command
  is given again. What the journal of OUT has written is left out of its own input. Any other
  input with the name of an output is refused.

",
    examples!()
);

/// What the input is.
#[derive(Clone, Copy, clap::ValueEnum)]
enum From {
    /// A folder is images; files go by their names, then by their first bytes
    Auto,
    /// A folder with one folder of images per class
    Images,
    /// Rows of fields, the first row naming them
    Csv,
    /// One JSON object a line
    Jsonl,
    /// Records, usually tf.train.Example
    Tfrecord,
}

/// How to compress.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Compress {
    /// Not at all
    None,
    /// What TensorFlow calls GZIP
    Gzip,
    /// What TensorFlow calls ZLIB
    Zlib,
}

/// What to do about rows that cannot be converted.
#[derive(Clone, Copy, clap::ValueEnum)]
enum OnBadRow {
    /// Stop at the first one
    Fail,
    /// Leave them out and report each
    Skip,
}

/// Skipped rows shown to a person; all are in the report.
const SHOWN_SKIPPED: usize = 20;

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> feedline::Result<ExitCode> {
    let options = options(arguments, ui);
    let progress = Bars { ui, bar: Mutex::new(ProgressBar::hidden()) };
    let start = Instant::now();
    let summary = convert(&options, &progress);
    let elapsed = start.elapsed();
    progress.end();
    let summary = summary?;

    if ui.json {
        ui.result(to_json(&summary, elapsed));
    } else {
        print(&summary, &options, elapsed, ui);
    }
    // Bad rows were to be skipped, not all of them.
    if summary.rows == 0 {
        let (_, many) = summary.format.noun();
        ui.problem(format_args!(
            "error: not one of the {many} could be converted\nhint: is this the input you mean?"
        ));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn options(arguments: &Arguments, ui: &Ui) -> Options {
    Options {
        format: match arguments.from {
            From::Auto => None,
            From::Images => Some(Format::Images),
            From::Csv => Some(Format::Csv),
            From::Jsonl => Some(Format::JsonL),
            From::Tfrecord => Some(Format::TfRecord),
        },
        num_shards: arguments.shards,
        compression: match arguments.compression {
            Compress::None => None,
            Compress::Gzip => Some(Compression::Gzip),
            Compress::Zlib => Some(Compression::Zlib),
        },
        shuffle_seed: arguments.shuffle.then_some(arguments.seed.unwrap_or(0)),
        columns: arguments.columns.clone(),
        types: arguments.types.clone(),
        delimiter: arguments.delimiter,
        images: ImageChange {
            restarts: arguments.jpeg_restarts,
            max_side: arguments.max_size,
            quality: arguments.quality,
        },
        on_error: match arguments.on_error {
            OnBadRow::Fail => OnError::Fail,
            OnBadRow::Skip => OnError::Skip,
        },
        overwrite: arguments.overwrite,
        num_threads: ui.num_threads,
        ..Options::new(&arguments.inputs, &arguments.out)
    }
}

fn parse_type(text: &str) -> Result<(String, ColumnType), String> {
    // From the right: a name may contain `=`.
    let (name, column_type) = text
        .rsplit_once('=')
        .ok_or("expected NAME=TYPE, such as price=float32; the types are int64, float32, string")?;
    Ok((name.to_owned(), column_type.parse()?))
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "\\t" || text == "tab" => Ok(b'\t'),
        [byte] => Ok(*byte),
        _ => Err("expected one ASCII character, such as ; or \\t".into()),
    }
}

/// A bar for each phase, one after the other.
struct Bars<'a> {
    ui: &'a Ui,
    bar: Mutex<ProgressBar>,
}

impl Bars<'_> {
    fn end(&self) {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner).finish_and_clear();
    }
}

impl Progress for Bars<'_> {
    fn begin(&self, phase: Phase, total: u64, done: u64) {
        let (bar, message) = match phase {
            Phase::Inflating => (self.ui.bytes_bar(total), "inflating the input"),
            Phase::Counting => (self.ui.bytes_bar(total), "looking for rows"),
            Phase::Converting => (self.ui.count_bar(total, "rows"), ""),
        };
        bar.set_message(message);
        bar.set_position(done);
        // What an earlier run did is no part of this one's rate.
        bar.reset_eta();
        self.end();
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = bar;
    }

    fn advance(&self, units: u64) {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner).inc(units);
    }
}

fn print(summary: &Summary, options: &Options, elapsed: Duration, ui: &Ui) {
    for row in summary.skipped.iter().take(SHOWN_SKIPPED) {
        ui.problem(format_args!("skipped: {}", row.finding()));
    }
    let (one, many) = summary.format.noun();
    if let Some(report) = &summary.report {
        let more = summary.skipped.len().saturating_sub(SHOWN_SKIPPED);
        if more > 0 {
            ui.problem(format_args!("… and {} more", ui::thousands(more as u64)));
        }
        let (num_skipped, is_exact) = summary.num_skipped();
        let noun = if num_skipped == 1 { one } else { many };
        let number = ui::thousands(num_skipped);
        let least = if is_exact { "" } else { "at least " };
        ui.problem(format_args!("{least}{number} {noun} skipped; each is listed in {}", shown(report)));
    }

    let rows = count(summary.rows, one);
    let files = count(u64::from(summary.num_shards), "file");
    let written = format!("{rows} in {files}, {}: {}", ui::size(summary.output_bytes), summary.pattern);
    if summary.num_shards_before == summary.num_shards {
        ui.note(format_args!("complete already: {written}"));
        return;
    }
    ui.note(format_args!("wrote {written}"));
    let seconds = elapsed.as_secs_f64();
    let rate = |number: u64| (number as f64 / seconds.max(1e-9)) as u64;
    let input = format!("{}, {}", count(summary.input_files, "file"), ui::size(summary.input_bytes));
    let speed = match summary.num_shards_before {
        0 => format!(
            "{} {many}/s, {}/s",
            ui::thousands(rate(summary.rows)),
            ui::size(rate(summary.input_bytes))
        ),
        before => format!("{} finished by an earlier run", count(u64::from(before), "output file")),
    };
    ui.note(format_args!("read  {input} in {seconds:.1} s ({speed})"));
    if !summary.columns.is_empty() {
        let columns: Vec<String> =
            summary.columns.iter().map(|(name, kind)| format!("{} {kind}", shown(name.as_ref()))).collect();
        ui.note(format_args!("columns: {}", columns.join(", ")));
    }
    if let Some(labels) = &summary.labels {
        ui.note(format_args!("classes: {}, listed in {}", ui::thousands(summary.num_classes), shown(labels)));
    }
    if options.images != ImageChange::default() {
        ui.note(format_args!("images: {}", images_shown(&summary.images)));
    }
    if summary.ignored_files > 0 {
        let files = count(summary.ignored_files, "file");
        ui.note(format_args!("left alone: {files} with names of other things than images"));
    }
    if let Some(compression) = options.compression {
        let kind = compression.name().to_ascii_uppercase();
        ui.note(format_args!("in TensorFlow: TFRecordDataset(files, compression_type=\"{kind}\")"));
    }
}

/// How many images were changed, and how many not, and why.
fn images_shown(images: &ImageCounts) -> String {
    let rewritten = format!("{} rewritten", ui::thousands(images.rewritten));
    if images.left.is_empty() {
        return rewritten;
    }
    let left: Vec<String> =
        images.left.iter().map(|(reason, &count)| format!("{} {reason}", ui::thousands(count))).collect();
    format!("{rewritten}; left as they are: {}", left.join(", "))
}

fn to_json(summary: &Summary, elapsed: Duration) -> Value {
    let columns: Vec<Value> =
        summary.columns.iter().map(|(name, kind)| json!({"name": name, "type": kind.name()})).collect();
    let seconds = elapsed.as_secs_f64();
    json!({
        "from": summary.format.name(),
        "rows": summary.rows,
        "shards": summary.num_shards,
        "shards_finished_before": summary.num_shards_before,
        "files": summary.pattern,
        "input_files": summary.input_files,
        "input_bytes": summary.input_bytes,
        "output_bytes": summary.output_bytes,
        "seconds": seconds,
        "rows_per_second": if summary.num_shards_before == 0 { json!(summary.rows as f64 / seconds.max(1e-9)) } else { Value::Null },
        "columns": columns,
        "classes": summary.num_classes,
        "labels": summary.labels.as_ref().map(|path| path.to_string_lossy()),
        "ignored_files": summary.ignored_files,
        "images": {"rewritten": summary.images.rewritten, "left": summary.images.left},
        "num_skipped": summary.num_skipped().0,
        "num_skipped_is_exact": summary.num_skipped().1,
        "skipped": summary.skipped,
        "report": summary.report.as_ref().map(|path| path.to_string_lossy()),
    })
}
