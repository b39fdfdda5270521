//! `feedline demo`: the main job on data it makes itself, a line a step with what happened.

mod folder;
mod images;
mod table;
mod threads;
mod training;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use feedline::convert::{Options, convert};
use feedline::data::Values;
use feedline::formats::tfrecord::HEADER_BYTES;
use feedline::index::{IndexOptions, index};
use feedline::inspect::decode;
use feedline::io::list_files;
use feedline::records::{IndexedFile, OnDamage, RecordReader};
use feedline::verify::{VerifyOptions, verify};
use feedline::{Dataset, Result};
use serde_json::{Value, json};

use self::folder::Folder;
use self::training::{BATCH_SIZE, NUM_FILES, Training, Way};
use crate::ui::{Ui, size, thousands};

/// Before lines that belong to a step.
const INDENT: &str = "             ";

/// A tour on data it makes itself: make, convert, verify, index, damage, read at speed, feed an accelerator
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  feedline demo                  the tour; takes a few seconds and leaves nothing behind
  feedline demo --rows 2000000   a larger table, for steadier rates
  feedline demo --steps 1000     longer training runs, for steadier times
  feedline demo --keep tour/     keep the data, to try the other commands on it")]
pub(crate) struct Arguments {
    /// Rows of the table that is read at speed, some 650 bytes each
    #[arg(long, default_value_t = 400_000, value_parser = clap::value_parser!(u64).range(1000..=20_000_000))]
    rows: u64,

    /// Batches that each training run takes
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    steps: u64,

    /// Make the data in this folder and leave it there
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> Result<ExitCode> {
    let folder = Folder::new(arguments.keep.as_deref())?;
    ui.note(format_args!("A tour on data it makes itself, on {} threads.\n", ui.num_threads));
    let mut tour = Tour { ui, folder: &folder.path, results: serde_json::Map::new() };
    let num_images = tour.make()?;
    let shards = tour.convert()?;
    tour.verify(&shards, num_images)?;
    tour.random_access(&shards)?;
    tour.damage(&shards, num_images)?;
    tour.read(arguments.rows)?;
    tour.train(arguments.steps)?;
    if ui.json {
        ui.result(Value::Object(tour.results));
    }
    match &arguments.keep {
        Some(folder) => ui.note(format_args!("\nThe data is in {}.", folder.display())),
        None => ui.note(
            "\nNext: `feedline inspect`, `verify`, `index` and `convert` on your own files; each has --help.",
        ),
    }
    Ok(ExitCode::SUCCESS)
}

struct Tour<'a> {
    ui: &'a Ui,
    folder: &'a Path,
    results: serde_json::Map<String, Value>,
}

