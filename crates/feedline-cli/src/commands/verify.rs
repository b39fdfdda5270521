//! `feedline verify`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use feedline::formats::example::RecordKind;
use feedline::io::shown;
use feedline::verify::{FileVerification, VerifyOptions, verify};
use feedline::{Problem, records};
use serde_json::{Value, json};

use super::common::{count, hints, problem_json};
use crate::ui::{self, Ui};

/// Check that every record is intact, on all cores
///
/// Reads all of the files, checks both checksums of every record, and that every record parses: as tf.train.Example, or
/// as tf.train.SequenceExample where the first records of the file are such. Each bad record is listed with its file,
/// its number (counted from 0), the byte at which it begins, and what is wrong. Records that are meant to be something
/// else are checked with --records bytes.
///
/// The exit code is 0 if all is well, 1 if anything is not. With --quiet, nothing is printed if all is well.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files or patterns such as 'train-*.tfrecord' (`feedline help` explains patterns); compressed ones are recognized
    #[arg(required = true, value_name = "FILES")]
    files: Vec<OsString>,

    /// What the records must be
    #[arg(long, value_enum, default_value_t = Records::Auto, value_name = "KIND")]
    records: Records,

    /// Problems to print; --json has all of them (up to a million a file)
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: usize,
}

const EXAMPLES: &str = "\
Examples:
  feedline verify data.tfrecord                     one file
  feedline verify 'train-*.tfrecord' 'val-*'        many, on all cores
  feedline verify -q 'train-*' && python train.py   train only on intact data
  feedline verify --records bytes raw.tfrecord      checksums alone, whatever the records are
  feedline verify --json 'train-*' | jq -r '.problems[].file' | sort -u
                                                    the names of bad files

What the lines mean:
  length checksum   the length of the record is damaged; the next valid record was searched for
  data checksum     the record's bytes are damaged; the records around it are intact
  the data ends     the file was cut off, or is still being written
  not a valid       the checksums match, so it was written like this: another type? see --records";

/// What records must be.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Records {
    /// tf.train.SequenceExample if the first records of a file are, else tf.train.Example
    Auto,
    /// tf.train.Example
    Example,
    /// tf.train.SequenceExample
    Sequence,
    /// Anything: only checksums are checked
    Bytes,
}

impl Records {
    fn kind(self) -> Option<RecordKind> {
        match self {
            Records::Auto => None,
            Records::Example => Some(RecordKind::Example),
            Records::Sequence => Some(RecordKind::SequenceExample),
            Records::Bytes => Some(RecordKind::Bytes),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> feedline::Result<ExitCode> {
    let files = records::list_record_files(&arguments.files)?;
    let bar = ui.bytes_bar(files.iter().map(|file| file.size).sum());
    let paths: Vec<PathBuf> = files.into_iter().map(|file| file.location).collect();
    let options = VerifyOptions { num_threads: ui.num_threads, kind: arguments.records.kind() };
    let start = Instant::now();
    let found = verify(&paths, &options, &|bytes| bar.inc(bytes), &AtomicBool::new(false));
    let elapsed = start.elapsed();
    bar.finish_and_clear();

    if ui.json {
        ui.result(to_json(&found, elapsed));
    } else {
        print(&found, arguments, elapsed, ui);
    }
    let is_well = found.iter().all(|file| file.num_problems == 0);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(found: &[FileVerification], arguments: &Arguments, elapsed: Duration, ui: &Ui) {
    let problems: Vec<&Problem> = found.iter().flat_map(|file| &file.problems).collect();
    for problem in problems.iter().take(arguments.limit) {
        ui.result(problem);
    }
    let num_problems: u64 = found.iter().map(|file| file.num_problems).sum();
    let num_printed = problems.len().min(arguments.limit) as u64;
    if num_printed < num_problems {
        let more = ui::thousands(num_problems - num_printed);
        ui.note(format_args!("… and {more} more (--limit N prints N of them)"));
    }
    for hint in hints(&problems) {
        ui.problem(format_args!("hint: {hint}"));
    }
    if let Some(line) = remark(found) {
        ui.note(line);
    }
    ui.note(summary(found, num_problems, elapsed));
}

/// What is no problem and yet worth knowing.
fn remark(found: &[FileVerification]) -> Option<String> {
    let mut empty = found.iter().filter(|file| file.file_bytes == 0 && file.num_problems == 0);
    let first = shown(&empty.next()?.path);
    let which = match empty.count() {
        0 => first,
        more => format!("{first} and {}", count(more as u64, "more file")),
    };
    Some(format!("note: {which}: empty (0 bytes), which is a valid file without records"))
}

fn summary(found: &[FileVerification], num_problems: u64, elapsed: Duration) -> String {
    let bytes: u64 = found.iter().map(|file| file.file_bytes).sum();
    let records = found.iter().map(|file| file.num_records).sum();
    let num_files = found.len() as u64;
    let seconds = elapsed.as_secs_f64();
    let rate = ui::size((bytes as f64 / seconds.max(1e-9)) as u64);
    let speed = format!("{}, {seconds:.1} s ({rate}/s)", ui::size(bytes));
    if num_problems == 0 {
        return format!("OK: {}, {}, {speed}", count(num_files, "file"), count(records, "record"));
    }
    let bad_files = found.iter().filter(|file| file.num_problems > 0).count() as u64;
    let problems = count(num_problems, "problem");
    let of_files = format!("{} of {}", ui::thousands(bad_files), count(num_files, "file"));
    format!("BAD: {problems} in {of_files}; {} intact, {speed}", count(records, "record"))
}

fn to_json(found: &[FileVerification], elapsed: Duration) -> Value {
    let files: Vec<Value> = found
        .iter()
        .map(|file| {
            json!({
                "file": file.path.to_string_lossy(),
                "bytes": file.file_bytes,
                "compression": file.compression.map(feedline::formats::Compression::name),
                "kind": file.kind.name(),
                "records": file.num_records,
                "has_index": file.has_index,
                "num_problems": file.num_problems,
            })
        })
        .collect();
    let problems: Vec<Value> = found.iter().flat_map(|file| &file.problems).map(problem_json).collect();
    json!({
        "ok": problems.is_empty(),
        "num_files": found.len(),
        "records": found.iter().map(|file| file.num_records).sum::<u64>(),
        "bytes": found.iter().map(|file| file.file_bytes).sum::<u64>(),
        "seconds": elapsed.as_secs_f64(),
        "num_problems": found.iter().map(|file| file.num_problems).sum::<u64>(),
        "problems": problems,
        "files": files,
    })
}
