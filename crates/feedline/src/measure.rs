//! How fast can these files be read, and become batches of images, on this machine; and what is the limit?
//!
//! Each stage is a pipeline of its own, run for some seconds: reading alone, then with parsing, then with all that makes batches of
//! images of it. What a stage adds is what it costs; the one that takes most is the limit.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use feedline_data::block::Tensor;
use feedline_image::{is_crop_ready, with_restarts};
use feedline_plan::{Symbolic, ops};

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::image_inputs::{are_images, decoding_of, images_of};

/// What to measure.
#[derive(Clone, Debug)]
pub struct MeasureOptions {
    /// Patterns of record files, or of image files (by the ending of their names), or folders of images (in any depth).
    pub inputs: Vec<OsString>,
    /// The feature that holds a JPEG; of records, none means that they are only read.
    pub image: Option<String>,
    /// The side of the crops that images become, in pixels.
    pub crop: u32,
    /// Elements of a batch.
    pub batch: usize,
    /// How long each stage runs, at least until its first batch is there.
    pub time: Duration,
    /// Worker threads.
    pub num_threads: usize,
}

/// One stage: what ran, and how much came out.
#[derive(Clone, Debug)]
pub struct StageReport {
    /// What it does, in words.
    pub name: &'static str,
    /// Elements that came out.
    pub elements: u64,
    /// Elements that were errors instead.
    pub errors: u64,
    /// The first error, as text.
    pub first_error: Option<String>,
    /// Bytes of the elements.
    pub bytes: u64,
    /// How long it took.
    pub time: Duration,
}

impl StageReport {
    /// Elements a second.
    pub fn rate(&self) -> f64 {
        self.elements as f64 / self.time.as_secs_f64().max(1e-9)
    }