impl Tour<'_> {
    /// A line for people, and an entry for scripts.
    fn step(&mut self, name: &str, line: &str, result: Value) {
        let count = self.results.len() + 1;
        self.ui.note(format_args!("{count}. {name:<9} {line}"));
        self.results.insert(name.to_owned(), result);
    }

    fn make(&mut self) -> Result<u64> {
        let (num_images, num_bytes) = images::make(&self.folder.join("images"))?;
        let line =
            format!("{num_images} images in {} class folders, {}", images::CLASSES.len(), size(num_bytes));
        self.step("make", &line, json!({ "images": num_images, "bytes": num_bytes }));
        Ok(num_images)
    }

    fn convert(&mut self) -> Result<Vec<PathBuf>> {
        let prefix = self.folder.join("shapes");
        let mut options = Options::new([self.folder.join("images")], &prefix);
        options.num_shards = Some(4);
        options.shuffle_seed = Some(1);
        options.overwrite = true;
        options.num_threads = self.ui.num_threads;
        let start = Instant::now();
        let summary = convert(&options, &())?;
        let seconds = start.elapsed().as_secs_f64();
        let line = format!(
            "shuffled into {} TFRecord shards, {} in {seconds:.2} s",
            summary.num_shards,
            size(summary.output_bytes),
        );
        self.step(
            "convert",
            &line,
            json!({ "rows": summary.rows, "shards": summary.num_shards, "seconds": seconds }),
        );
        let pattern = self.folder.join("shapes-*.tfrecord");
        Ok(list_files(&[pattern])?.into_iter().map(|file| file.location).collect())
    }

    fn verify(&mut self, shards: &[PathBuf], num_images: u64) -> Result<()> {
        let (num_records, problems) = self.check(shards);
        if num_records != num_images || !problems.is_empty() {
            return Err(unexpected(format!(
                "{num_records} of {num_images} images came through: {problems:?}"
            )));
        }
        let line = format!("{num_records} records intact: every checksum, every field");
        self.step("verify", &line, json!({ "records": num_records, "problems": 0 }));
        Ok(())
    }

    fn check(&self, shards: &[PathBuf]) -> (u64, Vec<String>) {
        let options = VerifyOptions { num_threads: self.ui.num_threads, kind: None };
        let found = verify(shards, &options, &|_| {}, &AtomicBool::new(false));
        let problems = found.iter().flat_map(|file| &file.problems).map(ToString::to_string).collect();
        (found.iter().map(|file| file.num_records).sum(), problems)
    }

    fn random_access(&mut self, shards: &[PathBuf]) -> Result<()> {
        const RECORD: u64 = 42;
        let options = IndexOptions { num_threads: self.ui.num_threads, force: true, check: false };
        for report in index(shards, &options, &|_| {}, &AtomicBool::new(false)) {
            report.outcome?;
        }
        let file = IndexedFile::open(&shards[0])?;
        let mut buffer = Vec::new();
        let record = file.read(RECORD, &mut buffer)?.ok_or_else(|| unexpected("the shard is too short"))?;
        let class = class_of(record)?;
        let line = format!("record {RECORD} of {} alone: an image of class `{class}`", name(&shards[0]));
        self.step("index", &line, json!({ "record": RECORD, "class": class }));
        Ok(())
    }

    fn damage(&mut self, shards: &[PathBuf], num_images: u64) -> Result<()> {
        let path = &shards[1];
        let mut bytes = std::fs::read(path).map_err(|error| feedline::io::Error::io(path, "read", error))?;
        bytes[HEADER_BYTES + 1000] ^= 1; // in the first record's image
        // The index is of the file as it was.
        std::fs::remove_file(feedline::records::index_path(path)).ok();
        std::fs::write(path, &bytes).map_err(|error| feedline::io::Error::io(path, "write", error))?;
        let (num_records, problems) = self.check(shards);
        let problem = problems.first().cloned().unwrap_or_default();
        let problem =
            problem.lines().next().unwrap_or_default().replace(&format!("{}/", self.folder.display()), "");
        let mut reader = RecordReader::open(path)?.on_damage(OnDamage::Skip);
        let mut num_read = 0;
        while let Some(chunk) = reader.next_chunk()? {
            num_read += chunk.records.len();
        }
        if problems.len() != 1 || num_records + 1 != num_images || reader.damage().regions != 1 {
            return Err(unexpected(format!("one damaged byte was found as {problems:?}")));
        }
        let line = format!("one bit changed on purpose, found at once:\n{INDENT}{problem}");
        let line = format!("{line}\n{INDENT}skipping it leaves the other {num_read} records of that shard");
        self.step("damage", &line, json!({ "problem": problem, "records_left": num_records }));
        Ok(())
    }

    fn read(&mut self, num_rows: u64) -> Result<()> {
        let table = table::Table::make(self.folder, num_rows, self.ui.num_threads)?;
        let line = format!(
            "a table of {} rows, {} features each ({}), on {} threads:",
            thousands(num_rows),
            table::NUM_FEATURES,
            size(table.num_bytes),
            self.ui.num_threads,
        );
        let mut results = serde_json::Map::new();
        let mut lines = line;
        for measured in table.measure()? {
            let rate = num_rows as f64 / measured.seconds;
            let gigabytes = table.num_bytes as f64 / measured.seconds / 1e9;
            let (what, millions) = (measured.what, rate / 1e6);
            let rates = format!("{what:<34} {millions:>6.1} million records/s  {gigabytes:>5.1} GB/s");
            lines = format!("{lines}\n{INDENT}{rates}");
            results.insert(
                measured.key.to_owned(),
                json!({ "records_per_s": rate.round(), "gb_per_s": gigabytes }),
            );
        }
        self.step("read", &lines, Value::Object(results));
        Ok(())
    }

    /// The same batches, prepared in one way after the other for an accelerator that is simulated.
    fn train(&mut self, num_steps: u64) -> Result<()> {
        let training = Training::new(self.folder, self.ui.num_threads, num_steps)?;
        let accelerator_ms = milliseconds(training.accelerator_step);
        let line = format!(
            "{num_steps} batches of {BATCH_SIZE} JPEGs from {NUM_FILES} gzip shards, each decoded, cropped at random, mirrored and normalized.\n\
             {INDENT}The accelerator is simulated: it takes {accelerator_ms:.1} ms a batch. The batches are the same in every row:"
        );
        // The line first, its rows as they come: they take seconds.
        self.step("train", &line, Value::Null);
        let (mut results, mut expected) = (Vec::new(), None);
        for way in Way::ALL {
            let (key, what) = way.names();
            let progress = self.ui.count_bar(num_steps, what);
            let run = training.run(way, &progress)?;
            progress.finish_and_clear();
            let (step_ms, percent) = (milliseconds(run.step), run.utilization * 100.0);
            let checksum = format!("{:08x}", run.checksum);
            self.ui.note(format_args!(
                "{INDENT}{what:<18} {step_ms:>6.1} ms a step   accelerator busy {percent:>3.0} %   batches {checksum}"
            ));
            if *expected.get_or_insert(run.checksum) != run.checksum {
                return Err(unexpected(format!("{what}: other batches than sequential: {checksum}")));
            }
            results.push(
                json!({ "way": key, "step_ms": step_ms, "utilization": run.utilization, "checksum": checksum }),
            );
        }
        let rules = rules_of(&training.dataset(Way::Fused)?)?;
        self.ui.note(format_args!("{INDENT}fused means: {}", rules.join(", ")));
        let results =
            json!({ "accelerator_ms": accelerator_ms, "steps": num_steps, "ways": results, "rules": rules });
        self.results.insert("train".to_owned(), results);
        Ok(())
    }
}

