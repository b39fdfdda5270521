//! `feedline bench`.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use feedline::measure::{MeasureOptions, MeasureReport, measure};
use serde_json::{Value, json};

use super::common::Table;
use crate::ui::{self, Ui};

/// Measure how fast files are read and become batches of images, and say what limits it
///
/// Reads record files, or a folder of images, for some seconds a stage: reading alone (with all checksums), then parsing, then decoding,
/// a random resized crop, a flip and normalizing to float32, in batches, as image training does. What comes out is
/// thrown away. The first pass over files that are not in memory measures the storage, later ones do not.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Record files or patterns such as 'train-*.tfrecord' (`feedline help` explains patterns), or a folder of images, or images: 'photos/*.jpg'
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// The feature of the records that holds a JPEG; without it records are only read
    #[arg(long, value_name = "FEATURE")]
    image: Option<String>,

    /// Side of the crops, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 224, value_parser = clap::value_parser!(u32).range(1..=4096))]
    crop: u32,

    /// Elements of a batch
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    batch: u32,

    /// How long each stage runs
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,
}

const EXAMPLES: &str = "\
Examples:
  feedline bench 'train-*.tfrecord'                             how fast is reading?
  feedline bench 'train-*.tfrecord' --image image/encoded       batches of 64 crops of 224 x 224
  feedline bench photos/ --crop 160 --batch 256                 a folder of images
  feedline bench 'train-*.tfrecord' --image image --json        for scripts";

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> feedline::Result<ExitCode> {
    let options = MeasureOptions {
        inputs: arguments.inputs.clone(),
        image: arguments.image.clone(),
        crop: arguments.crop,
        batch: arguments.batch as usize,
        time: Duration::from_secs(u64::from(arguments.seconds)),
        num_threads: ui.num_threads,
    };
    let bar = ui.count_bar(0, "stages");
    let report = measure(&options, &|stage, num_stages| {
        bar.set_length(num_stages as u64);
        bar.set_message(stage.to_owned());
        bar.inc(1);
    });
    bar.finish_and_clear();
    let report = report?;
    if ui.json {
        ui.result(to_json(&report));
    } else {
        print(&report, ui);
    }
    let num_errors: u64 = report.stages.iter().map(|stage| stage.errors).sum();
    Ok(if num_errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(report: &MeasureReport, ui: &Ui) {
    let mut table = Table::new(&["stage", ">elements/s", ">out/s", ">seconds"]);
    for stage in &report.stages {
        let seconds = stage.time.as_secs_f64();
        let bytes = stage.bytes as f64 / seconds.max(1e-9);
        let cells = [ui::thousands(stage.rate() as u64), ui::size(bytes as u64), format!("{seconds:.1}")];
        table.row(std::iter::once(stage.name.to_owned()).chain(cells));
    }
    for line in table.lines() {
        ui.result(line);
    }
    ui.result(&report.finding);
    for stage in report.stages.iter().filter(|stage| stage.errors > 0) {
        let first = stage.first_error.as_deref().unwrap_or_default();
        ui.problem(format_args!(
            "{}: {} errors, the first: {first}",
            stage.name,
            ui::thousands(stage.errors)
        ));
    }
}

fn to_json(report: &MeasureReport) -> Value {
    let stages = report.stages.iter().map(|stage| {
        json!({
            "stage": stage.name,
            "elements": stage.elements,
            "bytes": stage.bytes,
            "seconds": stage.time.as_secs_f64(),
            "elements_per_second": stage.rate(),
            "errors": stage.errors,
            "first_error": stage.first_error,
        })
    });
    json!({ "stages": stages.collect::<Vec<_>>(), "finding": report.finding })
}