    /// Time that one element takes all cores together.
    fn seconds_an_element(&self) -> f64 {
        self.time.as_secs_f64() / (self.elements.max(1)) as f64
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct MeasureReport {
    /// Each does all that the one before does, and more.
    pub stages: Vec<StageReport>,
    /// What the limit is, and what would move it.
    pub finding: String,
}

/// Runs the stages, and calls `begin` before each with its name and how many there are.
///
/// # Errors
/// If a pattern matches no file, or nothing of it can be read.
pub fn measure(options: &MeasureOptions, begin: &dyn Fn(&str, usize)) -> Result<MeasureReport> {
    let engine = crate::Options::new().threads(options.num_threads);
    let mut stages = Vec::new();
    let pipelines = pipelines(options)?;
    // The last stage but one gives the images as they are stored.
    let images = pipelines.len().checked_sub(2).map(|stage| pipelines[stage].1.clone());
    let num_stages = pipelines.len();
    for (name, dataset) in pipelines {
        begin(name, num_stages);
        let dataset = dataset.batch(options.batch.max(1)).with_options(engine.clone()).check()?;
        let stage = run(name, &dataset, options)?;
        if stage.elements == 0 {
            let message = match stage.first_error {
                Some(error) => error,
                None => "there is nothing to measure: the input has no element".to_owned(),
            };
            return Err(Error::Argument {
                message,
                hint: "`feedline inspect` shows what is in files".to_owned(),
            });
        }
        stages.push(stage);
    }
    let gains_by_restarts = images.map_or(Ok(false), |images| gains_by_restarts(&images))?;
    let finding = finding(&stages, options, gains_by_restarts);
    Ok(MeasureReport { stages, finding })
}

/// The pipelines of the stages.
fn pipelines(options: &MeasureOptions) -> Result<Vec<(&'static str, Dataset)>> {
    let side = i64::from(options.crop);
    if are_images(&options.inputs) {
        let files = images_of(&options.inputs, None)?;
        let decode = decoding_of(&files)?;
        return Ok(vec![
            ("read", files.clone()),
            ("read, decode, crop", files.map(move |bytes| augmented(decode(bytes), side))),
        ]);
    }
    let records = Dataset::tf_record(&options.inputs)?;
    let Some(feature) = &options.image else { return Ok(vec![("read", records)]) };
    let images = images_of(&options.inputs, Some(feature))?;
    let decode = decoding_of(&images)?;
    Ok(vec![
        ("read", records),
        ("read, parse", images.clone()),
        ("read, parse, decode, crop", images.map(move |bytes| augmented(decode(bytes), side))),
    ])
}

/// What image training does with an image.
fn augmented(image: Symbolic, side: i64) -> Symbolic {
    const MEAN: [f64; 3] = [123.675, 116.28, 103.53];
    const STD: [f64; 3] = [58.395, 57.12, 57.375];
    let (scale, ratio) = ([0.08, 1.0], [0.75, 4.0 / 3.0]);
    let image =
        ops::image::random_resized_crop(image, [side, side], scale, ratio, "bilinear", false, false, 1);
    ops::image::normalize(ops::image::random_flip_left_right(image, 2), MEAN, STD)
}

/// Runs a stage, epoch after epoch, until its time is over. The first batch is not counted: it waits for threads to start.
fn run(name: &'static str, dataset: &Dataset, options: &MeasureOptions) -> Result<StageReport> {
    let mut report =
        StageReport { name, elements: 0, errors: 0, first_error: None, bytes: 0, time: Duration::ZERO };
    let mut epochs = dataset.repeat(None).iterator()?;
    let mut count = |report: &mut StageReport| match epochs.next() {
        None => false,
        Some(Ok(batch)) => {
            for tensor in batch.leaves() {
                report.elements += tensor.shape().first().map_or(1, |&rows| rows as u64);
                report.bytes += bytes_of(tensor);
            }
            true
        }
        Some(Err(error)) => {
            report.errors += 1;
            report.first_error.get_or_insert_with(|| error.to_string());
            report.elements > 0 || report.errors < MAX_FIRST_ERRORS
        }
    };
    if !count(&mut report) || report.elements == 0 && report.errors >= MAX_FIRST_ERRORS {
        return Ok(report);
    }
    let before = (report.elements, report.bytes);
    let start = Instant::now();
    while start.elapsed() < options.time && count(&mut report) {}
    report.time = start.elapsed();
    report.elements -= before.0;
    report.bytes -= before.1;
    Ok(report)
}

/// After so many errors and not one element, the rest will be no better.
const MAX_FIRST_ERRORS: u64 = 1000;

fn bytes_of(tensor: &Tensor) -> u64 {
    match tensor.strings() {
        Some(strings) => strings.num_bytes() as u64,
        None => (tensor.num_values() * tensor.dtype().width().unwrap_or(0)) as u64,
    }
}

/// Whether some of the images are JPEGs that could have restarts and have none; by the first ones, which are taken for all. Those that
/// `convert --jpeg-restarts` leaves as they are could not.
fn gains_by_restarts(images: &Dataset) -> Result<bool> {
    const NUM_LOOKED_AT: u64 = 64;
    for image in images.take(NUM_LOOKED_AT).iterator()? {
        let Ok(image) = image else { continue };
        let is_plain = |bytes: &[u8]| !is_crop_ready(bytes) && with_restarts(bytes).is_ok();
        if image.leaves()[0].strings().is_some_and(|strings| is_plain(strings.get(0))) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Says what the limit is.
fn finding(stages: &[StageReport], options: &MeasureOptions, gains_by_restarts: bool) -> String {
    let (first, last) = (&stages[0], &stages[stages.len() - 1]);
    let supply =
        format!("an accelerator that takes more than {:.0} a second waits for its input", last.rate());
    let megabytes = first.bytes as f64 / 1e6 / first.time.as_secs_f64().max(1e-9);
    if stages.len() == 1 {
        return format!(
            "reading alone, {megabytes:.0} MB/s: {supply}; `--image FEATURE` measures batches of images"
        );
    }
    let reading = first.seconds_an_element() / last.seconds_an_element();
    if reading > 0.8 {
        return format!(
            "storage is the limit ({megabytes:.0} MB/s, {:.0} % of the time of a batch): {supply}; faster or nearer storage \
             would help, more cores would not",
            100.0 * reading.min(1.0)
        );
    }
    let cores = options.num_threads.max(1);
    let milliseconds = 1000.0 * cores as f64 * (last.seconds_an_element() - first.seconds_an_element());
    let remedy = if gains_by_restarts {
        "`feedline convert --jpeg-restarts` (the same pixels, a crop decodes faster) or `--max-size` (smaller images)"
    } else {
        "`feedline convert --max-size` (smaller images)"
    };
    format!(
        "decoding and cropping are the limit ({milliseconds:.2} ms of a core an image, on {cores}; reading takes {:.0} % of it): \
         {supply}; more cores would help, and so would {remedy}",
        100.0 * reading
    )
}