/// What the optimizer does to a dataset: each rule once, with the number of times it fired.
fn rules_of(dataset: &Dataset) -> Result<Vec<String>> {
    let explanation = dataset.explain()?;
    let mut rules: Vec<(&str, usize)> = Vec::new();
    for change in explanation.changes() {
        match rules.iter_mut().find(|(rule, _)| *rule == change.rule) {
            Some((_, count)) => *count += 1,
            None => rules.push((change.rule, 1)),
        }
    }
    let shown = |(rule, count)| if count == 1 { String::from(rule) } else { format!("{rule} (×{count})") };
    Ok(rules.into_iter().map(shown).collect())
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn class_of(record: &[u8]) -> Result<String> {
    let features = decode(record)?.features;
    let class =
        features.into_iter().find(|feature| feature.name == "class").and_then(|feature| feature.values);
    match class {
        Some(Values::Bytes(values)) if !values.is_empty() => {
            Ok(String::from_utf8_lossy(values.get(0, &[])).into_owned())
        }
        other => Err(unexpected(format!("the record's class is {other:?}"))),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A result of the tour that cannot be.
fn unexpected(what: impl Into<String>) -> feedline::Error {
    let hint = "this is a bug in feedline, please report it".to_owned();
    feedline::Error::Argument { message: what.into(), hint }
}
