//! `feedline inspect`.

mod json;
mod print;
mod record;
mod spec;
mod value;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use feedline::inspect::{FileInspection, IndexState, InspectOptions, inspect};
use feedline::io::shown;
use feedline::{Error, Problem, records};

use super::common::hints;
use crate::ui::Ui;

/// Say what is in record files: records, bytes, features, labels
///
/// Reads no more than it must: files of up to 64 MiB together are read whole; of larger ones, some 10 MB are read at
/// places spread over them. What is then an estimate is marked with ≈, and what holds for the records looked at
/// rather than for all is said to. Compressed files are recognized; of large ones (16 MiB together) only the beginning
/// is read, so that the number of their records is a rougher estimate.
///
/// Features are shown with their type, shape, how many records have them, and examples of their values; features with few
/// different integers (labels) also with how often each occurs.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files or patterns such as 'train-*.tfrecord' (`feedline help` explains patterns)
    #[arg(required = true, value_name = "FILES")]
    files: Vec<OsString>,

    /// Look into N records [default: some 10 MB of them; all of small files, up to 50,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// Count every record, on all cores, even if that takes a while
    #[arg(long)]
    exact: bool,

    /// Print record K alone (counted from 0) as JSON, long values abbreviated unless --json is given, too
    #[arg(long, value_name = "K", conflicts_with_all = ["sample", "exact", "spec"])]
    record: Option<u64>,

    /// Print only the feature spec that parses these records: Python, ready to paste, or JSON if --json is given, too
    #[arg(long)]
    spec: bool,
}

const EXAMPLES: &str = "\
Examples:
  feedline inspect data.tfrecord                      what is in this file?
  feedline inspect 'train-*.tfrecord' --exact         many files, every record counted
  feedline inspect 'train-*' --sample 20000           label counts over more records
  feedline inspect data.tfrecord --record 17          one record; instant after `feedline index`
  feedline inspect data.tfrecord --spec               the spec to parse it with
  feedline inspect data.tfrecord --json | jq .total.records";

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> feedline::Result<ExitCode> {
    let files = records::list_record_files(&arguments.files)?;
    if let Some(number) = arguments.record {
        return match &files[..] {
            [file] => record::run(&file.location, number, ui),
            _ => Err(Error::Usage {
                message: format!("--record {number}: {} files were given, expected one", files.len()),
                hint: format!(
                    "for instance `feedline inspect {} --record {number}`",
                    shown(&files[0].location)
                ),
            }),
        };
    }
    let bar = ui.bytes_bar(if arguments.exact { files.iter().map(|file| file.size).sum() } else { 0 });
    let paths: Vec<PathBuf> = files.into_iter().map(|file| file.location).collect();
    let options =
        InspectOptions { num_threads: ui.num_threads, sample: arguments.sample, exact: arguments.exact };
    let inspection = inspect(&paths, &options, &|bytes| bar.inc(bytes), &AtomicBool::new(false));
    bar.finish_and_clear();

    for file in &inspection.files {
        if let IndexState::Unusable(problem) = &file.index {
            let hint = problem.hint.as_deref().unwrap_or("make it again with `feedline index`");
            ui.problem(format_args!("warning: {problem}\nhint: {hint}"));
        }
        if let Some(byte) = file.blind_byte {
            let path = shown(&file.path);
            ui.problem(format_args!(
                "warning: {path}: byte {byte}: no record begins here, nor for far longer than the records looked at are\n\
                 hint: `feedline verify {path}` says whether it is damaged, --exact counts what is intact"
            ));
        }
    }
    if arguments.spec && ui.json {
        ui.result(spec::json(&inspection.sample.schema));
    } else if arguments.spec {
        ui.result(spec::python(&inspection.sample.schema));
    } else if ui.json {
        ui.result(json::of(&inspection));
    } else {
        print::inspection(&inspection, ui);
    }
    let problems: Vec<&Problem> = inspection.files.iter().filter_map(|file| file.problem.as_ref()).collect();
    for problem in &problems {
        ui.problem(format_args!("error: {problem}"));
    }
    for hint in hints(&problems) {
        ui.problem(format_args!("hint: {hint}"));
    }
    // Not where there is no record at all: then the file is something else, or all of it is bad.
    let is_damaged = |file: &FileInspection| {
        let byte = file.problem.as_ref().and_then(|problem| problem.byte);
        byte > Some(0) || byte == Some(0) && file.count.number() > Some(0)
    };
    if inspection.files.iter().any(is_damaged) {
        ui.problem("hint: `feedline verify` lists every bad record");
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
