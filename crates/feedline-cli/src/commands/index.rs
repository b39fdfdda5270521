//! `feedline index`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use feedline::index::{IndexOptions, IndexReport, index};
use feedline::io::shown;
use feedline::{Problem, records};
use serde_json::{Value, json};

use super::common::{count, problem_json};
use crate::ui::{self, Ui};

/// Write an index beside each file, for random access to its records
///
/// The index of FILE is FILE.feedline-index: a few bytes a record, made by reading the file once on all cores, and written
/// so that it appears complete or not at all. With it, the k-th record is read without those before it, and the number of
/// records is known at once.
///
/// An index is tied to the size of its file and to a check of its contents, and is not refused for its time: both can be
/// copied and checked out together. The check covers all of a file of up to 64 KiB and sixteen windows of 4 KiB of a larger
/// one. A file that was written after its index is read and compared as a whole, by this command also with --check. What was
/// changed between the windows of a file that kept its size and its time is not seen; `feedline verify` sees it, which reads
/// all of it, and --force makes the index again.
///
/// Files whose index is up to date are left alone. Compressed and damaged files are not indexed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files or patterns such as 'train-*.tfrecord' (`feedline help` explains patterns)
    #[arg(required = true, value_name = "FILES")]
    files: Vec<OsString>,

    /// Make every index again, also where it is up to date
    #[arg(long, conflicts_with = "check")]
    force: bool,

    /// Write nothing; fail if an index is missing or stale
    #[arg(long)]
    check: bool,
}

const EXAMPLES: &str = "\
Examples:
  feedline index data.tfrecord                   writes data.tfrecord.feedline-index
  feedline index 'train-*.tfrecord'              many, on all cores; run it again after adding files
  feedline index --check 'train-*.tfrecord'      are all indexes there and up to date?
  feedline inspect data.tfrecord --record 5113   uses the index, if there is one";

/// Files listed one by one; of more, only the sums are.
const MAX_LINES: usize = 20;

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> feedline::Result<ExitCode> {
    let files = records::list_record_files(&arguments.files)?;
    let bar = ui.bytes_bar(files.iter().map(|file| file.size).sum());
    let paths: Vec<PathBuf> = files.into_iter().map(|file| file.location).collect();
    let options =
        IndexOptions { num_threads: ui.num_threads, force: arguments.force, check: arguments.check };
    let start = Instant::now();
    let reports = index(&paths, &options, &|bytes| bar.inc(bytes), &AtomicBool::new(false));
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();

    if ui.json {
        ui.result(to_json(&reports));
    } else {
        print(&reports, seconds, ui);
    }
    let is_well = reports.iter().all(|report| report.outcome.is_ok());
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(reports: &[IndexReport], seconds: f64, ui: &Ui) {
    let (mut num_new, mut num_records, mut num_failed) = (0, 0, 0);
    for report in reports {
        match &report.outcome {
            Ok(outcome) => {
                num_new += u64::from(outcome.is_new);
                num_records += outcome.num_records;
                if reports.len() <= MAX_LINES {
                    let what = if outcome.is_new { "indexed" } else { "up to date" };
                    let records = count(outcome.num_records, "record");
                    ui.note(format_args!("{}: {what}, {records}", shown(&report.path)));
                }
            }
            Err(error) => {
                num_failed += 1;
                if num_failed <= MAX_LINES as u64 {
                    ui.error(error);
                }
            }
        }
    }
    if num_failed > MAX_LINES as u64 {
        let more = count(num_failed - MAX_LINES as u64, "more file");
        ui.problem(format_args!("error: … and {more} (--json lists all)"));
    }
    let num_current = reports.len() as u64 - num_failed - num_new;
    let failed =
        if num_failed > 0 { format!(", {} failed", ui::thousands(num_failed)) } else { String::new() };
    ui.note(format_args!(
        "{} indexed, {} up to date{failed}; {}, {seconds:.1} s",
        count(num_new, "file"),
        ui::thousands(num_current),
        count(num_records, "record"),
    ));
}

fn to_json(reports: &[IndexReport]) -> Value {
    let files = reports.iter().map(|report| {
        let (state, records, problem) = match &report.outcome {
            Ok(outcome) => {
                (if outcome.is_new { "indexed" } else { "up to date" }, Some(outcome.num_records), None)
            }
            Err(error) => ("failed", None, Some(Problem::new(&report.path, error))),
        };
        json!({
            "file": report.path.to_string_lossy(),
            "index": records::index_path(&report.path).to_string_lossy(),
            "state": state,
            "records": records,
            "problem": problem.as_ref().map(problem_json),
        })
    });
    let files: Vec<Value> = files.collect();
    json!({ "ok": reports.iter().all(|report| report.outcome.is_ok()), "files": files })
}
